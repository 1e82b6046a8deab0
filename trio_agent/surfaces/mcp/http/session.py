"""One handshake session over HTTP: what was agreed, what runs, and what its client has not got yet.

Requests come one by one, each with the stream that its answer goes to; this is the `dispatcher` of
a connection whose answers do not share one pipe.  The rules are the same: requests are shown to
the conversation in the order of arrival, an id is used by one request at a time, 64 calls run and
256 wait, and cancelling what is unknown is no error.  That a client loses its connection cancels
nothing: it may come back for the answer.

Not here: HTTP (`http_handshake`), and which sessions there are (`http_sessions`).
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.surfaces.mcp.containment import log, to_rpc_error
from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.http.exchange import HttpDesk, HttpPlace
from trio_agent.surfaces.mcp.http.stream import MOST_KEPT_BYTES, EventStream
from trio_agent.surfaces.mcp.rpc import (
    INVALID_REQUEST,
    SERVER_BUSY,
    JsonObject,
    RequestId,
    RpcError,
)
from trio_agent.surfaces.mcp.subscriptions import ChangeHub
from trio_agent.surfaces.mcp.tasks.office import TaskOffice
from trio_agent.surfaces.mcp.wire.call import LiveCall
from trio_agent.surfaces.mcp.wire.dispatcher import MAX_UNREAD_BYTES, Quota
from trio_agent.surfaces.mcp.wire.encoding import encode_call, encode_error, encode_result
from trio_agent.surfaces.mcp.wire.jsonrpc import Response

if TYPE_CHECKING:
    from collections.abc import Generator

    from actors import Supervisor
    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.http.auth import Principal
    from trio_agent.surfaces.mcp.wire.jsonrpc import Notification, Request

RESUMABLE_SINCE: Final = "2025-11-25"
"""The first revision whose clients understand an event without data, which tells them at once
where they are."""

MOST_STREAMS: Final = 64
"""Ended streams that are kept for a client that comes back."""


@final
class HttpSession:
    """One session: an `exchange.Audience`.

    Args:
        id_: of the session.
        owner: who opened it; None where nobody is authenticated.
        service: answers.
        calls: under which requests are answered; outlives the session.
        quota: how many.

    Attributes:
        own: the stream of what belongs to no request.
        idle_since: by Trio's clock; means nothing while it `is_busy`.
        version: the revision that was agreed; None before.
    """

    def __init__(
        self,
        id_: str,
        owner: Principal | None,
        service: Answering,
        calls: Supervisor,
        quota: Quota | None = None,
    ) -> None:
        place = HttpPlace(
            session_id=id_,
            actor_id=None if owner is None else owner.client_id,
            find_stream=self._find_stream_of,
        )
        self.id: Final = id_
        self.owner: Final = owner
        self.own: Final = EventStream()
        self.idle_since: float = trio.current_time()
        self.version: str | None = None
        self._quota: Final = Quota() if quota is None else quota
        self._calls: Final = calls
        self._conversation: Final = McpConversation(
            service, transport="http", audience=self, place=place.locate
        )
        self._desks: Final[dict[RequestId, HttpDesk]] = {}
        self._running: Final[dict[RequestId, LiveCall]] = {}
        self._waiting: Final[dict[RequestId, LiveCall]] = {}
        self._streams: Final[dict[int, EventStream]] = {}
        self._last_stream = 0
        self._turns = 0
        self._question_ids: Final = itertools.count(1)
        self._held = 0
        changes: object = getattr(service, "changes", None)
        tasks: object = getattr(service, "tasks", None)
        self._tasks = tasks if isinstance(tasks, TaskOffice) else None
        if self._tasks is not None:
            self._tasks.begin_session(id_, self._note_activity)
        self._leave = changes.join(self) if isinstance(changes, ChangeHub) else _do_nothing

    @property
    def is_resumable(self) -> bool:
        """Whether its streams can be read on after a lost connection."""
        return self.version is not None and self.version >= RESUMABLE_SINCE

    @property
    def is_busy(self) -> bool:
        """Whether something runs, tasks included, or somebody reads."""
        return bool(self._held or self._desks) or (
            self._tasks is not None and self._tasks.works_for(self.id)
        )

    @contextmanager
    def held(self) -> Generator[None, None, None]:
        """Keep the session from being idle for a block."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            self.idle_since = trio.current_time()

    def make_stream(self) -> EventStream:
        """A stream for one request."""
        self._last_stream += 1
        stream = EventStream(self._last_stream, keeps=self.is_resumable)
        if stream.keeps:
            self._streams[stream.number] = stream
        return stream

    def has_numbered(self, number: int) -> bool:
        """Whether there ever was a stream of that number whose events say where they are."""
        return self.is_resumable and number <= self._last_stream

    def find_stream(self, number: int) -> EventStream | None:
        """The stream of that number, if it is still there."""
        return self.own if number == 0 else self._streams.get(number)

    def forget(self, stream: EventStream) -> None:
        """Nobody will come back for *stream*."""
        self._streams.pop(stream.number, None)

    def take(self, request: Request, stream: EventStream) -> None:
        """Answer *request* on *stream*; never waits, never raises."""
        try:
            line = self._admit(request, stream)
        except Exception as error:  # noqa: BLE001  # boundary: one request never ends a session
            line = encode_error(request.id, to_rpc_error(error, request.method, request.id))
        if line is not None:
            stream.post(line)
            stream.end()

    def receive(self, message: Notification | Response) -> None:
        """Take what has no answer; never waits, never raises."""
        if isinstance(message, Response):
            for desk in self._desks.values():
                desk.questions.settle(message)
        elif message.method == "notifications/cancelled":
            self._cancel(message.params)
        else:
            self._conversation.receive(message.method, message.params)

    def tell(self, method: str, params: JsonObject) -> None:
        """See `exchange.Audience.tell`.  Dropped while the client leaves a lot unread."""
        if self.own.posted_bytes > MAX_UNREAD_BYTES:
            log.warning("%s was dropped: the client does not read", method)
            return
        try:
            line = encode_call(method, params)
        except (RpcError, TypeError, ValueError, RecursionError) as error:
            log.warning("%s was dropped: %s", method, error)
        else:
            self.own.post(line)

    def end(self) -> None:
        """Cancel everything and let everybody go.  Nothing may be taken afterwards."""
        self._leave()
        if self._tasks is not None:
            actor_id = None if self.owner is None else self.owner.client_id
            self._tasks.end_session(self.id, actor_id)
        for id_ in [*self._waiting, *self._running]:
            self._cancel({"requestId": id_, "reason": "the session has ended"})
        self.own.end()
        self._streams.clear()

    def _admit(self, request: Request, stream: EventStream) -> bytes | None:
        if request.id in self._desks:
            why = f"Invalid Request: a request with the id {request.id!r} is in flight"
            raise RpcError(INVALID_REQUEST, why)
        result = self._conversation.admit(request.method, request.params)
        if result is not None:
            if request.method == "initialize":
                self.version = str(result["protocolVersion"])
                self.own.keeps = self.is_resumable
            return encode_result(request.id, result)
        if len(self._waiting) >= self._quota.max_waiting:
            raise self._busy()
        desk = HttpDesk(
            self._conversation,
            stream,
            calls=self._calls,
            ids=self._question_ids,
            on_leave=self._take_leave,
        )
        self._desks[request.id] = desk
        self._start(LiveCall(request, desk))
        return None

    def _start(self, call: LiveCall) -> None:
        if not call.takes_turn or self._turns < self._quota.max_running:
            self._running[call.id] = call
            self._turns += call.takes_turn
            self._calls.start(call)
        else:
            self._waiting[call.id] = call

    def _take_leave(self, call: LiveCall) -> None:
        del self._running[call.id], self._desks[call.id]
        self._turns -= call.takes_turn
        self.idle_since = trio.current_time()
        self._tidy()
        if self._waiting and self._turns < self._quota.max_running:
            self._start(self._waiting.pop(next(iter(self._waiting))))

    def _cancel(self, params: JsonObject) -> None:
        id_ = params.get("requestId")
        if not isinstance(id_, str) and type(id_) is not int:
            return
        if self._waiting.pop(id_, None) is not None:
            self._desks.pop(id_).stream.end()
        elif id_ in self._running:
            self._running[id_].cancel(f"cancelled by the client: {params.get('reason')}")

    def _note_activity(self) -> None:
        self.idle_since = trio.current_time()

    def _tidy(self) -> None:
        """Let go of ended streams that nobody reads, the newest of them excepted.

        Those that were read to their end go first, and the oldest.
        """
        ended = [item for item in self._streams.values() if item.is_ended and not item.is_read]
        ended.sort(key=lambda stream: stream.read_number < stream.last_number)
        total = sum(stream.kept_bytes for stream in ended)
        for count, stream in zip(range(len(ended), 1, -1), ended, strict=False):
            if count <= MOST_STREAMS and total <= MOST_KEPT_BYTES:
                break
            total -= stream.kept_bytes
            self.forget(stream)

    def _find_stream_of(self, id_: RequestId) -> EventStream | None:
        desk = self._desks.get(id_)
        return None if desk is None else desk.stream

    def _busy(self) -> RpcError:
        running, waiting = self._quota.max_running, self._quota.max_waiting
        return RpcError(
            SERVER_BUSY,
            f"server-busy: {running} calls run and {waiting} wait in this session; try again when"
            " some of them have been answered",
            {"code": "server-busy", "maxRunning": running, "maxWaiting": waiting},
        )


def _do_nothing() -> None:
    pass
