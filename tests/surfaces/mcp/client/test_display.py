"""The line of progress, on whatever it is painted."""

from __future__ import annotations

import io

from trio_agent.surfaces.mcp.client.display import ProgressDisplay
from trio_agent.surfaces.mcp.results.progress import ProgressReport


def test_the_line_is_painted_over_and_erased_once() -> None:
    terminal = io.StringIO()
    display = ProgressDisplay(terminal)

    display.clear()
    display.show(ProgressReport(1, 2, "one\x1b[2J"))
    display.show(ProgressReport(2))
    display.clear()
    display.clear()

    assert terminal.getvalue() == "\r\x1b[Kone\\x1b[2J (1/2)\r\x1b[K2\r\x1b[K"


def test_a_terminal_that_is_gone_fails_nothing() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    display = ProgressDisplay(Gone())
    display.show(ProgressReport(1))
    display.clear()
