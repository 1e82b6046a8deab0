"""A server on a real socket, asked by the SDK's own client, in both eras."""

from __future__ import annotations

import json

import pytest
import trio.testing
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.surfaces.mcp.http_service import Service, add, serving
from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, INVALID_PARAMS, JsonObject

pytestmark = [
    # The client leaves the generators of its streams to the collector (its issue 3543).
    pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning"),
    pytest.mark.parametrize("era", ["legacy", "auto"]),
]


async def who(arguments: JsonObject, exchange: Exchange) -> object:
    return json.dumps(
        {
            "name": exchange.client.name,
            "version": exchange.client.version_spoken,
            "transport": exchange.transport,
            "has session": exchange.session_id is not None,
            "actor": exchange.actor_id,
            "audience": exchange.audience is not None,
            "level": exchange.log_level,
        }
    )


def words(result: object) -> str:
    return str(result.content[0].text)  # type: ignore[attr-defined]  # a text block


async def test_tools_are_listed_and_called(era: str) -> None:
    async with serving(Service(add=add)) as base, Client(f"{base}/mcp", mode=era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["add"]
        assert words(await client.call_tool("add", {"a": 2, "b": 3})) == "5"


async def test_a_handler_sees_who_asks_and_how(era: str) -> None:
    async with serving(Service(who=who)) as base, Client(f"{base}/mcp", mode=era) as client:
        seen = json.loads(words(await client.call_tool("who", {})))

    is_session = era == "legacy"
    assert seen == {
        "name": "mcp",
        "version": "2025-11-25" if is_session else "2026-07-28",
        "transport": "http",
        "has session": is_session,
        "actor": None,
        "audience": is_session,
        "level": "debug" if is_session else None,
    }


async def boom(arguments: JsonObject, exchange: Exchange) -> object:
    raise ValueError("the password is hunter2")


async def leave(arguments: JsonObject, exchange: Exchange) -> object:
    raise SystemExit(3)


async def several(arguments: JsonObject, exchange: Exchange) -> object:
    raise BaseExceptionGroup("all at once", [KeyError("a"), SystemExit(1)])


@pytest.mark.parametrize("name", ["boom", "leave", "several"])
async def test_whatever_a_handler_raises_the_session_goes_on_and_nothing_leaks(
    era: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service(boom=boom, leave=leave, several=several, add=add)
    async with serving(service) as base, Client(f"{base}/mcp", mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, {})
        assert words(await client.call_tool("add", {"a": 1})) == "1"

    assert (caught.value.code, caught.value.message) == (INTERNAL_ERROR, "Internal server error")
    assert "tools/call, request" in caplog.text


async def test_an_error_of_the_service_arrives_as_it_is(era: str) -> None:
    async with serving(Service(add=add)) as base, Client(f"{base}/mcp", mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("subtract", {})

    assert caught.value.code == INVALID_PARAMS
    assert caught.value.message == "no tool is named 'subtract'"


async def test_what_a_handler_says_meanwhile_arrives_before_its_answer(era: str) -> None:
    async def count(arguments: JsonObject, exchange: Exchange) -> object:
        for step in range(3):
            token = exchange.meta["progressToken"]
            params = {"progressToken": token, "progress": float(step + 1)}
            await exchange.notify("notifications/progress", params)
        return "counted"

    seen: list[float] = []

    async def remember(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async with serving(Service(count=count)) as base, Client(f"{base}/mcp", mode=era) as client:
        result = await client.call_tool("count", {}, progress_callback=remember)
        assert words(result) == "counted"
        await trio.testing.wait_all_tasks_blocked()

    assert seen == [1, 2, 3]


async def test_giving_up_cancels_the_handler(era: str) -> None:
    started, cancelled = trio.Event(), trio.Event()

    async def wait(arguments: JsonObject, exchange: Exchange) -> object:
        try:
            started.set()
            await trio.sleep_forever()
        finally:
            cancelled.set()

    service = Service(wait=wait, add=add)
    async with serving(service) as base, Client(f"{base}/mcp", mode=era) as client:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.call_tool, "wait", {})
            await started.wait()
            nursery.cancel_scope.cancel()
        await cancelled.wait()
        assert words(await client.call_tool("add", {"a": 1})) == "1"
