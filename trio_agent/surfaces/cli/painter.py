"""The painter: keeps the live picture on standard error, and takes it away.

Only here are escape sequences written for the live part.  Rules:

* The cursor rests at the end of the last line of the picture, and every frame begins by going
  back to its first line, so there is never more than one picture.  The cursor is not hidden:
  then no end of the process, however sudden, leaves a terminal without one.
* A frame is one write, at most twelve a second, and none when nothing has changed.
* Automatic wrapping is off within a frame: where terminal and `screen` disagree about a
  character's width, a line is overwritten at the edge instead of breaking the picture.
* What is written above the picture takes it away first; the next frame brings it back.
* Painting never holds up the invocation: events only change the picture, and a terminal that
  takes nothing (Ctrl-S) stops the frames and nothing else.

The size is asked for before each frame and a changed one is painted at once (SIGWINCH).  Below:
`screen`, which decides what is shown, and `streams`.  Above: `run`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.context.terminal import current_size
from trio_agent.surfaces.cli.delivery import deliver
from trio_agent.surfaces.cli.screen import LivePicture, cells

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trio_agent.context.terminal import TerminalSize
    from trio_agent.surfaces.cli.aside import Aside
    from trio_agent.surfaces.cli.streams import ByteStream

FRAME_S: Final = 1 / 12
"""Faster is not seen by people, and is paid for by whoever watches over a slow line."""

_COLUMNS: Final = 80
_ROWS: Final = 24
"""Of a terminal that does not tell."""


@final
class Frames:
    """The escape sequences from one picture to the next.  Pure.

    Args:
        reflows: whether the terminal wraps its old lines anew when it becomes narrower.
    """

    __slots__ = ("_painted", "_reflows")

    def __init__(self, *, reflows: bool = True) -> None:
        self._reflows: Final = reflows
        self._painted: Sequence[str] = ()

    def next(self, lines: Sequence[str], width: int) -> str:
        """What takes the terminal from the last picture to *lines*; empty if nothing does.

        Args:
            lines: each shorter than *width*.
            width: columns the terminal has now.
        """
        if lines == self._painted:
            return ""
        text = self._back(width) + "\\x1b[?7l"
        text += "\\x1b[K\\r\\n".join(lines) + "\\x1b[J\\x1b[?7h"
        self._painted = tuple(lines)
        return text

    def erased(self, width: int) -> str:
        """What takes the picture away and leaves the cursor where it began."""
        return ""
