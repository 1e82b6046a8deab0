"""The two ends of one connection over bytes, whoever serves it: frames come in, lines go out.

    Source ─► Splitter ─► frames        outlet ─► Drain

It owns the outlet's task, notes activity for the heartbeat, and knows when the end has begun.
What a frame means, and when enough has been waited for, is up to `connection` and
`sdk_connection`, which stand on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict, final

import attrs
import trio

from actors import open_supervisor
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.rpc import INVALID_REQUEST
from trio_agent.surfaces.mcp.stdio.framing import MAX_FRAME_BYTES, Frame, Oversized, Splitter
from trio_agent.surfaces.mcp.stdio.outlet import Outlet
from trio_agent.surfaces.mcp.wire.dispatcher import Quota
from trio_agent.surfaces.mcp.wire.jsonrpc import Message, Refusal, parse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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

    __repr__ = shown


class LineOptions(TypedDict, total=False):
    """What may be said about a connection.

    Attributes:
        terms: its numbers; the defaults if None.
        heartbeat: told when something is read, and run; None for silence.
        on_ending: called once, as soon as the end begins.
    """

    terms: Terms | None
    heartbeat: Heartbeat | None
    on_ending: Callable[[], object]


@final
class Lines:
    """The ends of one connection.

    Args:
        source: what the client writes.
        drain: what it reads.
        options: see there.

    Attributes:
        terms: the numbers of the connection.
        outlet: where lines go.
        serving: cancelled when the connection is told to end, or nobody reads any more.
    """

    def __init__(self, source: Source, drain: Drain, options: LineOptions) -> None:
        self._source: Final = source
        self._heartbeat: Final = options.get("heartbeat")
        self._on_ending: Final = options.get("on_ending")
        self.terms: Final[Terms] = options.get("terms") or Terms()
        self.serving: Final = trio.CancelScope()
        self.outlet: Final = Outlet(drain, self.serving.cancel)
        self._splitter: Final = Splitter(self.terms.max_frame_bytes)

    def stop(self) -> None:
        """Let it end now; never waits.  In the Trio thread only."""
        self.serving.cancel("the server was told to end")

    async def run(self, serve: Callable[[], Awaitable[object]]) -> None:
        """Write what is queued for as long as *serve* lasts, and a moment longer."""
        async with open_supervisor() as supervisor:
            supervisor.start(self.outlet)
            supervisor.call(self.outlet.watch)
            if self._heartbeat is not None:
                supervisor.start(self._heartbeat)
            await serve()
            with trio.move_on_after(self.terms.flush_s):
                await self.outlet.flush()
            supervisor.stop("the connection has ended")

    async def read(self, take: Callable[[list[Frame]], Awaitable[object]]) -> None:
        """Give every frame to *take*, until the client has ended; the end begins then."""
        try:
            while data := await self._source.receive():
                if self._heartbeat is not None:
                    self._heartbeat.note_activity(trio.current_time())
                await take(self._splitter.feed(data))
            await take(self._splitter.finish())
        finally:
            if self._on_ending is not None:
                self._on_ending()


def to_message(frame: Frame) -> Message:
    """Read a frame, also one that was too large to be kept; never raises."""
    if isinstance(frame, Oversized):
        why = f"Invalid Request: a message has at most {frame.max_bytes} bytes, this one has more"
        return Refusal(id=None, code=INVALID_REQUEST, message=why)
    return parse(frame)
