"""The standard streams of the process, held by the command line alone while a command runs.

Rules kept here:
* Nobody but us writes to standard output.  While it is held, descriptor 1 and `sys.stdout` are
  standard error: the prints of a component, and of the programs it starts, cannot get into the
  document or the JSON.
* A write is whole: what the system takes in pieces is offered again, and a descriptor that
  somebody else made non-blocking is waited for.
* Two writes never mix, also when the first was abandoned in its thread.
* `write_last` never hangs.  It is for a process that is about to end, whose reader may have
  stopped reading long ago (Ctrl-S, a full pipe).
* A stream that was closed before the process began stays closed: its number is occupied, so
  that no file opened later becomes standard output by accident.

Not here: what is written, and threads.  Imports no Trio, because help does not need it.
"""

from __future__ import annotations

import contextlib
import os
import select
import stat
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, final

import attrs

from trio_agent.context.lossy import open_lossy
from trio_agent.context.terminal import Terminal, probe_terminal
from trio_agent.shown import shown
from trio_agent.surfaces.cli.output_stream import WriteOrder

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from typing import TextIO

    from trio_agent.context.terminal import HostSurface
    from trio_agent.protocol.output import Output
    from trio_agent.surfaces.cli.output_stream import OutputStream

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2

PATIENCE_S: Final = 0.2
"""How long the last words wait for a terminal or a pipe that takes nothing: too short to notice,
long enough for a busy terminal to catch up."""


@final
class ByteStream:
    """One stream that bytes are written to, from any thread.

    Attributes:
        fd: its descriptor; None when there is none.
        name: how errors call it.
        encoding: how text becomes bytes.
        is_terminal: what it obeys must not be written to it.
        is_file: a regular file, which takes everything at once.
        order: of the writes in threads.
    """

    __slots__ = ("_turn", "encoding", "fd", "is_file", "is_terminal", "name", "order")

    def __init__(self, fd: int | None, name: str, *, encoding: str, is_terminal: bool) -> None:
        self.fd: Final = fd
        self.name: Final = name
        self.encoding: Final = encoding
        self.is_terminal: Final = is_terminal
        self.is_file: Final = fd is not None and stat.S_ISREG(os.fstat(fd).st_mode)
        self.order: Final = WriteOrder()
        self._turn: Final = threading.Lock()

    def encode(self, output: Output) -> bytes:
        """The bytes of *output* on this stream; never fails."""
        return output.encoded(self.encoding, on_terminal=self.is_terminal)

    def write(self, data: bytes) -> None:
        """Write all of *data*; blocks as long as the reader does not read.

        Raises:
            OSError: it cannot be written; `BrokenPipeError` when nobody reads any more.
        """
        with self._turn:
            self._write(data)

    def write_last(self, data: bytes, patience_s: float = PATIENCE_S) -> bool:
        """Write *data* if that is possible soon; whether it was written.  Never raises.

        Args:
            data: short, or it may not fit into the room that there is.
            patience_s: how long to wait for a write that is under way, and then for room.
        """
        if self.fd is None or not self._turn.acquire(timeout=patience_s):
            return False
        try:
            if not _has_room(self.fd, patience_s):
                return False
            self._write(data)
        except OSError:
            return False
        finally:
            self._turn.release()
        return True

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            if self.fd is None:
                raise OSError("it is closed")
            try:
                rest = rest[os.write(self.fd, rest) :]
            except BlockingIOError:
                # Whoever shares the descriptor made it non-blocking; a Node parent does that.
                _has_room(self.fd, None)


def _has_room(fd: int, patience_s: float | None) -> bool:
    """Whether *fd* takes bytes, or will within *patience_s*; None waits for ever."""
    if not hasattr(select, "poll"):
        return True  # Windows cannot tell
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    # A reader that has left counts as room: the write then says so.
    return bool(poll.poll(None if patience_s is None else patience_s * 1000))


@final
@attrs.frozen(kw_only=True)
class StandardStreams:
    """Where the output of this process goes.

    Attributes:
        stdout: for the document, the value or the events, and nothing else.
        stderr: for everything else.
        terminal: what the two are, as it was before they were held.
        environ: says what the terminal can do, and its size when it cannot be asked.
    """

    stdout: OutputStream
    stderr: OutputStream
    terminal: Terminal
    environ: Mapping[str, str] = os.environ

    __repr__ = shown

    def write(self, output: Output) -> None:
        """Write one output; blocks.

        Raises:
            OSError: see `OutputStream.write`.
        """
        stream = self.of(output.stream)
        stream.write(stream.encode(output))

    def of(self, name: Literal["stdout", "stderr"]) -> OutputStream:
        """The stream of that name."""
        return self.stdout if name == "stdout" else self.stderr


@contextmanager
def hold_standard_streams(
    *, surface: HostSurface = "cli", for_good: bool = False
) -> Generator[StandardStreams, None, None]:
    """Hold the standard streams for a block; see the rules of this module.

    Args:
        surface: the door that the invocation comes in by, `cli` or `script`.
        for_good: the process ends with the block, so standard output is not given back: what
            threads and exit handlers still print must not come after the document.
    """
    terminal = probe_terminal(surface, os.environ, STDOUT, STDERR)
    _occupy_closed()
    held = os.dup(STDOUT)
    document = _stream(sys.stdout, held if terminal.stdout.kind != "none" else None, "output")
    errors = _stream(sys.stderr, STDERR if terminal.stderr.kind != "none" else None, "error")
    printed = sys.stdout, sys.stderr
    for text in printed:
        _flush(text)
    os.dup2(STDERR, STDOUT)
    # Python has none when one was closed, but who writes to it expects something.
    sys.stdout = sys.stderr = open_lossy(sys.stderr, STDERR, waits=True)
    try:
        yield StandardStreams(stdout=document, stderr=errors, terminal=terminal)
    finally:
        # What was written past the two is still in there.
        for text in (sys.stderr, *printed):
            _flush(text)
        if not for_good:
            sys.stdout, sys.stderr = printed
            os.dup2(held, STDOUT)
        # The reader must see the end, but a thread that is stuck in a write keeps its number.
        if document.write_last(b"", 0) or document.fd is None:
            os.close(held)


def _stream(text: TextIO | None, fd: int | None, name: str) -> ByteStream:
    return ByteStream(
        fd,
        f"standard {name}",
        # `sys` has heard of PYTHONIOENCODING and of the locale; there is no better source.
        encoding=getattr(text, "encoding", None) or "utf-8",
        is_terminal=fd is not None and os.isatty(fd),
    )


def _occupy_closed() -> None:
    """Open the null device in place of each standard stream that is closed."""
    for fd in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(fd)
        except OSError:
            # The lowest free number is given away first, and everything below *fd* is taken.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003  # the call takes it by place only


def _flush(text: TextIO | None) -> None:
    # What an author printed into a pipe that nobody reads is lost either way.
    with contextlib.suppress(OSError, ValueError):
        if text is not None:
            text.flush()
