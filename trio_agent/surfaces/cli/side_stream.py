"""What stands for `sys.stdout` and `sys.stderr` while a command runs: standard error, or nothing.

What a component prints is no part of its result, so it must not cost the result when standard
error cannot be written: a disk that is full, a reader that has left.  Then it is lost.  A reader
that is merely slow is waited for, as always.

Not caught: programs that a component starts, and code that writes to descriptor 2 itself.
"""

from __future__ import annotations

import io
import os
import select
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer


@final
class SideStream(io.RawIOBase):
    """Writes bytes to a descriptor, or loses them; never raises.

    Args:
        fd: where to; never closed here.
    """

    def __init__(self, fd: int) -> None:
        super().__init__()
        self._fd: Final = fd

    def writable(self) -> bool:
        """Yes."""
        return True

    def close(self) -> None:
        """Do nothing: who closes `sys.stdout` must not silence everybody else."""

    def fileno(self) -> int:
        """The descriptor: for programs that are started with it."""
        return self._fd

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._fd)

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all of *data*, or lose the rest; claims to have written everything."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        while rest:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                # Whoever shares the descriptor made it non-blocking.
                select.select([], [self._fd], [])
            except OSError:
                break
        return size


def open_side_stream(like: TextIO | None, fd: int) -> io.TextIOWrapper:
    """A text stream over a `SideStream`, in the encoding of *like*, line by line."""
    return io.TextIOWrapper(
        SideStream(fd),  # type: ignore[arg-type]  # it takes everything it is given, as a buffer does
        encoding=getattr(like, "encoding", None) or "utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )
