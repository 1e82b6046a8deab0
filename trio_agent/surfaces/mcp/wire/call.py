"""One request while it is answered: its task, its scope, and the way back to the client.

Guarantees:

* a call that the client cancelled sends nothing afterwards, whatever its handler does with the
  cancellation: neither an answer nor a notification, not even from a cleanup;
* after its answer a call sends nothing either, and where that can be known, its answer is written
  when the client has read what came before it, and not in the same breath;
* whatever a handler raises, the session goes on.  An `RpcError` is the answer; everything else is
  a bug, whose traceback is logged and whose answer says no more than that.  `KeyboardInterrupt`
  passes, and `Cancelled` of course.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Protocol, cast, final

import trio

from trio_agent.surfaces.mcp.rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    JsonObject,
    RequestId,
    RpcError,
)
from trio_agent.surfaces.mcp.wire.encoding import encode_call, encode_error, encode_result

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.exchange import Conversation
    from trio_agent.surfaces.mcp.wire.jsonrpc import Request
    from trio_agent.surfaces.mcp.wire.questions import Outgoing, Questions

_PASSING: Final = (trio.Cancelled, KeyboardInterrupt, GeneratorExit)
"""What ends more than a call."""

log: Final = logging.getLogger("trio_agent.mcp")


class Desk(Protocol):
    """What a call needs of the connection that it belongs to."""

    conversation: Conversation
    outgoing: Outgoing
    questions: Questions
    max_line_bytes: int

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
        except _PASSING:
            raise
        except BaseExceptionGroup as group:
            failure: BaseException = self._without_pressing(group)
        except BaseException as error:  # noqa: ASYNC103, BLE001  # one call never ends a session
            failure = error
        answer = to_rpc_error(failure, request.method, self.id)
        self.error_code = answer.code
        return encode_error(self.id, answer, max_bytes)

    def _without_pressing(self, group: BaseExceptionGroup[BaseException]) -> BaseException:
        """What is our business of *group*.

        Raises:
            BaseExceptionGroup: what is not, `Cancelled` and `KeyboardInterrupt`.
        """
        pressing, failure = group.split(_PASSING)
        if pressing is None:
            return group
        if failure is not None:
            to_rpc_error(failure, self._request.method, self.id)
        raise pressing from None


def is_endless(request: Request) -> bool:
    """Whether the answer comes when somebody ends the request, however long that takes."""
    return request.method == "subscriptions/listen"


def to_rpc_error(error: BaseException, method: str, id_: RequestId) -> RpcError:
    """What a request is answered with when *error* came out of its handler; logs bugs."""
    sole = _unwrap(error)
    if isinstance(sole, RpcError):
        return sole
    log.error("%s, request %r, failed", method, id_, exc_info=error)
    return RpcError(INTERNAL_ERROR, "Internal server error")


def _unwrap(error: BaseException) -> BaseException:
    """The one error in a group of one; anything else as it is."""
    one = error
    while isinstance(one, BaseExceptionGroup):
        first, *others = cast("BaseExceptionGroup[BaseException]", one).exceptions
        if others:
            return error
        one = first
    return one
