"""Our HTTP side against the SDK's: the same requests get the same statuses and error codes."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import attrs
import mcp_types
import pytest
import trio
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from tests.surfaces.mcp.http_caller import (
    ENVELOPE,
    OPENING,
    Caller,
    call,
    calling,
    modern,
    modern_headers,
    notification,
    request,
)
from tests.surfaces.mcp.http_service import Service
from trio_agent.surfaces.mcp.envelope import VERSION_KEY
from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.http.app import HttpApp
from trio_agent.surfaces.mcp.rpc import JsonObject

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


async def echo(arguments: JsonObject, exchange: Exchange) -> object:
    return json.dumps(arguments)


def twin() -> Server[dict[str, object]]:
    """The SDK's server with the same tool."""

    async def list_tools(ctx: object, params: object) -> mcp_types.ListToolsResult:
        tool = mcp_types.Tool(name="echo", input_schema={"type": "object"})
        return mcp_types.ListToolsResult(tools=[tool])

    async def call_tool(
        ctx: object, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        if params.name != "echo":
            raise MCPError(mcp_types.INVALID_PARAMS, "unknown tool")
        block = mcp_types.TextContent(text=json.dumps(params.arguments))
        return mcp_types.CallToolResult(content=[block])

    return Server("small", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


@asynccontextmanager
async def theirs() -> AsyncGenerator[Caller, None]:
    server = twin()
    app = server.streamable_http_app()
    async with trio.open_nursery() as nursery, server.session_manager.run():
        yield Caller(cast("HttpApp", app), nursery)
        nursery.cancel_scope.cancel()


@attrs.frozen
class Probe:
    """One request."""

    body: JsonObject | bytes | None = None
    method: str = "POST"
    headers: dict[str, str | None] = attrs.field(factory=dict[str, str | None])


SESSION_PROBES = {
    "a call": Probe(call("echo", 2, a=1)),
    "a text id": Probe(call("echo", "x")),
    "an unknown tool": Probe(call("missing", 2)),
    "an unknown method": Probe(request("no/such")),
    "a method of the other era": Probe(request("server/discover")),
    "a ping": Probe(request("ping")),
    "a notification": Probe(notification("notifications/initialized")),
    "an unknown notification": Probe(notification("notifications/no/such")),
    "an answer to nothing": Probe({"jsonrpc": "2.0", "id": 99, "result": {}}),
    "initialize again": Probe(request("initialize", OPENING)),
    "no JSON": Probe(b"{"),
    "no session": Probe(call("echo"), headers={"mcp_session_id": None}),
    "an unknown session": Probe(call("echo"), headers={"mcp_session_id": "0" * 32}),
    "no revision": Probe(call("echo"), headers={"mcp_protocol_version": None}),
    "half an accept": Probe(call("echo"), headers={"accept": "application/json"}),
    "a stranger": Probe(call("echo"), headers={"host": "evil.example"}),
    "a stranger's page": Probe(call("echo"), headers={"origin": "http://evil.example"}),
    "another method": Probe(method="PUT"),
    "a GET without events": Probe(method="GET", headers={"accept": "application/json"}),
    "a GET without a session": Probe(method="GET", headers={"mcp_session_id": None}),
    "a DELETE without a session": Probe(method="DELETE", headers={"mcp_session_id": None}),
}


def enveloped(message: JsonObject, **headers: str | None) -> Probe:
    asked = {name.replace("-", "_"): value for name, value in modern_headers(message).items()}
    return Probe(message, headers={**asked, **headers})


OTHER = {**ENVELOPE, VERSION_KEY: "2099-01-01"}

MODERN_PROBES = {
    "a call": enveloped(modern("tools/call", {"name": "echo", "arguments": {"a": 1}})),
    "a list": enveloped(modern("tools/list")),
    "discover": enveloped(modern("server/discover")),
    "an unknown tool": enveloped(modern("tools/call", {"name": "missing"})),
    "an unknown method": enveloped(modern("no/such")),
    "initialize": enveloped(modern("initialize", OPENING)),
    "a method of the other era": enveloped(modern("logging/setLevel", {"level": "info"})),
    "a ping": enveloped(modern("ping")),
    "no envelope": enveloped(request("tools/list")),
    "another method in the headers": enveloped(modern("tools/list"), mcp_method="ping"),
    "another revision in the headers": enveloped(
        modern("tools/list"), mcp_protocol_version="2026-07-29"
    ),
    "an unknown revision": enveloped(
        request("tools/list", {"_meta": OTHER}), mcp_protocol_version="2099-01-01"
    ),
    "a notification": Probe(
        notification("notifications/cancelled"), headers={"mcp_protocol_version": "2026-07-28"}
    ),
    "an unknown revision of a notification": Probe(
        notification("notifications/cancelled"), headers={"mcp_protocol_version": "2099-01-01"}
    ),
    "an answer": Probe(
        {"jsonrpc": "2.0", "id": 1, "result": {}}, headers={"mcp_protocol_version": "2026-07-28"}
    ),
    "no JSON": Probe(b"{", headers={"mcp_protocol_version": "2026-07-28"}),
    "a batch": Probe(b"[]", headers={"mcp_protocol_version": "2026-07-28"}),
    "a bad id": Probe(
        b'{"jsonrpc":"2.0","id":[],"method":"ping"}',
        headers={"mcp_protocol_version": "2026-07-28"},
    ),
    "a GET": Probe(method="GET", headers={"mcp_protocol_version": "2026-07-28"}),
    "half an accept": enveloped(modern("tools/list"), accept="text/event-stream"),
    "a stranger": enveloped(modern("tools/list"), host="evil.example"),
}


@attrs.frozen
class Verdict:
    """What became of a request: the status, the code of the error, and the id."""

    status: int
    code: object = None
    id: object = None


async def verdict(caller: Caller, probe: Probe) -> Verdict:
    answer = await caller.ask(probe.body, method=probe.method, **probe.headers)
    answer.headers["content-type"] = answer.headers.get("content-type", "").partition(";")[0]
    media_type = answer.headers["content-type"]
    if not answer.body or media_type not in {"application/json", "text/event-stream"}:
        return Verdict(answer.status)
    message = answer.json
    error = cast("JsonObject", message.get("error", {}))
    return Verdict(answer.status, error.get("code"), message["id"])


def assert_alike(ours: Verdict, theirs: Verdict) -> None:
    """Where the SDK says less, with an empty body or without an id, we may say more."""
    assert ours.status == theirs.status
    if theirs.code is not None or theirs.status < 400:
        assert ours.code == theirs.code
    if theirs.id is not None:
        assert ours.id == theirs.id


@pytest.mark.parametrize("name", SESSION_PROBES)
async def test_in_a_session_both_judge_alike(name: str) -> None:
    async with theirs() as caller:
        await caller.open()
        expected = await verdict(caller, SESSION_PROBES[name])
    async with calling(Service(echo=echo)) as caller:
        await caller.open()
        assert_alike(await verdict(caller, SESSION_PROBES[name]), expected)


@pytest.mark.parametrize("name", MODERN_PROBES)
async def test_in_the_modern_era_both_judge_alike(name: str) -> None:
    async with theirs() as caller:
        expected = await verdict(caller, MODERN_PROBES[name])
    async with calling(Service(echo=echo)) as caller:
        assert_alike(await verdict(caller, MODERN_PROBES[name]), expected)
