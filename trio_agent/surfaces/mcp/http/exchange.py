"""One request over HTTP: its desk, where it is answered, and the exchange, as the service sees it.

The conversation knows who the client says it is; that there is a session, that a token was
verified and that the stream of an answer can be closed early is known here alone.

    HttpDesk       what a `LiveCall` needs, made for each request: it writes to the request's stream
    HttpPlace      where a request came from; makes the exchange
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs
import trio

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.rpc import CONNECTION_CLOSED, JsonObject, RequestId, RpcError
from trio_agent.surfaces.mcp.wire.encoding import MAX_LINE_BYTES, encode_error
from trio_agent.surfaces.mcp.wire.questions import Outgoing, Questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from actors import Actor, Supervisor
    from trio_agent.surfaces.mcp.exchange import (
        Audience,
        Call,
        Client,
        Conversation,
        Exchange,
        Transport,
    )
    from trio_agent.surfaces.mcp.http.stream import EventStream
    from trio_agent.surfaces.mcp.wire.call import LiveCall


@final
class HttpDesk:
    """Where one request is answered: a `call.Desk`.

    Args:
        conversation: of the session, or of the request.
        stream: takes every line about it.
        calls: under which requests are answered.
        ids: of questions to the client.
        on_leave: called when the call has ended and the stream has its end.
    """

    def __init__(
        self,
        conversation: Conversation,
        stream: EventStream,
        *,
        calls: Supervisor,
        ids: Iterator[int],
        on_leave: Callable[[LiveCall], object],
    ) -> None:
        self.conversation: Conversation = conversation
        self.outgoing: Outgoing = stream
        self.max_line_bytes: int = MAX_LINE_BYTES
        self.questions: Questions = Questions(stream, ids=ids)
        self.stream: Final = stream
        self._calls: Final = calls
        self._on_leave: Final = on_leave

    def start(self, actor: Actor) -> None:
        """See `call.Desk.start`: until the server ends, since it may outlive the session's calls."""
        self._calls.start(actor)

    def leave(self, call: LiveCall) -> None:
        """Take notice that *call* has ended: end its stream."""
        self.questions.close()
        if call.is_answered or call.is_cancelled:
            self.stream.end()
        else:
            why = "Connection closed: the server ended before the call did"
            call.error_code = CONNECTION_CLOSED
            self.stream.post(encode_error(call.id, RpcError(CONNECTION_CLOSED, why)))
            self.stream.end()
        self._on_leave(call)


@final
@attrs.frozen(kw_only=True)
class HttpPlace:
    """Where requests come from.

    Attributes:
        session_id: None in the modern era.
        actor_id: the client id of the token.
        find_stream: the stream of a call.
    """

    session_id: str | None
    actor_id: str | None
    find_stream: Callable[[RequestId], EventStream | None]

    __repr__ = shown

    def locate(self, exchange: Exchange, call: Call) -> Exchange:
        """*exchange* with what is known here."""
        return _HttpExchange(exchange, call, self)


@final
class _HttpExchange:
    """An `exchange.Exchange`."""

    __slots__ = ("_call", "_exchange", "_place")

    def __init__(self, exchange: Exchange, call: Call, place: HttpPlace) -> None:
        self._exchange: Final = exchange
        self._call: Final = call
        self._place: Final = place

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
        return self._place.session_id

    @property
    def actor_id(self) -> str | None:
        return self._place.actor_id

    @property
    def meta(self) -> Mapping[str, object]:
        return self._exchange.meta

    @property
    def log_level(self) -> str | None:
        return self._exchange.log_level

    def set_log_level(self, level: str) -> None:
        self._exchange.set_log_level(level)

    def start(self, actor: Actor) -> None:
        self._call.start(actor)

    @property
    def audience(self) -> Audience | None:
        return self._exchange.audience

    async def notify(self, method: str, params: JsonObject) -> None:
        await self._exchange.notify(method, params)

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        return await self._exchange.request(method, params)

    async def end_stream(self) -> None:
        """Let the client go; one that cannot come back stays."""
        stream = self._place.find_stream(self._call.id)
        if stream is not None and stream.keeps:
            stream.dismiss()
        await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
