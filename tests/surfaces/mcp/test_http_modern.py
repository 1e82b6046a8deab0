"""The modern era over HTTP: one POST, one request, and headers that say the same as the body."""

from __future__ import annotations

import base64
from typing import cast

import pytest
import trio
import trio.testing

from tests.surfaces.mcp.http_caller import (
    ENVELOPE,
    calling,
    modern,
    modern_headers,
    notification,
    request,
)
from tests.surfaces.mcp.http_service import Service, add
from trio_agent.surfaces.mcp.envelope import CAPABILITIES_KEY, SERVER_KEY, VERSION_KEY
from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.http import modern as http_modern
from trio_agent.surfaces.mcp.http.delivery import PING_S
from trio_agent.surfaces.mcp.http.headers import HEADER_MISMATCH
from trio_agent.surfaces.mcp.rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    SERVER_BUSY,
    UNSUPPORTED_PROTOCOL_VERSION,
    JsonObject,
    RpcError,
)
from trio_agent.surfaces.mcp.subscriptions import SUBSCRIPTION_KEY, Change


def calls(name: str, **arguments: object) -> JsonObject:
    return modern("tools/call", {"name": name, "arguments": arguments})


async def test_a_request_of_its_own_is_answered_without_a_session() -> None:
    async with calling(Service(add=add)) as caller:
        answer = await caller.ask_modern(calls("add", a=1, b=2))
        discovered = await caller.ask_modern(modern("server/discover"))
        assert [len(table) for table in caller.app.tables] == [0]

    assert answer.text == "3"
    assert "mcp-session-id" not in answer.headers
    info = {"name": "small", "version": "1", "title": "Small"}
    assert answer.result["_meta"] == {SERVER_KEY: info}
    assert answer.result["resultType"] == "complete"
    assert discovered.result["supportedVersions"] == ["2026-07-28"]
    assert discovered.result["ttlMs"] == 0


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        (modern("no/such"), 404, METHOD_NOT_FOUND),
        (modern("initialize"), 404, METHOD_NOT_FOUND),
        (modern("ping"), 404, METHOD_NOT_FOUND),
        (modern("logging/setLevel"), 404, METHOD_NOT_FOUND),
        (calls("missing"), 400, INVALID_PARAMS),
    ],
)
async def test_an_error_has_the_status_that_belongs_to_its_code(
    message: JsonObject, status: int, code: int
) -> None:
    async with calling(Service(add=add)) as caller:
        answer = await caller.ask_modern(message)

    assert (answer.status, answer.error["code"], answer.json["id"]) == (status, code, 1)


async def test_an_error_after_the_first_word_comes_as_an_event() -> None:
    async def fail(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.notify("notifications/progress", {"progressToken": 1, "progress": 1})
        raise RpcError(INVALID_PARAMS, "not like this")

    async with calling(Service(fail=fail)) as caller:
        answer = await caller.ask_modern(calls("fail"))

    assert answer.status == 200
    assert [event.id for event in answer.events] == [None, None]
    assert cast("JsonObject", answer.last["error"])["message"] == "not like this"


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": None},
        {"mcp_protocol_version": "2026-07-29"},
        {"mcp_method": None},
        {"mcp_method": "tools/list"},
        {"mcp_method": "Tools/Call"},
        {"mcp_name": None},
        {"mcp_name": "subtract"},
        {"mcp_name": "=?base64?YWRk?"},
        {"mcp_name": "=?base64?%%?="},
        {"mcp_name": "=?base64?YWRk===?="},
        {"mcp_name": "=?base64?/w==?="},
    ],
)
async def test_headers_that_say_something_else_are_refused(headers: dict[str, str | None]) -> None:
    async with calling(Service(add=add)) as caller:
        message = calls("add", a=1)
        asked = {key.replace("-", "_"): value for key, value in modern_headers(message).items()}
        answer = await caller.ask(message, **(asked | headers))

    assert (answer.status, answer.error["code"]) == (400, HEADER_MISMATCH)
    assert str(answer.error["message"]).startswith("Header mismatch: the header ")


async def test_a_name_beyond_ascii_comes_in_base64() -> None:
    async with calling(Service(größe=add)) as caller:
        name = base64.b64encode("größe".encode()).decode()
        message = calls("größe", a=4)
        headers = modern_headers(message) | {"mcp-name": f"=?base64?{name}?="}
        assert (await caller.ask(message, **headers)).text == "4"


