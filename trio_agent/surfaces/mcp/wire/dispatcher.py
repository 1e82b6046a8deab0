"""The dispatcher: what becomes of each message of one connection.

Requests are shown to the conversation in the order of arrival.  What needs no task is answered on
the spot; everything else becomes a `LiveCall` under the supervisor of the connection, or waits
for its turn, or is refused when too many wait.

Rules:

* taking a message never waits, so a reader never has to stop: notifications, pings and answers
  get through while calls are busy, or wait for a client that does not read.  A reader does yield
  while it `is_crowded`, so that a burst of quick calls is not refused before one could end;
* an id is used by one request at a time.  Another one with the same id is refused, the first is
  answered nevertheless.  `1` and `"1"` are different ids;
* cancelling what is unknown or has ended is no error.

It knows messages and no frames, so any transport can drive it.  Below: `call`, `questions`.  Above:
`connection`, which has bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, assert_never, final

import attrs
import trio

from actors import Reply
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.containment import log, to_rpc_error
from trio_agent.surfaces.mcp.rpc import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    SERVER_BUSY,
    JsonObject,
    RequestId,
    RpcError,
)
from trio_agent.surfaces.mcp.wire.call import LiveCall, takes_turn
from trio_agent.surfaces.mcp.wire.encoding import (
    MAX_LINE_BYTES,
    encode_call,
    encode_error,
    encode_result,
)
from trio_agent.surfaces.mcp.wire.jsonrpc import Message, Notification, Refusal, Request, Response
from trio_agent.surfaces.mcp.wire.questions import Outgoing, Questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from actors import Actor, Supervisor
    from trio_agent.surfaces.mcp.exchange import Audience, Conversation


MakeConversation: TypeAlias = "Callable[[Audience], Conversation]"
"""Called once for each connection."""


MAX_UNREAD_BYTES: Final = 1_048_576
"""What may be posted and unread before news are dropped: some ten thousand of them."""


@final
@attrs.frozen(kw_only=True)
class Quota:
    """What one connection may have at a time.

    Attributes:
        max_running: calls that run.
        max_waiting: calls that wait for their turn; one more is answered `SERVER_BUSY`.
        max_endless: calls that go on until the client or something else ends them, and take no
            turn from another.
        max_line_bytes: what a line that we write stays below.
    """

    max_running: int = 64
    max_waiting: int = 256
    max_endless: int = 1024
    max_line_bytes: int = MAX_LINE_BYTES

    __repr__ = shown


@final
class Dispatcher:
    """Takes the messages of one connection.

    Args:
        make_conversation: makes what answers; it is given this dispatcher to tell things to.
        outgoing: where lines go.
        calls: under which requests are answered; whoever opened it decides when it stops.
        quota: see there.
    """

    def __init__(
        self,
        make_conversation: MakeConversation,
        outgoing: Outgoing,
        calls: Supervisor,
        quota: Quota | None = None,
    ) -> None:
        self._quota: Final = Quota() if quota is None else quota
        self._calls: Final = calls
        self._running: Final[dict[RequestId, LiveCall]] = {}
        self._waiting: Final[dict[RequestId, Request]] = {}
        self._turns = 0
        self._endless = 0
        self._unanswered: Final[list[RequestId]] = []
        self._idle: Reply[None] | None = None
        self.max_line_bytes: int = self._quota.max_line_bytes
        self.outgoing: Outgoing = outgoing
        self.questions: Questions = Questions(outgoing, self.max_line_bytes)
        self.conversation: Conversation = make_conversation(self)

    @property
    def is_crowded(self) -> bool:
        """Whether a call waits for its turn."""
        return bool(self._waiting)

    def receive(self, message: Message) -> None:
        """Take the next message; never waits, never raises."""
        match message:
            case Request():
                self._take_request(message)
            case Notification(method="notifications/cancelled"):
                self._cancel(message.params)
            case Notification():
                self._take_notification(message)
            case Response():
                self.questions.settle(message)
            case Refusal():
                self._refuse(message.id, RpcError(message.code, message.message))
            case _:
                assert_never(message)

    def tell(self, method: str, params: JsonObject) -> None:
        """See `exchange.Audience.tell`.  Dropped while the client leaves a lot unread."""
        if self.outgoing.posted_bytes > MAX_UNREAD_BYTES:
            log.warning("%s was dropped: the client does not read", method)
            return
        try:
            line = encode_call(method, params, max_bytes=self.max_line_bytes)
        except (RpcError, TypeError, ValueError, RecursionError) as error:
            log.warning("%s was dropped: %s", method, error)
            return
        self.outgoing.post(line)

    def end_input(self) -> None:
        """Nothing more will be received, so no question of ours will be answered."""
        self.questions.close()

    async def wait_idle(self) -> None:
        """Wait until no call runs, but for those that never end.  One task only."""
        if not self._is_idle():
            self._idle = Reply()
            await self._idle.take()
        else:
            await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint

    def answer_unfinished(self) -> None:
        """Once the calls have been stopped: tell the client which of them it need not wait for."""
        error = RpcError(
            CONNECTION_CLOSED, "Connection closed: the server ended before the call did"
        )
        for id_ in self._unanswered:
            self._refuse(id_, error)

    def start(self, actor: Actor) -> None:
        """See `call.Desk.start`: until the connection ends."""
        self._calls.start(actor)

    def leave(self, call: LiveCall) -> None:
        """Take notice that *call* has ended; the next one may run."""
        del self._running[call.id]
        self._endless -= call.is_endless
        self._turns -= call.takes_turn
        if not (call.is_answered or call.is_cancelled):
            self._unanswered.append(call.id)
        if self._waiting and self._has_room():
            self._start(self._waiting.pop(next(iter(self._waiting))))
        elif self._idle is not None and self._is_idle():
            self._idle.give(None)
            self._idle = None

    def _is_idle(self) -> bool:
        return len(self._running) == self._endless

    def _has_room(self) -> bool:
        return self._turns < self._quota.max_running

    def _take_request(self, request: Request) -> None:
        if request.id in self._running or request.id in self._waiting:
            why = f"Invalid Request: a request with the id {request.id!r} is in flight"
            self._refuse(request.id, RpcError(INVALID_REQUEST, why))
            return
        try:
            result = self.conversation.admit(request.method, request.params)
            if result is not None:
                self.outgoing.post(encode_result(request.id, result, self.max_line_bytes))
                return
        except Exception as error:  # noqa: BLE001  # boundary: one request never ends a session
            self._refuse(request.id, to_rpc_error(error, request.method, request.id))
            return
        self._line_up(request)

    def _line_up(self, request: Request) -> None:
        if not takes_turn(request):
            self._open_stream(request)
        elif self._has_room():
            self._start(request)
        elif len(self._waiting) < self._quota.max_waiting:
            self._waiting[request.id] = request
        else:
            self._refuse(request.id, self._busy())

    def _open_stream(self, request: Request) -> None:
        most = self._quota.max_endless
        if len(self._running) - self._turns < most:
            self._start(request)
        else:
            why = f"server-busy: {most} streams are open on this connection; end some of them"
            self._refuse(request.id, RpcError(SERVER_BUSY, why, {"code": "server-busy"}))

    def _start(self, request: Request) -> None:
        call = self._running[request.id] = LiveCall(request, self)
        self._endless += call.is_endless
        self._turns += call.takes_turn
        self._calls.start(call)

    def _take_notification(self, notification: Notification) -> None:
        try:
            self.conversation.receive(notification.method, notification.params)
        except Exception as error:  # noqa: BLE001  # boundary: one message never ends a session
            log.error("%s failed", notification.method, exc_info=error)

    def _cancel(self, params: JsonObject) -> None:
        id_ = params.get("requestId")
        if not isinstance(id_, str) and type(id_) is not int:
            return
        if id_ in self._waiting:
            del self._waiting[id_]
        elif id_ in self._running:
            self._running[id_].cancel(f"cancelled by the client: {params.get('reason')}")

    def _refuse(self, id_: RequestId | None, error: RpcError) -> None:
        self.outgoing.post(encode_error(id_, error, self.max_line_bytes))

    def _busy(self) -> RpcError:
        running, waiting = self._quota.max_running, self._quota.max_waiting
        return RpcError(
            SERVER_BUSY,
            f"server-busy: {running} calls run and {waiting} wait on this connection; try again"
            " when some of them have been answered",
            {"code": "server-busy", "maxRunning": running, "maxWaiting": waiting},
        )
