"""What a connection agrees on, without a transport."""

from __future__ import annotations

import pytest

from actors import Actor
from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.envelope import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    LOG_LEVEL_KEY,
    SERVER_KEY,
    VERSION_KEY,
)
from trio_agent.surfaces.mcp.exchange import HANDSHAKE_VERSIONS, Exchange
from trio_agent.surfaces.mcp.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
    JsonObject,
    RpcError,
)

ENVELOPE: JsonObject = {
    VERSION_KEY: "2026-07-28",
    CAPABILITIES_KEY: {"elicitation": {}},
    CLIENT_KEY: {"name": "host", "version": "3"},
}
METHODS = frozenset({"tools/list", "tools/call", "logging/setLevel", "subscriptions/listen"})


class Recorder:
    """A service that remembers who asked."""

    methods = METHODS

    def __init__(self) -> None:
        self.seen: list[Exchange] = []

    def introduction(self, version: str) -> JsonObject:
        return {"capabilities": {"for": version}, "serverInfo": {"name": "s", "version": "1"}}

    async def handle(self, method: str, params: JsonObject, exchange: Exchange) -> JsonObject:
        self.seen.append(exchange)
        return {"method": method}


class Wire:
    """A call that remembers what was sent on it."""

    id = "r-1"

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def notify(self, method: str, params: JsonObject) -> None:
        self.sent.append(method)

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        self.sent.append(method)
        return {"roots": []}

    def start(self, actor: Actor) -> None:
        self.sent.append(type(actor).__name__)


def opening(version: object = "2025-11-25", **changes: object) -> JsonObject:
    return {
        "protocolVersion": version,
        "capabilities": {"roots": {}},
        "clientInfo": {"name": "host", "version": "3"},
        **changes,
    }


def enveloped(**params: object) -> JsonObject:
    return {**params, "_meta": dict(ENVELOPE)}


def refusal(conversation: McpConversation, method: str, params: JsonObject) -> RpcError:
    with pytest.raises(RpcError) as caught:
        conversation.admit(method, params)
    return caught.value


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_a_handshake_speaks_the_revision_that_the_client_asked_for(version: str) -> None:
    answer = McpConversation(Recorder()).admit("initialize", opening(version))

    assert answer == {
        "protocolVersion": version,
        "capabilities": {"for": version},
        "serverInfo": {"name": "s", "version": "1"},
    }


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", ""])
def test_an_unknown_revision_is_answered_with_the_newest_of_the_handshake(version: str) -> None:
    answer = McpConversation(Recorder()).admit("initialize", opening(version))

    assert answer is not None
    assert answer["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"protocolVersion": 3}, "protocolVersion"),
        ({"capabilities": None}, "capabilities"),
        ({"clientInfo": {"name": "host"}}, "clientInfo"),
        ({"clientInfo": []}, "clientInfo"),
    ],
)
def test_a_misshapen_initialize_is_refused_by_the_name_of_the_member(
    changes: JsonObject, named: str
) -> None:
    conversation = McpConversation(Recorder())

    error = refusal(conversation, "initialize", opening(**changes))

    assert error.code == INVALID_PARAMS
    assert named in error.message
    # Nothing was remembered: a client may try again.
    assert refusal(conversation, "tools/list", {}).code == INVALID_PARAMS
    assert conversation.admit("initialize", opening()) is not None


def test_before_the_handshake_only_ping_is_answered_and_unknown_methods_stay_unknown() -> None:
    conversation = McpConversation(Recorder())

    assert conversation.admit("ping", {}) == {}
    assert refusal(conversation, "tools/list", {}).code == INVALID_PARAMS
    assert refusal(conversation, "no/such", {}).code == METHOD_NOT_FOUND


def test_after_the_handshake_known_methods_go_to_a_task() -> None:
    conversation = McpConversation(Recorder())
    conversation.admit("initialize", opening())

    assert conversation.admit("tools/list", {}) is None
    assert refusal(conversation, "no/such", {}).data == "no/such"
    assert refusal(conversation, "server/discover", {}).code == METHOD_NOT_FOUND
    assert refusal(conversation, "subscriptions/listen", {}).code == METHOD_NOT_FOUND


def test_an_envelope_on_a_handshake_connection_is_refused() -> None:
    conversation = McpConversation(Recorder())
    conversation.admit("initialize", opening())

    assert refusal(conversation, "tools/list", enveloped()).code == INVALID_REQUEST


