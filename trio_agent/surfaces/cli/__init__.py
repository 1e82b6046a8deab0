"""The command line: commands of a plugin in a terminal, a pipe, or for a machine.

Start with `shell`, which decides what the words of `trio-agent` mean.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

COMPLETE_VARIABLE: Final = "TRIO_AGENT_COMPLETE"
"""Names the shell that asks what may stand at its cursor; see `completing`.  Here, because whoever
starts has to look for it before anything is imported."""
