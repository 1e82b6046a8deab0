"""Standard error that nobody's work depends on: what cannot be written is lost, and counted.

What a component prints is no part of its result, so a full disk, a closed stream and a reader that
has left cost nothing but the text.  When there is room again, it says how much was lost.

A reader that is slow is another matter.  A person's terminal is waited for.  A host may open our
standard error as a pipe and never read it: once that is full, an ordinary `print` would stop the
server for good.  There a write waits a moment for room, then gives up, and from then on drops
everything at once until there is room.

What it cannot help: programs, and C code, that write to descriptor 2 themselves.  And Windows,
where nobody can ask a pipe for room.
"""

from __future__ import annotations

import io
import os
import select
import threading
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer

PATIENCE_S: Final = 0.1
"""A reader that is merely busy empties a pipe in much less."""

_PIECE: Final = getattr(select, "PIPE_BUF", 512)
"""A pipe that says it has room takes this much without waiting."""


@final
class LossyWriter(io.RawIOBase):
    """Writes bytes to a descriptor, or loses them; from any thread.

    Args:
        fd: where to; never closed here.
        waits: a slow reader is waited for, as long as it takes.

    Attributes:
        lost_bytes: that could not be written, in all.
    """

    def __init__(self, fd: int, *, waits: bool = False) -> None:
        super().__init__()
        self._fd: Final = fd
        self._waits: Final = waits
        # A signal handler may write in the middle of a write.
        self._turn: Final = threading.RLock()
        self._patience_s = PATIENCE_S
        self._unreported = 0
        self.lost_bytes: int = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def close(self) -> None:
        """Do nothing: who closes `sys.stdout` must not silence everybody else."""

    def fileno(self) -> int:
        """The descriptor."""
        return self._fd

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._fd)

    def write(self, data: ReadableBuffer, /) -> int:
        """Write *data* or lose some of it; claims to have written everything."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        with self._turn:
            if self._unreported:
                self._report()
            while rest and (count := self._put(rest[:_PIECE])):
                rest = rest[count:]
            self._unreported += len(rest)
            self.lost_bytes += len(rest)
        return size

    def _report(self) -> None:
        notice = f"trio-agent: {self._unreported} bytes of standard error were lost\n".encode()
        if self._put(notice):
            self._unreported = 0

    def _put(self, piece: bytes | memoryview) -> int:
        """Write *piece* if there is room; how much was written."""
        try:
            return os.write(self._fd, piece) if self._has_room() else 0
        except OSError:
            return 0

    def _has_room(self) -> bool:
        """Whether a piece can be written without waiting for long."""
        if not hasattr(select, "poll"):
            return True
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        if self._waits:
            return bool(poll.poll())
        has_room = bool(poll.poll(self._patience_s * 1000))
        # Waiting once is courtesy; waiting at every line would be slow death.
        self._patience_s = PATIENCE_S if has_room else 0.0
        return has_room


def open_lossy(like: TextIO | None, fd: int, *, waits: bool = False) -> io.TextIOWrapper:
    """A text stream over a `LossyWriter`, in the encoding of *like*, line by line."""
    return io.TextIOWrapper(
        LossyWriter(fd, waits=waits),  # type: ignore[arg-type]  # it takes everything it is given, as a buffer does
        encoding=getattr(like, "encoding", None) or "utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )
