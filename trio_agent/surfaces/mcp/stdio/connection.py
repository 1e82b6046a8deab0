"""One connection over bytes: its life from the first byte to the last.

    Source ─► Splitter ─► parse ─► Dispatcher ─► LiveCall* ─► Outlet ─► Drain
    (one loop, without a task or a link between)  (tasks)      (a task when the pipe is full)

How it ends:

* the input ends: calls that are running or waiting have a grace period, then they are cancelled;
* `stop`, or nobody reads what we write any more: they are cancelled at once.

What was not answered by then is answered with an error, what is queued has a moment to be written,
and `run` returns.  Cleanups that are shielded can hold it up; the process has a `watchdog`.

Nothing here knows which descriptors, signals or exit codes there are: that is `stdio`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs
import trio

from actors import open_supervisor
from trio_agent.surfaces.mcp.rpc import INVALID_REQUEST
from trio_agent.surfaces.mcp.stdio.framing import MAX_FRAME_BYTES, Frame, Oversized, Splitter
from trio_agent.surfaces.mcp.stdio.outlet import Outlet
from trio_agent.surfaces.mcp.wire.dispatcher import Dispatcher, MakeConversation, Quota
from trio_agent.surfaces.mcp.wire.jsonrpc import Message, Refusal, parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.surfaces.mcp.process.heartbeat import Heartbeat
    from trio_agent.surfaces.mcp.stdio.descriptors import Drain, Source

GRACE_S: Final = 1.0
"""After the end of the input.  Official clients send SIGTERM 2 s after they closed it."""

FLUSH_S: Final = 0.1
"""For what is queued when everything is over; a client that reads at all needs much less."""

FLOOD_BYTES: Final = 16 * 1024 * 1024
"""The reader stops only for a client that leaves as much of its immediate answers unread: more
than a hundred thousand.  Without that, such a client could take all memory."""


@final
@attrs.frozen(kw_only=True)
class Terms:
    """The numbers of a connection.

    Attributes:
        max_frame_bytes: of one incoming frame.
        grace_s: for calls, after the end of the input.
        flush_s: for what is queued, at the very end.
        flood_bytes: of immediate answers that the client leaves unread.
        quota: how many calls.
    """

    max_frame_bytes: int = MAX_FRAME_BYTES
    grace_s: float = GRACE_S
    flush_s: float = FLUSH_S
    flood_bytes: int = FLOOD_BYTES
    quota: Quota = attrs.field(factory=Quota)


@final
class Connection:
    """Serves one client: an actor.

    Args:
        source: what the client writes.
        drain: what it reads.
        make_conversation: see `dispatcher.MakeConversation`.
        terms: see there.
        heartbeat: told when something is read, and run; None for silence.
        on_ending: called once, as soon as the end begins.
    """

    def __init__(
        self,
        source: Source,
        drain: Drain,
        make_conversation: MakeConversation,
        *,
        terms: Terms | None = None,
        heartbeat: Heartbeat | None = None,
        on_ending: Callable[[], object] = lambda: None,
    ) -> None:
        self._source: Final = source
        self._make_conversation: Final = make_conversation
        self._terms: Final = Terms() if terms is None else terms
        self._heartbeat: Final = heartbeat
        self._on_ending: Final = on_ending
        self._serving: Final = trio.CancelScope()
        self._outlet: Final = Outlet(drain, self._serving.cancel)
        self._splitter: Final = Splitter(self._terms.max_frame_bytes)

    def stop(self) -> None:
        """Let it end now; never waits.  In the Trio thread only."""
        self._serving.cancel("the server was told to end")

    async def run(self) -> None:
        """Serve until the end."""
        async with open_supervisor() as supervisor:
            supervisor.start(self._outlet)
            supervisor.call(self._outlet.watch)
            if self._heartbeat is not None:
                supervisor.start(self._heartbeat)
            await self._serve()
            supervisor.stop("the connection has ended")

    async def _serve(self) -> None:
        async with open_supervisor() as calls:
            dispatcher = Dispatcher(self._make_conversation, self._outlet, calls, self._terms.quota)
            with self._serving:
                try:
                    await self._read(dispatcher)
                finally:
                    self._on_ending()
                    dispatcher.end_input()
                with trio.move_on_after(self._terms.grace_s):
                    await dispatcher.wait_idle()
            calls.stop("the connection ends")
        dispatcher.answer_unfinished()
        with trio.move_on_after(self._terms.flush_s):
            await self._outlet.flush()

    async def _read(self, dispatcher: Dispatcher) -> None:
        """Take everything that the client writes, until its end."""
        while data := await self._source.receive():
            if self._heartbeat is not None:
                self._heartbeat.note_activity(trio.current_time())
            await self._take(dispatcher, self._splitter.feed(data))
            if self._outlet.posted_bytes > self._terms.flood_bytes:
                await self._outlet.flush()
        await self._take(dispatcher, self._splitter.finish())

    async def _take(self, dispatcher: Dispatcher, frames: list[Frame]) -> None:
        for frame in frames:
            dispatcher.receive(to_message(frame))
            if dispatcher.is_crowded:
                await trio.lowlevel.checkpoint()  # noqa: TID251  # a turn for the calls, no more


def to_message(frame: Frame) -> Message:
    """Read a frame, also one that was too large to be kept; never raises."""
    if isinstance(frame, Oversized):
        why = f"Invalid Request: a message has at most {frame.max_bytes} bytes, this one has more"
        return Refusal(id=None, code=INVALID_REQUEST, message=why)
    return parse(frame)
