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

The size is asked for before each frame, so a resize is seen within one frame and needs no
signal.  Below: `screen`, which decides what is shown; `streams`.  Above: `run`.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.context.terminal import current_size
from trio_agent.surfaces.cli.delivery import write_out
from trio_agent.surfaces.cli.screen import LivePicture, cells

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from trio_agent.surfaces.cli.aside import Aside
    from trio_agent.surfaces.cli.output_stream import OutputStream
    from trio_agent.vocabulary.event import RenderEvent

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
        "_environ",
        "_gone",
        "_painted",
        "_picture",
        "_reflows",
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
        self._painted: Sequence[str] = []
        self._gone = False
        self._turn: Final = trio.Lock()
        aside.hold()

    def feed(self, event: RenderEvent) -> None:
        """Take an event; it is seen with the next frame."""
        self._picture.feed(event)

    async def run(self) -> None:
        """Paint."""
        quiet_until = trio.current_time() + QUIET_S
        while True:
            await trio.sleep(FRAME_S)
            if trio.current_time() >= quiet_until:
                self._picture.wait_for(self._words)
            async with self._turn:
                await self._write(self._lines(), self._aside.take_lines())

    async def say(self, data: bytes) -> None:
        """Write whole lines above the picture."""
        async with self._turn:
            await self._write(self._lines(), self._aside.take_lines() + data)

    @asynccontextmanager
    async def aside_for_long(self) -> AsyncGenerator[None, None]:
        """Take the picture away for a block in which somebody types; nothing is written meanwhile."""
        async with self._turn:
            await self._write([], self._aside.take_lines())
            yield

    async def clear(self) -> None:
        """Take the picture away for good."""
        async with self._turn:
            self._gone = True
            await self._write([], self._aside.release())

    def clear_last(self) -> bytes:
        """What takes the picture away when nothing can be awaited any more; to be written."""
        self._gone = True
        return self._frame([], self._aside.release())

    def _lines(self) -> Sequence[str]:
        if self._gone:
            return []
        width, height = self._size()
        return self._picture.lines(width - 1, height - 1, trio.current_time())

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

    def _size(self) -> tuple[int, int]:
        size = current_size(self._stream.fd, self._environ)
        return size.columns or COLUMNS, size.rows or ROWS
