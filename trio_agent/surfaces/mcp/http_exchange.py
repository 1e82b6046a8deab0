"""One request over HTTP as the service sees it: a conversation's exchange, and where it came from.

The conversation knows who the client says it is; that it has a session, that a token was verified
and that the stream of its answer can be closed early is known to the transport alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.surfaces.mcp.exchange import Audience, Call, Client, Exchange, Transport
    from trio_agent.surfaces.mcp.http_wire import HttpCall
    from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId


def placed(exchange: Exchange, call: Call) -> Exchange:
    """*exchange* with what the transport knows; *call* is what it was made of."""
    return _HttpExchange(exchange, cast("HttpCall", call))


@final
class _HttpExchange:
    """An `exchange.Exchange`."""

    __slots__ = ("_call", "_exchange")

    def __init__(self, exchange: Exchange, call: HttpCall) -> None:
        self._exchange: Final = exchange
        self._call: Final = call

    @property
    def id(self) -> RequestId:
        return self._call.id

    @property
    def client(self) -> Client:
        return self._exchange.client

    @property
    def transport(self) -> Transport:
        return "http"

    @property
    def session_id(self) -> str | None:
        return self._call.connection.session_id

    @property
    def actor_id(self) -> str | None:
        return self._call.user

    @property
    def meta(self) -> Mapping[str, object]:
        return self._exchange.meta

    @property
    def log_level(self) -> str | None:
        return self._exchange.log_level

    def set_log_level(self, level: str) -> None:
        self._exchange.set_log_level(level)

    @property
    def audience(self) -> Audience | None:
        return self._exchange.audience

    async def notify(self, method: str, params: JsonObject) -> None:
        await self._exchange.notify(method, params)

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        return await self._exchange.request(method, params)

    async def end_stream(self) -> None:
        await self._call.end_stream()
