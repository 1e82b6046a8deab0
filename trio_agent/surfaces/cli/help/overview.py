"""What the program says of itself: its name, and one sentence for each of its commands.

Imports neither attrs nor typing; see `listing`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PROGRAM: Final = "trio-agent"
DESCRIPTION: Final = "Runs the commands of a plugin, serves its tools, and shows what it declares."
INSPECT: Final = "Show what a plugin declares, and what is wrong with it, without importing it."
RUN: Final = "Run a command of a plugin."
SCRIPT: Final = "Start a script of a plugin, or list its scripts."
COMMANDS: Final = (
    ("inspect", INSPECT),
    ("mcp", "Call an MCP server, or see what it offers."),
    ("run", RUN),
    ("script", SCRIPT),
    ("serve", "Serve a plugin to MCP hosts."),
)
