"""What a component prints while the terminal shows a live picture.

`sys.stdout` and `sys.stderr` write here, so that the text appears above the picture instead of
tearing it.  While there is no picture it goes straight through.  It says that it is no terminal:
a progress bar of some library would otherwise draw over ours.

Not caught: programs that a component starts and that inherit the terminal.
"""

from __future__ import annotations

import io
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final, cast, final

from trio_agent.surfaces.cli.streams import STDERR

if TYPE_CHECKING:
    from collections.abc import Generator

    from trio_agent.surfaces.cli.output_stream import OutputStream

MOST_HELD: Final = 2**20
"""Bytes that wait for a terminal that takes nothing; the oldest go first."""


@final
class Aside:
    """The byte stream below the text streams; may be written from any thread."""

    closed: Final = False

    def __init__(self, stderr: OutputStream) -> None:
        self._stderr: Final = stderr
        self._lock: Final = threading.Lock()
        self._held: bytes | None = None

    def open_text(self) -> io.TextIOWrapper:
        """A text stream that writes here."""
        return io.TextIOWrapper(
            cast("BinaryIO", self),
            encoding=self._stderr.encoding,
            errors="backslashreplace",
            write_through=True,
        )

    def hold(self) -> None:
        """Keep from now on what is written, until somebody takes it."""
        with self._lock:
            self._held = self._held or b""

    def take_lines(self) -> bytes:
        """The whole lines that were held."""
        with self._lock:
            if self._held is None:
                return b""
            lines, feed, self._held = self._held.rpartition(b"\n")
            return lines + feed

    def release(self) -> bytes:
        """Everything that was held, ended by a line feed; from now on nothing is held."""
        with self._lock:
            held, self._held = self._held or b"", None
        return held + b"\n" if held and not held.endswith(b"\n") else held

    def write(self, data: bytes) -> int:
        """Take bytes; what cannot be written is lost, as it is no component's business."""
        with self._lock:
            if self._held is not None:
                self._held = (self._held + data)[-MOST_HELD:]
                return len(data)
        self._stderr.write_last(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing: nothing stays here while it could go on."""

    def close(self) -> None:
        """Nothing: what is below belongs to somebody else."""

    def readable(self) -> bool:
        """No."""
        return False

    def writable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """No."""
        return False

    def isatty(self) -> bool:
        """No; see the module."""
        return False

    def fileno(self) -> int:
        """Standard error: for programs that are started with it."""
        return STDERR


@contextmanager
def printing_aside(stderr: OutputStream) -> Generator[Aside, None, None]:
    """Let everything that is printed within the block go through an `Aside`."""
    aside = Aside(stderr)
    text = aside.open_text()
    printed = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = text
    try:
        yield aside
    finally:
        sys.stdout, sys.stderr = printed
        text.detach()
