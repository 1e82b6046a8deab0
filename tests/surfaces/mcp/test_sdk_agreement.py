"""Our own handshake against the SDK's: the same client gets the same answers from either."""

from __future__ import annotations

import warnings
from typing import cast

import anyio
import mcp_types
import pytest
import trio
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.shared.message import SessionMessage

from actors import Actor
from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.envelope import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    VERSION_KEY,
    has_envelope,
)
from trio_agent.surfaces.mcp.exchange import HANDSHAKE_VERSIONS, MODERN_VERSIONS, Exchange
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError

TOOL: JsonObject = {"name": "add", "title": "Add", "inputSchema": {"type": "object"}}
INFO: JsonObject = {"name": "s", "version": "1", "title": "S", "description": "d"}
CHANGED: JsonObject = {"listChanged": True}
ENVELOPE: JsonObject = {
    VERSION_KEY: "2026-07-28",
    CAPABILITIES_KEY: {},
    CLIENT_KEY: {"name": "c", "version": "1"},
}


class Ours:
    """The service whose twin the SDK's server is."""

    methods = frozenset({"tools/list", "tools/call", "logging/setLevel", "subscriptions/listen"})

    def introduction(self, version: str) -> JsonObject:
        return {
            "capabilities": {"logging": {}, "tools": CHANGED},
            "serverInfo": dict(INFO),
        }

    async def handle(self, method: str, params: JsonObject, exchange: Exchange) -> JsonObject:
        return {"tools": [TOOL]}


class NoCall:
    id = 0

    async def notify(self, method: str, params: JsonObject) -> None:
        raise AssertionError

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        raise AssertionError

    def start(self, actor: Actor) -> None:
        raise AssertionError


def twin() -> Server[dict[str, object]]:
    async def list_tools(ctx: object, params: object) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult.model_validate({"tools": [TOOL], "ttlMs": 0})

    async def call_tool(ctx: object, params: object) -> mcp_types.CallToolResult:
        raise AssertionError

    async def set_level(ctx: object, params: object) -> mcp_types.EmptyResult:
        return mcp_types.EmptyResult()

    async def listen(ctx: object, params: object) -> mcp_types.SubscriptionsListenResult:
        raise AssertionError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Server(  # type: ignore[deprecated]  # logging is, from 2026-07-28 on
            "s",
            version="1",
            title="S",
            description="d",
            on_list_tools=list_tools,
            on_call_tool=call_tool,
            on_set_logging_level=set_level,
            on_subscriptions_listen=listen,
        )


async def their_answers(requests: list[tuple[str, JsonObject]]) -> list[JsonObject]:
    server = twin()
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](1)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    answers: list[JsonObject] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run, incoming, outgoing, options)
        for number, (method, params) in enumerate(requests):
            frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            message = mcp_types.jsonrpc_message_adapter.validate_python(frame)
            await to_server.send(SessionMessage(message))
            reply = (await from_server.receive()).message
            answers.append(reply.model_dump(by_alias=True, exclude_unset=True))
        to_server.close()
    from_server.close()
    return answers


async def our_answers(requests: list[tuple[str, JsonObject]]) -> list[JsonObject]:
    conversation = McpConversation(Ours())
    answers: list[JsonObject] = []
    for number, (method, params) in enumerate(requests):
        answer: JsonObject = {"jsonrpc": "2.0", "id": number}
        try:
            result = conversation.admit(method, params)
            if result is None:
                result = await conversation.answer(method, params, NoCall())
            answer["result"] = result
        except RpcError as error:
            answer["error"] = error.to_wire()
        answers.append(answer)
    return answers


def without_words(answer: JsonObject) -> JsonObject:
    """Errors are compared by their codes, and by their data where they have some to compare.

    The SDK says "Invalid request parameters" of everything; we say which.
    """
    if "error" not in answer:
        return answer
    error = dict(cast("JsonObject", answer["error"]))
    del error["message"]
    if error.get("data") in ("", None):
        error.pop("data", None)
    return {**answer, "error": error}


def opening(version: object) -> tuple[str, JsonObject]:
    info: JsonObject = {"name": "c", "version": "1"}
    return "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": info}


def enveloped(**params: object) -> JsonObject:
    return {**params, "_meta": dict(ENVELOPE)}


CONVERSATIONS: dict[str, list[tuple[str, JsonObject]]] = {
    **{
        f"initialize {version}": [
            opening(version),
            ("tools/list", {}),
            ("ping", {}),
            ("logging/setLevel", {"level": "info"}),
            ("logging/setLevel", {"level": "loud"}),
            ("no/such", {}),
            ("prompts/list", {}),
            ("server/discover", {}),
            ("tools/list", enveloped()),
            opening("2025-03-26"),
        ]
        for version in (*HANDSHAKE_VERSIONS, *MODERN_VERSIONS, "1999-01-01")
    },
    "misshapen initialize": [
        ("initialize", {}),
        ("initialize", {**opening("2025-11-25")[1], "protocolVersion": 3}),
        ("initialize", {**opening("2025-11-25")[1], "clientInfo": {"name": "c"}}),
        ("initialize", {**opening("2025-11-25")[1], "capabilities": None}),
    ],
    "before initialize": [("ping", {}), ("tools/list", {}), ("no/such", {})],
    "modern": [
        ("server/discover", enveloped()),
        ("tools/list", enveloped()),
        ("ping", enveloped()),
        ("logging/setLevel", enveloped(level="info")),
        ("resources/subscribe", enveloped(uri="a://b")),
        ("no/such", enveloped()),
        opening("2025-11-25"),
        opening(3),
        ("tools/list", {}),
        ("tools/list", {"_meta": {VERSION_KEY: "2026-07-28"}}),
        ("tools/list", {"_meta": {**ENVELOPE, VERSION_KEY: "2031-01-01"}}),
        ("tools/list", {"_meta": {**ENVELOPE, VERSION_KEY: 3}}),
    ],
    "modern without a name": [
        ("tools/list", {"_meta": {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}}),
    ],
}


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_client_cannot_tell_the_two_apart(name: str) -> None:
    requests = CONVERSATIONS[name]

    ours, theirs = await our_answers(requests), await their_answers(requests)

    assert [*map(without_words, ours)] == [*map(without_words, theirs)]


def test_the_conversations_are_of_both_eras() -> None:
    firsts = [requests[0] for requests in CONVERSATIONS.values()]

    assert {method for method, _ in firsts} == {
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
    }
    assert {has_envelope(params) for _, params in firsts} == {True, False}