async def test_a_header_that_comes_twice_is_refused() -> None:
    async with calling(Service(add=add)) as caller:
        caller.headers["MCP-Method"] = "tools/call"
        answer = await caller.ask_modern(calls("add", a=1))

    assert answer.error["message"] == "Header mismatch: the header mcp-method comes more than once"


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({}, INVALID_PARAMS),
        ({VERSION_KEY: "2026-07-28"}, INVALID_PARAMS),
        ({CAPABILITIES_KEY: {}}, INVALID_PARAMS),
        ({**ENVELOPE, VERSION_KEY: 3}, HEADER_MISMATCH),
        (None, INVALID_PARAMS),
    ],
)
async def test_an_envelope_that_lacks_something_is_refused(meta: object, code: int) -> None:
    message = request("tools/list", {"_meta": meta})
    async with calling(Service()) as caller:
        answer = await caller.ask_modern(message)

    assert (answer.status, answer.error["code"]) == (400, code)


async def test_a_revision_that_is_not_served_is_named_with_those_that_are() -> None:
    message = request("tools/list", {"_meta": {**ENVELOPE, VERSION_KEY: "2099-01-01"}})
    async with calling(Service()) as caller:
        answer = await caller.ask_modern(message, mcp_protocol_version="2099-01-01")
        noted = await caller.ask(
            notification("notifications/initialized"), mcp_protocol_version="2099-01-01"
        )

    for refused in (answer, noted):
        assert refused.status == 400
        assert refused.error["code"] == UNSUPPORTED_PROTOCOL_VERSION
        assert refused.error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


async def test_a_notification_is_taken_and_dropped_and_an_answer_is_refused() -> None:
    async with calling(Service()) as caller:
        caller.headers["mcp-protocol-version"] = "2026-07-28"
        noted = await caller.ask(notification("notifications/cancelled", {"requestId": 1}))
        answered = await caller.ask({"jsonrpc": "2.0", "id": 1, "result": {}})

    assert (noted.status, noted.body) == (202, b"")
    assert (answered.status, answered.error["code"]) == (400, INVALID_REQUEST)


# ------------------------------------------------------------------------- time, leaving


