"""The command line: commands, scripts and tools of a plugin in a terminal, a pipe, or for a machine.

Start with `shell`, which decides what the words of `trio-agent` mean.  From there a command goes
through `plugin_words` and `catalog` (which one), `preparing` (its input), `run` and `session` (the
process, and what is invoked), and `showing` or `terminal.watching` (what there is to see).  What
only some words need has a folder of its own:

    help        completion        inspect        scripts        asking        terminal
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

COMPLETE_VARIABLE: Final = "TRIO_AGENT_COMPLETE"
"""Names the shell that asks what may stand at its cursor; see `completion`.  Here, because whoever
starts has to look for it before anything is imported."""
