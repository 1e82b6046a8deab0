"""A real plugin over HTTP, from the bytes to the component and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs
import pytest
import trio.testing

from tests.surfaces.mcp.asking import open_service
from tests.surfaces.mcp.http_caller import (
    Caller,
    call,
    calling,
    modern,
    modern_headers,
    notification,
)
from trio_agent.surfaces.mcp.http.app import HttpSettings
from trio_agent.surfaces.mcp.http.auth import BearerCheck
from trio_agent.surfaces.mcp.rpc import JsonObject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.surfaces.mcp.service import McpService

ENDED = "the work beside it ended"


@pytest.fixture
def harbour() -> Iterator[McpService]:
    yield from open_service("harbour")


@attrs.frozen
class Token:
    client_id: str
    scopes: tuple[str, ...] = ()
    expires_at: int | None = None
    subject: str | None = None
    claims: dict[str, object] | None = None


class Everybody:
    async def verify_token(self, token: str) -> Token:
        return Token(f"client of {token}")


def waiting(id_: int) -> JsonObject:
    message = call("wait", id_)
    cast("JsonObject", message["params"])["_meta"] = {"progressToken": id_}
    return message


async def told(caller: Caller) -> str:
    return (await caller.ask(call("log", "log"))).text


# Case 31 of the surfaces.
async def test_the_client_of_the_token_is_the_actor(harbour: McpService) -> None:
    settings = HttpSettings(bearer=BearerCheck(verifier=Everybody()))
    async with calling(harbour, settings) as caller:
        caller.headers["authorization"] = "Bearer t"
        await caller.open()
        seen = (await caller.ask(call("who", 1))).result["structuredContent"]

    session = {"sessionId": caller.headers["mcp-session-id"]}
    assert seen == {
        "actor": {"state": "available", "source": "native", "value": {"id": "client of t"}},
        "session": {"state": "available", "source": "native", "value": session},
    }


async def test_where_nobody_is_authenticated_there_is_no_actor(harbour: McpService) -> None:
    async with calling(harbour) as caller:
        message = modern("tools/call", {"name": "who", "arguments": {}})
        answer = await caller.ask(message, **modern_headers(message))

    seen = cast("JsonObject", answer.result["structuredContent"])
    assert seen["actor"] == {"state": "unavailable", "reason": "unauthenticated"}
    assert cast("JsonObject", seen["session"])["state"] == "unavailable"


# Case 38 of the surfaces.
async def test_losing_the_connection_cancels_nothing(harbour: McpService) -> None:
    async with calling(harbour) as caller:
        await caller.open()
        lost = caller.start(waiting(1))
        events = await lost.until(2)
        lost.gone.set()
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert await told(caller) == ""
        await caller.ask(call("release", 2))
        back = await caller.ask(method="GET", last_event_id=events[-1].id)
        assert await told(caller) == f"released, {ENDED}"

    assert back.text == "Released."


async def test_cancelling_reaches_the_component_and_its_work(harbour: McpService) -> None:
    async with calling(harbour) as caller:
        await caller.open()
        reading = caller.start(waiting(1))
        await reading.until(2)
        await caller.ask(notification("notifications/cancelled", {"requestId": 1}))
        await reading.done()
        ended = sorted((await told(caller)).split(", "))

    assert ended == ["cancelled", ENDED]
    assert [event.data and event.data["method"] for event in reading.events] == [
        None,
        "notifications/progress",
    ]


async def test_without_a_session_losing_the_connection_cancels(harbour: McpService) -> None:
    async with calling(harbour) as caller:
        message = waiting(1)
        params = cast("JsonObject", message["params"])
        meta = cast("JsonObject", params["_meta"])
        message = modern("tools/call", params)
        cast("JsonObject", cast("JsonObject", message["params"])["_meta"]).update(meta)
        reading = caller.start(message, **modern_headers(message))
        await reading.until(1)
        reading.gone.set()
        await caller.app.wait_quiet()
        await trio.testing.wait_all_tasks_blocked(0.01)
        await caller.open()
        ended = sorted((await told(caller)).split(", "))

    assert ended == ["cancelled", ENDED]
