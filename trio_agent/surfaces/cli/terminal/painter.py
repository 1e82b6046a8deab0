"""The painter: keeps the live picture on standard error, and takes it away.

Only here are escape sequences written for the live part.  Rules:

* The cursor rests at the end of the picture's last line, and every frame begins by going back
  to its first, so there is never more than one picture.  The cursor is not hidden: then no end
  of the process, however sudden, leaves a terminal without one.
* A frame is one write; there are at most twelve a second, and none when nothing has changed.
* Automatic wrapping is off within a frame: where a terminal and `screen` disagree about the
  width of a character, a line is overwritten at its edge instead of breaking the picture.
* What is said above the picture is written in the same frame: away with it, the text, and back.
* Painting never holds up the invocation.  Events only change the picture, and a terminal that
  takes nothing (Ctrl-S) stops the frames and nothing else.
* While the process is suspended there is no picture (Ctrl-Z takes it away, `fg` brings it back),
  and none is painted from the background: the terminal is somebody else's then.

The size is asked for before each frame, so a resize is seen within one frame and needs no
signal.  Below: `screen`, which decides what is shown; `streams`.  Above: `run`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final, TypeVar, final

import trio

from trio_agent.context.terminal import current_size
from trio_agent.surfaces.cli.delivery import write_out
from trio_agent.surfaces.cli.streams import STDIN
from trio_agent.surfaces.cli.terminal.query import Question, is_one_terminal
from trio_agent.surfaces.cli.terminal.screen import LivePicture, cells

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
    from types import FrameType

    from trio_agent.surfaces.cli.aside import Aside
    from trio_agent.surfaces.cli.output_stream import OutputStream
    from trio_agent.vocabulary.event import RenderEvent

ResultT = TypeVar("ResultT")

FRAME_S: Final = 1 / 12
"""People see no more, and somebody may watch over a slow line."""

QUIET_S: Final = 0.2
"""How long nothing is shown of a command that has no events: a quick one must not flicker."""

COLUMNS: Final = 80
ROWS: Final = 24
"""The size of a terminal that does not tell."""


def repaint(painted: Sequence[str], lines: Sequence[str], width: int, *, reflows: bool) -> str:
    """What takes a terminal from one picture to another; pure.

    Args:
        painted: what is there, the cursor at its end.
        lines: what shall be there, each narrower than *width*; none leaves the cursor where the
            picture began.
        width: columns that the terminal has now.
        reflows: it wraps its old lines anew when it becomes narrower.
    """
    rows = sum(max(-(-cells(line) // width), 1) if reflows else 1 for line in painted)
    back = f"\x1b[{rows - 1}A" if rows > 1 else ""
    body = "\x1b[K\r\n".join(lines)
    return f"\x1b[?7l\r{back}{body}\x1b[J\x1b[?7h"


def does_reflow(environ: Mapping[str, str]) -> bool:
    """Whether the terminal wraps old lines anew on a resize, as nearly all do."""
    named = environ.get("TERM", "")
    return not (
        "XTERM_VERSION" in environ or "STY" in environ or named.startswith(("linux", "screen"))
    )


async def _in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Wait for the terminal without stopping the loop; whoever stops waiting restores it."""
    return await trio.to_thread.run_sync(
        work, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1)
    )


def is_foreground(fd: int | None) -> bool:
    """Whether the terminal is ours now; one that does not control this process always is."""
    if sys.platform == "win32" or fd is None:
        return True
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:
        return True


