"""One connection that speaks in frames: which era it is in, who is there, what was agreed.

The first request decides the era, for good: one with an envelope opens a modern connection,
anything else a handshake.  `initialize`, `ping` and other things that need no task are answered
here, in the order of arrival, so that a client may send its next request without waiting.

It reads no frames and starts no tasks; the dispatcher of a transport drives it.  Everything about
tools is the service's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, cast, final

from trio_agent.surfaces.mcp.envelope import (
    LOG_LEVELS,
    finished,
    has_envelope,
    meta_of,
    read_envelope,
    read_initialize,
    unsupported,
    wanted_level,
)
from trio_agent.surfaces.mcp.exchange import MODERN_VERSIONS
from trio_agent.surfaces.mcp.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    JsonObject,
    RpcError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from actors import Actor
    from trio_agent.surfaces.mcp.exchange import Audience, Call, Client, Exchange, Transport
    from trio_agent.surfaces.mcp.rpc import RequestId

Era: TypeAlias = Literal["handshake", "modern"]

_HANDSHAKE_ONLY: Final = frozenset(
    {
        "initialize",
        "logging/setLevel",
        "ping",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
    }
)
_MODERN_ONLY: Final = frozenset({"server/discover", "subscriptions/listen", "tasks/update"})


class Answering(Protocol):
    """What a conversation asks of the service."""

    @property
    def methods(self) -> frozenset[str]:
        """What `handle` answers."""
        ...

    def introduction(self, version: str, /) -> JsonObject:
        """`capabilities`, `serverInfo` and, when there are, `instructions`."""
        ...

    async def handle(self, method: str, params: JsonObject, exchange: Exchange) -> JsonObject:
        """Answer one request."""
        ...


@final
class McpConversation:
    """What one connection has agreed on.

    Args:
        service: answers everything that is not about the connection.
        transport: how it came here.
        audience: the connection itself, to be told of changes; None where nothing can be.
        place: adds to an exchange what only the transport knows; gets the call it was made of.
        on_handshake: called when a client has shaken hands; a modern one never does, and hears
            of nothing that it did not ask for.
    """

    def __init__(
        self,
        service: Answering,
        *,
        transport: Transport = "stdio",
        audience: Audience | None = None,
        place: Callable[[Exchange, Call], Exchange] | None = None,
        on_handshake: Callable[[], object] | None = None,
    ) -> None:
        self._service: Final = service
        self.audience: Final = audience
        self._transport: Final[Transport] = transport
        self._place: Final = place
        self._on_handshake: Final = on_handshake
        self._era: Era | None = None
        self._client: Client | None = None
        self.log_level: str | None = None

    def admit(self, method: str, params: JsonObject) -> JsonObject | None:
        """Look at a request in the order of arrival: see `exchange.Conversation`."""
        if self._era is None:
            is_modern = method != "initialize" and has_envelope(params)
            self._era = "modern" if is_modern else "handshake"
        if self._era == "modern":
            return self._admit_modern(method, params)
        return self._admit_handshake(method, params)

    async def answer(self, method: str, params: JsonObject, call: Call) -> JsonObject:
        """Answer a request that was admitted: see `exchange.Conversation`."""
        client = read_envelope(params) if self._era == "modern" else self._known_client()
        exchange: Exchange = _ConversationExchange(
            self, call, client, meta_of(params), self._transport
        )
        if self._place is not None:
            exchange = self._place(exchange, call)
        result = await self._service.handle(method, params, exchange)
        return self._finished(method, result, client)

    def receive(self, method: str, params: JsonObject) -> None:
        """Take a notification.  None of them changes anything here."""

    def _admit_modern(self, method: str, params: JsonObject) -> JsonObject | None:
        if method == "initialize":
            raise unsupported(
                params.get("protocolVersion"),
                f"this connection speaks {MODERN_VERSIONS[-1]}, which has no initialize",
            )
        client = read_envelope(params)
        if method in _HANDSHAKE_ONLY:
            raise _unknown(method)
        if method == "server/discover":
            introduction = self._service.introduction(client.version_spoken)
            del introduction["serverInfo"]
            result: JsonObject = {"supportedVersions": list(MODERN_VERSIONS), **introduction}
            return self._finished(method, result, client)
        if method not in self._service.methods:
            raise _unknown(method)
        return None

    def _admit_handshake(self, method: str, params: JsonObject) -> JsonObject | None:
        if method == "initialize":
            self._client = client = read_initialize(params)
            introduction = self._service.introduction(client.version_spoken)
            if self._on_handshake is not None:
                self._on_handshake()
            return {"protocolVersion": client.version_spoken, **introduction}
        if has_envelope(params):
            raise RpcError(
                INVALID_REQUEST,
                f"this connection began without an envelope, so one of {MODERN_VERSIONS[-1]} is"
                " not accepted on it",
            )
        if method == "ping":
            return {}
        if method in _MODERN_ONLY or method not in self._service.methods:
            raise _unknown(method)
        self._known_client()
        return self._set_level(params) if method == "logging/setLevel" else None

    def _set_level(self, params: JsonObject) -> JsonObject:
        level = params.get("level")
        if not isinstance(level, str) or level not in LOG_LEVELS:
            raise RpcError(INVALID_PARAMS, f"level is one of {', '.join(LOG_LEVELS)}")
        self.log_level = level
        return {}

    def _known_client(self) -> Client:
        if self._client is None:
            raise RpcError(INVALID_PARAMS, "the connection begins with initialize")
        return self._client

    def _finished(self, method: str, result: JsonObject, client: Client) -> JsonObject:
        if not client.is_modern:
            return result
        info = self._service.introduction(client.version_spoken)["serverInfo"]
        return finished(method, result, client, cast("JsonObject", info))


@final
class _ConversationExchange:
    """One request of a conversation, as the service sees it."""

    __slots__ = ("_call", "_conversation", "client", "meta", "transport")

    def __init__(
        self,
        conversation: McpConversation,
        call: Call,
        client: Client,
        meta: Mapping[str, object],
        transport: Transport,
    ) -> None:
        self._conversation: Final = conversation
        self._call: Final = call
        self.client: Final = client
        self.meta: Final = meta
        self.transport: Final[Transport] = transport

    @property
    def id(self) -> RequestId:
        return self._call.id

    @property
    def session_id(self) -> str | None:
        return None

    @property
    def actor_id(self) -> str | None:
        return None

    @property
    def log_level(self) -> str | None:
        return wanted_level(self.client, self.meta, self._conversation.log_level)

    def set_log_level(self, level: str) -> None:
        self._conversation.log_level = level

    async def notify(self, method: str, params: JsonObject) -> None:
        await self._call.notify(method, params)

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        if self.client.is_modern:
            raise RpcError(
                INVALID_REQUEST, f"{self.client.version_spoken} has no requests to clients"
            )
        return await self._call.request(method, params)

    def start(self, actor: Actor) -> None:
        self._call.start(actor)

    @property
    def audience(self) -> Audience | None:
        return self._conversation.audience

    async def end_stream(self) -> None:
        """Do nothing: the one stream of the connection carries everything."""


def _unknown(method: str) -> RpcError:
    return RpcError(METHOD_NOT_FOUND, "Method not found", method)
