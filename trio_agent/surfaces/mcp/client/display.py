"""What a person or a program gets to see, on the two streams of this process.

Output goes out whole and in the stream's own encoding; on a terminal nothing in it is obeyed.
Progress is one line that is repainted, and only if standard error is a terminal.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from typing import TYPE_CHECKING, Final, Literal, final

from trio_agent.protocol.output import Output, printable
from trio_agent.surfaces.mcp.client.page import progress_line
from trio_agent.surfaces.mcp.process.saying import say
from trio_agent.vocabulary.json import escape_surrogates

if TYPE_CHECKING:
    from typing import TextIO

    from trio_agent.surfaces.mcp.results.progress import ProgressReport
    from trio_agent.surfaces.mcp.rpc import JsonObject

_ERASE: Final = "\r\x1b[K"
_FALLBACK: Final = (80, 24)


def columns() -> int:
    """How wide a line may be."""
    return shutil.get_terminal_size(_FALLBACK).columns


def show_text(text: str, stream: Literal["stdout", "stderr"] = "stdout") -> None:
    """Write text.

    Raises:
        BrokenPipeError: the reader has left.
        UnwritableError: standard output cannot be written.
    """
    say(Output(stream, text))


def show_json(wire: JsonObject, stream: Literal["stdout", "stderr"] = "stdout") -> None:
    """Write one JSON document in one line, its members sorted.

    Raises:
        BrokenPipeError: the reader has left.
        UnwritableError: standard output cannot be written.
    """
    text = json.dumps(wire, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    say(Output(stream, f"{escape_surrogates(text)}\n", is_json=True))


@final
class ProgressDisplay:
    """One line at the bottom of a terminal.

    Args:
        stream: the terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream: Final = stream
        self._is_there = False

    def show(self, report: ProgressReport) -> None:
        """Paint a report over the one before; never fails."""
        self._paint(printable(progress_line(report, columns())))
        self._is_there = True

    def clear(self) -> None:
        """Leave the line as it was found; never fails."""
        if self._is_there:
            self._paint("")
            self._is_there = False

    def _paint(self, line: str) -> None:
        with contextlib.suppress(OSError, UnicodeError):
            self._stream.write(_ERASE + line)
            self._stream.flush()
