"""One request while it is answered: its task, its scope, and the way back to the client.

Guarantees:

* a call that the client cancelled sends nothing afterwards, whatever its handler does with the
  cancellation: neither an answer nor a notification, not even from a cleanup;
* after its answer a call sends nothing either, and where that can be known, its answer is written
  when the client has read what came before it, and not in the same breath;
* whatever a handler raises, the session goes on; see `containment`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, final

import trio

from trio_agent.surfaces.mcp.containment import PASSING, log, to_rpc_error, without_pressing
from trio_agent.surfaces.mcp.rpc import CONNECTION_CLOSED, JsonObject, RequestId, RpcError
from trio_agent.surfaces.mcp.wire.encoding import encode_call, encode_error, encode_result

if TYPE_CHECKING:
    from actors import Actor
    from trio_agent.surfaces.mcp.exchange import Conversation
    from trio_agent.surfaces.mcp.wire.jsonrpc import Request
    from trio_agent.surfaces.mcp.wire.questions import Outgoing, Questions


class Desk(Protocol):
    """What a call needs of the connection that it belongs to."""

    conversation: Conversation
    outgoing: Outgoing
    questions: Questions
    max_line_bytes: int

    def start(self, actor: Actor) -> None:
        """Let an actor live beside the calls, and no longer than all of them may."""
        ...

    def leave(self, call: LiveCall) -> None:
        """Take notice that *call* has ended."""
        ...


@final
class LiveCall:
    """A request that is being answered: an actor, and the `exchange.Call` of its handler.

    Attributes:
        id: of the request.
        is_answered: whether the answer is written.
        is_cancelled: whether the client has cancelled it.
        error_code: of the answer; None for a result.
    """

    __slots__ = (
        "_desk",
        "_has_notified",
        "_is_over",
        "_request",
        "_scope",
        "error_code",
        "id",
        "is_answered",
        "is_cancelled",
    )

    def __init__(self, request: Request, desk: Desk) -> None:
        self._request: Final = request
        self._desk: Final = desk
        self._scope: Final = trio.CancelScope()
        self.id: Final[RequestId] = request.id
        self._has_notified = False
        self._is_over = False
        self.is_answered: bool = False
        self.is_cancelled: bool = False
        self.error_code: int | None = None

    @property
    def is_endless(self) -> bool:
        """Whether it goes on until somebody ends it, so that nobody waits for its end."""
        return is_endless(self._request)

    @property
    def takes_turn(self) -> bool:
        """See the function of that name."""
        return takes_turn(self._request)

    def cancel(self, reason: str) -> None:
        """The client does not want it any more; never waits.  `initialize` goes on."""
        if self._request.method != "initialize":
            self.is_cancelled = self._is_over = True
            self._scope.cancel(reason)

    async def run(self) -> None:
        """Answer."""
        try:
            with self._scope:
                # What is started while everything ends must not run up to its first wait.
                await trio.lowlevel.checkpoint_if_cancelled()  # noqa: TID251  # costs no turn of the loop
                line = await self._answer()
                self._is_over = True
                if not self.is_cancelled:
                    await self._send_answer(line)
                    self.is_answered = True
        finally:
            self._desk.leave(self)

    async def notify(self, method: str, params: JsonObject) -> None:
        """See `exchange.Call.notify`."""
        if self._is_over:
            await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
            return
        try:
            line = encode_call(method, params, max_bytes=self._desk.max_line_bytes)
        except RpcError as error:
            log.warning("%s of request %r was dropped: %s", method, self.id, error)
            await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
            return
        self._has_notified = True
        await self._desk.outgoing.send(line)

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        """See `exchange.Call.request`."""
        if self._is_over:
            raise RpcError(CONNECTION_CLOSED, "the request has been cancelled or answered")
        return await self._desk.questions.ask(method, params)

    def start(self, actor: Actor) -> None:
        """See `exchange.Call.start`."""
        self._desk.start(actor)

    async def _send_answer(self, line: bytes) -> None:
        if self._has_notified:
            await self._desk.outgoing.wait_taken()
        await self._desk.outgoing.send(line)

    async def _answer(self) -> bytes:
        """The line to answer with."""
        request, max_bytes = self._request, self._desk.max_line_bytes
        try:
            result = await self._desk.conversation.answer(request.method, request.params, self)
            return encode_result(self.id, result, max_bytes)
        except PASSING:
            raise
        except BaseExceptionGroup as group:
            failure: BaseException = without_pressing(group, request.method, self.id)
        except BaseException as error:  # noqa: ASYNC103, BLE001  # one call never ends a session
            failure = error
        answer = to_rpc_error(failure, request.method, self.id)
        self.error_code = answer.code
        return encode_error(self.id, answer, max_bytes)


def takes_turn(request: Request) -> bool:
    """Whether the call counts among those of which only so many may run.

    What only waits for something else does not: it could keep that from being cancelled.
    """
    return request.method not in {"subscriptions/listen", "tasks/result"}


def is_endless(request: Request) -> bool:
    """Whether the answer comes when somebody ends the request, however long that takes."""
    return request.method == "subscriptions/listen"