async def test_a_handshake_client_is_known_in_every_later_request() -> None:
    service, wire = Recorder(), Wire()
    conversation = McpConversation(service)
    conversation.admit("initialize", opening("2025-06-18"))

    result = await conversation.answer("tools/call", {"_meta": {"progressToken": 7}}, wire)

    (exchange,) = service.seen
    assert result == {"method": "tools/call"}
    assert exchange.client.name == "host"
    assert exchange.client.version == "3"
    assert exchange.client.version_spoken == "2025-06-18"
    assert exchange.client.capabilities == {"roots": {}}
    assert exchange.meta == {"progressToken": 7}
    assert (exchange.id, exchange.transport) == ("r-1", "stdio")
    assert (exchange.session_id, exchange.actor_id, exchange.audience) == (None, None, None)
    await exchange.notify("notifications/message", {})
    assert await exchange.request("roots/list", {}) == {"roots": []}
    await exchange.end_stream()
    assert wire.sent == ["notifications/message", "roots/list"]


async def test_the_log_level_holds_for_the_connection_until_the_client_changes_it() -> None:
    service = Recorder()
    conversation = McpConversation(service)
    conversation.admit("initialize", opening())
    await conversation.answer("tools/call", {}, Wire())
    (exchange,) = service.seen

    assert exchange.log_level == "debug"
    assert conversation.admit("logging/setLevel", {"level": "error"}) == {}
    assert exchange.log_level == "error"
    assert refusal(conversation, "logging/setLevel", {"level": "loud"}).code == INVALID_PARAMS
    assert refusal(conversation, "logging/setLevel", {}).code == INVALID_PARAMS
    exchange.set_log_level("alert")
    assert exchange.log_level == "alert"


def test_a_modern_connection_is_discovered_and_has_no_handshake() -> None:
    conversation = McpConversation(Recorder())

    answer = conversation.admit("server/discover", enveloped())

    assert answer == {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"for": "2026-07-28"},
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {SERVER_KEY: {"name": "s", "version": "1"}},
    }
    error = refusal(conversation, "initialize", opening("2025-11-25"))
    assert error.code == UNSUPPORTED_PROTOCOL_VERSION
    assert error.data == {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    nameless = refusal(conversation, "initialize", opening(7))
    assert nameless.data == {"supported": ["2026-07-28"]}


@pytest.mark.parametrize("method", ["ping", "logging/setLevel", "resources/subscribe", "no/such"])
def test_methods_of_the_other_era_are_unknown_on_a_modern_connection(method: str) -> None:
    conversation = McpConversation(Recorder())
    conversation.admit("tools/list", enveloped())

    assert refusal(conversation, method, enveloped()).code == METHOD_NOT_FOUND


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        (None, INVALID_PARAMS),
        ({}, INVALID_PARAMS),
        ({VERSION_KEY: "2026-07-28"}, INVALID_PARAMS),
        ({VERSION_KEY: 7, CAPABILITIES_KEY: {}}, INVALID_PARAMS),
        ({VERSION_KEY: "2031-01-01", CAPABILITIES_KEY: {}}, UNSUPPORTED_PROTOCOL_VERSION),
    ],
)
def test_every_request_of_a_modern_connection_needs_its_envelope(meta: object, code: int) -> None:
    conversation = McpConversation(Recorder())
    conversation.admit("tools/list", enveloped())

    assert refusal(conversation, "tools/list", {"_meta": meta}).code == code


async def test_a_modern_result_says_its_type_and_who_made_it() -> None:
    service, wire = Recorder(), Wire()
    conversation = McpConversation(service)
    params: JsonObject = {"_meta": {**ENVELOPE, LOG_LEVEL_KEY: "warning"}}
    conversation.admit("tools/list", params)

    result = await conversation.answer("tools/list", params, wire)

    assert result == {
        "method": "tools/list",
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {SERVER_KEY: {"name": "s", "version": "1"}},
    }
    (exchange,) = service.seen
    assert exchange.client.capabilities == {"elicitation": {}}
    assert exchange.log_level == "warning"
    with pytest.raises(RpcError, match="no requests to clients"):
        await exchange.request("roots/list", {})


async def test_a_modern_client_that_asks_for_no_log_gets_none() -> None:
    service = Recorder()
    conversation = McpConversation(service)
    conversation.admit("tools/call", enveloped())

    result = await conversation.answer("tools/call", enveloped(), Wire())

    assert service.seen[0].log_level is None
    # Calls are not cached.
    assert "ttlMs" not in result


async def test_what_a_client_says_of_itself_may_be_misshapen_in_an_envelope() -> None:
    service = Recorder()
    conversation = McpConversation(service)
    params: JsonObject = {
        "_meta": {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: [], CLIENT_KEY: "host"}
    }
    conversation.admit("tools/call", params)

    await conversation.answer("tools/call", params, Wire())

    client = service.seen[0].client
    assert (client.name, client.version, client.capabilities) == (None, None, {})


def test_notifications_change_nothing() -> None:
    conversation = McpConversation(Recorder())

    conversation.receive("notifications/initialized", {})

    # An era begins with a request.
    assert conversation.admit("server/discover", enveloped()) is not None