@final
class Painter:
    """One picture on one terminal: an actor that paints until it is cancelled.

    Args:
        stream: the terminal.
        environ: says what the terminal can do.
        aside: what components print meanwhile; held from now on.
        words: of the command, shown when its first event is late.
    """

    __slots__ = (
        "_aside",
        "_away_s",
        "_environ",
        "_gone",
        "_painted",
        "_picture",
        "_question",
        "_reflows",
        "_stopped_at",
        "_stream",
        "_turn",
        "_words",
    )

    def __init__(
        self, stream: OutputStream, environ: Mapping[str, str], aside: Aside, words: str
    ) -> None:
        self._stream: Final = stream
        self._environ: Final = environ
        self._aside: Final = aside
        self._words: Final = words
        self._reflows: Final = does_reflow(environ)
        self._picture: Final = LivePicture(stream.encoding)
        self._question: Final = Question(STDIN)
        self._painted: Sequence[str] = []
        self._gone = False
        self._away_s = 0.0
        self._stopped_at: float | None = None
        self._turn: Final = trio.Lock()
        aside.hold()

    def feed(self, event: RenderEvent) -> None:
        """Take an event; it is seen with the next frame."""
        self._picture.feed(event, self._now())

    async def run(self) -> None:
        """Paint."""
        began = self._now()
        with self._suspending():
            while True:
                await trio.sleep(FRAME_S)
                if self._now() >= began + QUIET_S:
                    self._picture.wait_for(self._words, began)
                async with self._turn:
                    await self._write(self._lines(), self._aside.take_lines())

    async def say(self, data: bytes) -> None:
        """Write whole lines above the picture."""
        async with self._turn:
            await self._write(self._lines(), self._aside.take_lines() + data)

    @asynccontextmanager
    async def aside_for_long(self) -> AsyncGenerator[None, None]:
        """Take the picture away for a block in which somebody types; nothing is written meanwhile.

        Its times stand still, too, as the time limit does.
        """
        async with self._turn:
            await self._write([], self._aside.take_lines())
            self._stopped_at = began = trio.current_time()
            try:
                yield
            finally:
                self._stopped_at = None
                self._away_s += trio.current_time() - began

    async def clear(self) -> None:
        """Take the picture away for good."""
        async with self._turn:
            self._gone = True
            await self._write([], self._aside.release())

    async def ask(self, *others: int | None) -> bytes:
        """Ask the terminal what `asking` asks; what it says, or nothing where it must not be.

        Args:
            others: descriptors that have to be the same terminal.
        """
        if not is_one_terminal(STDIN, self._stream.fd, *others):
            return b""
        async with self._turn:
            return await _in_thread(self._ask)

    async def give_back(self) -> None:
        """Let the terminal be as it was before it was asked."""
        await _in_thread(self._question.give_back)

    def clear_last(self) -> bytes:
        """What takes the picture away when nothing can be awaited any more; to be written."""
        self._question.restore()
        self._gone = True
        return self._frame([], self._aside.release())

    def _ask(self) -> bytes:
        try:
            return self._question.put(self._stream.write)
        except OSError:
            return b""

    def _lines(self) -> Sequence[str]:
        if self._gone or not is_foreground(self._stream.fd):
            return []
        width, height = self._size()
        return self._picture.lines(width - 1, height - 1, self._now())

    def _now(self) -> float:
        """Seconds of Trio's clock, without those in which somebody typed."""
        now = trio.current_time() if self._stopped_at is None else self._stopped_at
        return now - self._away_s

    async def _write(self, lines: Sequence[str], said: bytes) -> None:
        """Write one frame; a terminal that cannot be written any more is left alone."""
        data = self._frame(lines, said)

        def write() -> None:
            # In the thread: a write that was cancelled before it began has painted nothing.
            self._painted = lines
            self._stream.write(data)

        if data:
            try:
                await write_out(self._stream, write)
            except OSError:
                self._gone = True

    def _frame(self, lines: Sequence[str], said: bytes) -> bytes:
        """From the picture that is there to *lines*, with *said* above; empty if nothing changes."""
        width, _ = self._size()
        if not said:
            return self._encoded(self._painted, lines, width)
        away = self._encoded(self._painted, [], width)
        return away + said + self._encoded([], lines, width)

    def _encoded(self, painted: Sequence[str], lines: Sequence[str], width: int) -> bytes:
        if lines == painted:
            return b""
        text = repaint(painted, lines, width, reflows=self._reflows)
        return text.encode(self._stream.encoding)

    @contextmanager
    def _suspending(self) -> Generator[None, None, None]:
        """Take the picture away before the process stops, for a block."""
        if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
            yield
            return
        reactions = {signal.SIGTSTP: self._suspend, signal.SIGCONT: self._resume}
        # Whoever ignores it has no shell to go back to, or a handler of their own.
        ours = [one for one in reactions if signal.getsignal(one) is signal.SIG_DFL]
        for number in ours:
            signal.signal(number, reactions[number])
        try:
            yield
        finally:
            for number in ours:
                signal.signal(number, signal.SIG_DFL)

    def _suspend(self, number: int, _: FrameType | None) -> None:
        """Handle SIGTSTP right where it arrives: a component may block the loop."""
        self._question.restore()
        self._stream.write_last(self._frame([], b""))
        self._painted = []
        # By the signal's own way: then the shell sees what it expects, and where there is no
        # shell the system does not stop us.
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
        signal.signal(number, self._suspend)

    def _resume(self, _number: int, _: FrameType | None) -> None:
        """Handle SIGCONT: whatever was painted is above what others have written since."""
        self._painted = []

    def _size(self) -> tuple[int, int]:
        size = current_size(self._stream.fd, self._environ)
        return size.columns or COLUMNS, size.rows or ROWS
