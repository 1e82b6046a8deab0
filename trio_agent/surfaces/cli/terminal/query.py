r"""Asking the terminal itself: one question, a short wait, and nothing left behind.

A terminal answers as if somebody had typed the answer.  So the question is put only when we may
read what is typed, and between the question and the end of the answer nothing is echoed.

Rules kept here:
* Standard input, output and error are one terminal, and it is ours: a process in the background
  would be stopped.
* What somebody typed ahead is left to the shell: then nothing is asked.
* Ctrl-C stays Ctrl-C.  Only echo and waiting for whole lines are switched off.
* The wait is bounded.  A terminal that has not answered by then goes on being listened to, so
  that a late answer does not become a command, until `give_back`, which is bounded too.
* `restore` may be called from anywhere, a signal handler too, and as often as one likes.  It
  drops what has not been read while an answer is owed, and nothing is asked after it.

What is asked, and what an answer means, is told in `graphics`.  Above: `painter`.
"""

from __future__ import annotations

import contextlib
import os
import select
import struct
import sys
import threading
import time
from typing import TYPE_CHECKING, Final, final

from trio_agent.surfaces.cli.terminal.graphics import QUESTION, is_answered

if TYPE_CHECKING:
    from collections.abc import Callable

ANSWER_S: Final = 0.2
"""How long an answer is waited for: most terminals need a few milliseconds, and a line to the
other side of the world about this."""

LATE_S: Final = 0.8
"""How long a late answer is waited for, once what there is to see is on the screen."""

_MOST_BYTES: Final = 4096
_WINDOW: Final = struct.Struct("4H")


def is_one_terminal(*fds: int | None) -> bool:
    """Whether all of them are the same terminal, and this process is in its foreground."""
    try:
        devices = {os.fstat(-1 if fd is None else fd).st_rdev for fd in fds}
        return (
            len(devices) == 1
            and all(fd is not None and os.isatty(fd) for fd in fds)
            and all(fd is not None and os.tcgetpgrp(fd) == os.getpgrp() for fd in fds)
        )
    except OSError:
        return False


def cell_pixels(fd: int | None) -> tuple[int, int] | None:
    """Width and height of a cell, where the terminal's driver has been told."""
    if sys.platform == "win32" or fd is None:
        return None
    # lazy: they are not there on Windows.
    import fcntl  # noqa: PLC0415
    import termios  # noqa: PLC0415

    try:
        told = fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(_WINDOW.size))
    except OSError:
        return None
    rows, columns, width, height = _WINDOW.unpack(told)
    cell = width // max(columns, 1), height // max(rows, 1)
    return cell if min(cell) > 0 else None


@final
class Question:
    """One question to the terminal that is standard input; blocks, so it is put in a thread.

    Args:
        fd: standard input.
    """

    __slots__ = ("_fd", "_is_over", "_received", "_restore", "_turn")

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd
        self._received = b""
        self._is_over = False
        self._restore: Callable[[], None] | None = None
        # A signal handler may come in between, in the same thread.
        self._turn: Final = threading.RLock()

    def put(self, write: Callable[[bytes], None]) -> bytes:
        """Ask, and wait for `ANSWER_S`; what the terminal said until then.

        Args:
            write: writes to the terminal.

        Raises:
            OSError: it cannot be written.
        """
        with self._turn:
            if self._is_over or not self._listen():
                return b""
        # What prints the question instead of understanding it shall not keep it on the screen.
        write(QUESTION + b"\r\x1b[K")
        self._read_until(time.perf_counter() + ANSWER_S)
        if is_answered(self._received):
            self.restore()
        return self._received

    def give_back(self) -> None:
        """Wait for an answer that is late, and let the terminal be as it was."""
        if self._restore is not None:
            self._read_until(time.perf_counter() + LATE_S)
            self.restore()

    def restore(self) -> None:
        """Let the terminal be as it was."""
        with self._turn:
            self._is_over = True
            restore, self._restore = self._restore, None
        if restore is not None:
            restore()

    def _listen(self) -> bool:
        """Switch echo and lines off; False when somebody typed, or nothing can be switched."""
        if sys.platform == "win32":
            return False
        # lazy: it is not there on Windows.
        import termios  # noqa: PLC0415

        fd = self._fd
        try:
            before = termios.tcgetattr(fd)
            now = [*before[:3], before[3] & ~(termios.ICANON | termios.ECHO), *before[4:]]
            termios.tcsetattr(fd, termios.TCSANOW, now)
        except termios.error:
            return False

        def restore() -> None:
            # A terminal that is gone took its settings along.
            with contextlib.suppress(termios.error):
                # Not once everything is written: that may be never (Ctrl-S).
                termios.tcsetattr(fd, termios.TCSANOW, before)
                if not is_answered(self._received):
                    termios.tcflush(fd, termios.TCIFLUSH)

        if _has_input(fd, 0):
            termios.tcsetattr(fd, termios.TCSANOW, before)
            return False
        self._restore = restore
        return True

    def _read_until(self, deadline: float) -> None:
        while not is_answered(self._received):
            left = deadline - time.perf_counter()
            if left <= 0 or not _has_input(self._fd, left):
                return
            data = os.read(self._fd, _MOST_BYTES)
            if not data:
                return
            self._received += data


def _has_input(fd: int, patience_s: float) -> bool:
    return bool(select.select([fd], [], [], patience_s)[0])
