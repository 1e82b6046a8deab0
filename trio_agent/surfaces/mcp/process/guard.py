"""The guard: nobody but the protocol uses standard input and output.

`redirect_stdout` keeps private duplicates of both for the protocol.  Then descriptor 0 is the null
device and descriptor 1 is standard error, for prints, C code and child processes alike, and so is
`sys.stdout`.  It has to be called before the first author's module is imported, and lasts until
the process ends.

`sys.stderr` never blocks afterwards; see `lossy`.  A server that speaks over the network has no
use for the rest of this, and takes only that: `unblocked`.

Rules:

* a standard stream that was closed before the process began is occupied, so that no file opened
  later gets its number by accident;
* what was written to `sys.stdout` before, and is still in its buffer, goes to standard error;
* a wrapper that a module put over `sys.stdout` meanwhile is dropped, with a warning, when the
  protocol begins: it would write through descriptor 1 and so do no harm, but what it was meant
  for will not happen.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Final, final

from trio_agent.context.lossy import open_lossy

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TextIO

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2


@final
class StandardIO:
    """The descriptors of the protocol, and what was put in their place.

    Attributes:
        source_fd: what the client writes.
        drain_fd: what the client reads.
        stderr: where everything goes that is no protocol.
    """

    def __init__(self) -> None:
        _occupy_closed()
        self._streams: Final = (sys.stdout, sys.stderr)
        self.source_fd: Final = os.dup(STDIN)
        self.drain_fd: Final = os.dup(STDOUT)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, STDIN)
        os.close(null)
        os.dup2(STDERR, STDOUT)
        _flush(sys.stdout)
        _flush(sys.stderr)
        self.stderr: Final[TextIO] = open_lossy(sys.stderr, STDERR)
        sys.stdout = sys.stderr = self.stderr

    def drop_wrapper(self) -> bool:
        """Take back `sys.stdout` from whoever has replaced it; whether somebody had."""
        if sys.stdout is self.stderr:
            return False
        wrapper: object = sys.stdout
        kind = type(wrapper)
        sys.stdout = self.stderr
        self.stderr.write(
            f"trio-agent: sys.stdout was replaced by a {kind.__module__}.{kind.__qualname__};"
            " that is undone, since standard output belongs to the protocol\n"
        )
        return True

    def release(self) -> None:
        """Give everything back, for a process that goes on: a test."""
        os.dup2(self.source_fd, STDIN)
        os.dup2(self.drain_fd, STDOUT)
        os.close(self.source_fd)
        os.close(self.drain_fd)
        sys.stdout, sys.stderr = self._streams
        _held.clear()


_held: Final[list[StandardIO]] = []


def redirect_stdout() -> StandardIO:
    """Keep standard input and output for the protocol, from now on; the same one when repeated."""
    if not _held:
        _held.append(StandardIO())
    return _held[0]


@contextlib.contextmanager
def unblocked() -> Generator[None, None, None]:
    """Let nobody wait who writes to `sys.stdout` or `sys.stderr` in this block.

    A stream that somebody has put in the place of the process's own is left alone.
    """
    _occupy_closed()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _unblocked(sys.stdout, STDOUT), _unblocked(sys.stderr, STDERR)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _unblocked(stream: TextIO, fd: int) -> TextIO:
    with contextlib.suppress(AttributeError, OSError, ValueError):
        # None is what Python has of a stream that was closed before it began.
        if stream.fileno() == fd:
            _flush(stream)
            return open_lossy(stream, fd)
    return stream


def take_streams_back() -> None:
    """Put our streams in place again, before a guarded process ends.

    Python makes its exit code 120 when what stands there then cannot be flushed.
    """
    for standard_io in _held:
        sys.stdout = sys.stderr = standard_io.stderr


def _occupy_closed() -> None:
    """Open the null device in place of each standard stream that is closed."""
    for fd in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(fd)
        except OSError:
            # The lowest free number is given away first, and everything below *fd* is taken.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003  # the call takes it by place only


def _flush(text: TextIO | None) -> None:
    with contextlib.suppress(OSError, ValueError):
        if text is not None:
            text.flush()
