"""The outlet: everything that one connection writes goes through here, line by line.

Most lines find an empty queue and room in the pipe, and are written where they come from, without
waking a task.  The others queue for the writer, which is the outlet's own task.

Rules:

* lines leave in the order in which they came;
* a line is written whole or not at all: whoever brought it may be cancelled, the writer is
  cancelled when the connection ends and not before;
* `send` waits, and that is what back-pressure is; `post` never waits, so that the answer to a
  `ping` needs no task.  Who posts looks at `posted_bytes`;
* a line that is withdrawn before its first byte has left is never written;
* when the reader has left, every line is dropped, and whoever waits is let go.

Two lines that the reader must not find in one read are kept apart by `wait_taken` between them.
The official TypeScript client forgets who waits for progress when it reads the answer, and so
reports an error if it reads both at once, however long after each other they were written.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Final, final

import trio

from actors import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.surfaces.mcp.stdio.descriptors import Drain

TAKEN_S: Final = 5.0
"""How long a reader may be busy with something else before we write on."""

_log: Final = logging.getLogger("trio_agent.mcp")
_NOTHING: Final = memoryview(b"")


@final
class _Parcel:
    """A line in the queue."""

    __slots__ = ("gone", "has_begun", "posted", "rest")

    def __init__(self, rest: memoryview, *, has_begun: bool, posted: int) -> None:
        self.rest = rest
        self.has_begun = has_begun
        self.posted: Final = posted
        self.gone: Final[Reply[None]] = Reply()


@final
class Outlet:
    """Writes lines to a drain: an actor.

    Args:
        drain: where to.
        on_gone: called once when the reader has left, from wherever that is noticed.
    """

    def __init__(self, drain: Drain, on_gone: Callable[[], object]) -> None:
        self._drain: Final = drain
        self._on_gone: Final = on_gone
        self._queue: Final[deque[_Parcel]] = deque()
        self._sleep: Reply[None] | None = None
        self.posted_bytes: int = 0
        """Bytes of the lines that were posted and are not written yet."""
        self.is_gone: bool = False
        """Whether the reader has left."""
        self._written = 0

    def post(self, line: bytes) -> None:
        """Write *line* as soon as possible; never waits, never raises."""
        self._hand_in(line, posted=len(line))

    async def send(self, line: bytes) -> None:
        """Write *line*; wait until it is written, or the reader has left.

        If this is cancelled before the first byte has left, nothing of it is written; after that,
        everything is.
        """
        await trio.lowlevel.checkpoint_if_cancelled()  # noqa: TID251  # costs no turn of the loop
        parcel = self._hand_in(line, posted=0)
        if parcel is None:
            return
        try:
            await parcel.gone.take()
        finally:
            if not (parcel.has_begun or parcel.gone.is_given):
                self._queue.remove(parcel)

    async def wait_taken(self) -> None:
        """Wait until the reader has taken everything that is written by now, or 5 s.

        Where the system cannot tell, that is at once.
        """
        mark, pause = self._written, 0.001
        patience = trio.current_time() + TAKEN_S
        await trio.lowlevel.checkpoint_if_cancelled()  # noqa: TID251  # costs no turn of the loop
        # Nothing wakes us, so we look: often at first, since most readers take no time.
        while self._written - self._drain.count_unread() < mark:
            if self.is_gone or trio.current_time() >= patience:
                return
            await trio.sleep(pause)
            pause = min(2 * pause, 0.05)

    async def flush(self) -> None:
        """Wait until everything that is queued now is written, or the reader has left."""
        if self._queue:
            await self._queue[-1].gone.take()
        else:
            await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint

    async def run(self) -> None:
        """Write what is queued, until the reader has left."""
        while not self.is_gone:
            if self._queue:
                await self._write()
            else:
                self._sleep = Reply()
                await self._sleep.take()

    async def watch(self) -> None:
        """Notice that the reader has left, also when there is nothing to write."""
        await self._drain.wait_gone()
        self._lose()

    def _hand_in(self, line: bytes, *, posted: int) -> _Parcel | None:
        """Write *line* now, or queue what could not be written of it; None if nothing is left."""
        if self.is_gone:
            return None
        taken = 0
        if not self._queue:
            try:
                taken = self._drain.write_nowait(line)
            except OSError as error:
                self._lose(error)
                return None
            self._written += taken
            if taken == len(line):
                return None
        parcel = _Parcel(memoryview(line)[taken:], has_begun=taken > 0, posted=posted)
        self._queue.append(parcel)
        self.posted_bytes += posted
        if self._sleep is not None:
            self._sleep.give(None)
            self._sleep = None
        return parcel

    async def _write(self) -> None:
        try:
            count = await self._drain.write(self._begin)
        except OSError as error:
            self._lose(error)
            return
        self._written += count
        # What `_begin` has begun is still the first; nothing has been written of another one.
        if self._queue:
            parcel = self._queue[0]
            parcel.rest = parcel.rest[count:]
            if not parcel.rest:
                self._leave(self._queue.popleft())

    def _begin(self) -> memoryview:
        if not self._queue:
            return _NOTHING
        self._queue[0].has_begun = True
        return self._queue[0].rest

    def _leave(self, parcel: _Parcel) -> None:
        self.posted_bytes -= parcel.posted
        parcel.gone.give(None)

    def _lose(self, error: OSError | None = None) -> None:
        if self.is_gone:
            return
        if error is not None and not isinstance(error, ConnectionError):
            # A full disk, not a reader that has left.
            _log.error("the output cannot be written: %s", error)
        self.is_gone = True
        while self._queue:
            self._leave(self._queue.popleft())
        if self._sleep is not None:
            self._sleep.give(None)
            self._sleep = None
        self._on_gone()