async def test_a_call_that_says_nothing_is_still_answered_alone_unless_it_takes_too_long(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def sleep(arguments: JsonObject, exchange: Exchange) -> object:
        await trio.sleep(cast("float", arguments["s"]))
        return "slept"

    async with calling(Service(sleep=sleep)) as caller:
        short = await caller.ask_modern(calls("sleep", s=PING_S - 1))
        long = await caller.ask_modern(calls("sleep", s=3 * PING_S))

    assert short.headers["content-type"] == "application/json"
    assert long.headers["content-type"] == "text/event-stream"
    assert long.body.startswith(b": still here\n\n")
    assert (short.text, long.text) == ("slept", "slept")


async def test_the_first_word_does_not_wait_for_the_next() -> None:
    release = trio.Event()

    async def begin(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.notify("notifications/progress", {"progressToken": 1, "progress": 1})
        await release.wait()
        return "begun"

    async with calling(Service(begin=begin)) as caller:
        message = calls("begin")
        reading = caller.start(message, **modern_headers(message))
        await reading.until(1)
        release.set()
        await reading.done()

    assert reading.text == "begun"


async def test_leaving_cancels() -> None:
    cancelled = trio.Event()
    started = trio.Event()

    async def wait(arguments: JsonObject, exchange: Exchange) -> object:
        try:
            started.set()
            await trio.sleep_forever()
        finally:
            cancelled.set()

    async with calling(Service(wait=wait)) as caller:
        message = calls("wait")
        reading = caller.start(message, **modern_headers(message))
        await started.wait()
        reading.gone.set()
        await cancelled.wait()
        await caller.app.wait_quiet()

    assert reading.status == 0


async def test_nobody_is_asked_anything() -> None:
    async def ask(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.end_stream()
        return await exchange.request("roots/list", {})

    async with calling(Service(ask=ask)) as caller:
        answer = await caller.ask_modern(calls("ask"))

    assert answer.error["code"] == INVALID_REQUEST


async def test_a_listener_hears_of_changes_until_the_end() -> None:
    service = Service()
    async with calling(service) as caller:
        message = modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        reading = caller.start(message, **modern_headers(message))
        await reading.until(1)
        service.changes.publish(Change("tools", is_list=True))
        await reading.until(2)
        caller.app.wind_down()
        await reading.done()
        await caller.app.wait_quiet()

    assert reading.last["result"] == {
        "_meta": {
            SERVER_KEY: {"name": "small", "version": "1", "title": "Small"},
            SUBSCRIPTION_KEY: 1,
        },
        "resultType": "complete",
    }
    assert [event.data and event.data.get("method") for event in reading.events] == [
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        None,
    ]


async def test_when_the_app_ends_who_still_waits_is_told() -> None:
    async def wait(arguments: JsonObject, exchange: Exchange) -> object:
        await trio.sleep_forever()

    async with calling(Service(wait=wait)) as caller:
        message = calls("wait")
        reading = caller.start(message, **modern_headers(message))
        await trio.testing.wait_all_tasks_blocked(0.1)
        caller.app.end()
        await reading.done()

    assert reading.error["code"] == CONNECTION_CLOSED


async def test_too_many_requests_at_a_time_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = trio.Event()

    async def wait(arguments: JsonObject, exchange: Exchange) -> object:
        await release.wait()
        return "released"

    monkeypatch.setattr(http_modern, "MOST_RUNNING", 3)
    monkeypatch.setattr(http_modern, "MOST_WAITING", 5)
    async with calling(Service(wait=wait)) as caller:
        message = calls("wait")
        headers = modern_headers(message)
        taken = [caller.start(message, **headers) for _ in range(8)]
        await trio.testing.wait_all_tasks_blocked(0.1)
        refused = await caller.ask(message, **headers)
        release.set()
        for reading in taken:
            await reading.done()

    assert refused.error["code"] == SERVER_BUSY
    assert {reading.status for reading in taken} == {200}


# ------------------------------------------------------------------- arguments as headers


class Annotated(Service):
    """A service whose tool takes an argument that comes as a header, too."""

    def __init__(self) -> None:
        super().__init__(add=add)
        self.listings = 0
        self.schema: JsonObject = {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "a": {"type": "integer"},
            },
        }

    async def handle(self, method: str, params: JsonObject, exchange: Exchange) -> JsonObject:
        if method == "tools/list":
            self.listings += 1
            if exchange.client.name == "broken":
                raise ValueError
            return {"tools": [{"name": "add", "inputSchema": self.schema}]}
        return await super().handle(method, params, exchange)


@pytest.mark.parametrize(
    ("argument", "header", "is_good"),
    [
        ("eu", "eu", True),
        ("eu", "us", False),
        ("eu", None, False),
        (None, "eu", False),
        (None, None, True),
        ("größe", "=?base64?Z3LDtsOfZQ==?=", True),
    ],
)
async def test_an_annotated_argument_and_its_header_agree(
    argument: str | None, header: str | None, is_good: bool
) -> None:
    async with calling(Annotated()) as caller:
        arguments = {"a": 1} if argument is None else {"a": 1, "region": argument}
        answer = await caller.ask_modern(calls("add", **arguments), mcp_param_region=header)

    assert answer.status == (200 if is_good else 400)
    if not is_good:
        assert answer.error["code"] == HEADER_MISMATCH


async def test_a_call_without_arguments_or_headers_lists_no_tools() -> None:
    service = Annotated()
    async with calling(service) as caller:
        await caller.ask_modern(calls("add"))
        assert service.listings == 0
        assert (await caller.ask_modern(calls("add"), mcp_param_region="eu")).status == 400
        assert service.listings == 1
        assert (await caller.ask_modern(calls("add", a=1))).text == "1"


async def test_what_cannot_be_compared_is_the_call_s_own_business(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = {"name": "broken", "version": "1"}
    broken = calls("add", a=1)
    meta = cast("JsonObject", cast("JsonObject", broken["params"])["_meta"])
    meta["io.modelcontextprotocol/clientInfo"] = client
    async with calling(Annotated()) as caller:
        assert (await caller.ask_modern(broken, mcp_param_region="eu")).text == "1"
        unlisted = await caller.ask_modern(calls("missing", a=1), mcp_param_region="eu")
        misshapen = modern("tools/call", {"name": "add", "arguments": [1]})
        answer = await caller.ask_modern(misshapen)

    assert answer.error["code"] == INTERNAL_ERROR
    assert unlisted.error["code"] == INVALID_PARAMS
    assert "the tools cannot be listed" in caplog.text
