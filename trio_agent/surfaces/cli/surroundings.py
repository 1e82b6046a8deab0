"""What a process does before a module of an author's is imported: the log, the operator's environment.

Above: `run`, `answering`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from trio_agent.context.env_names import has_env_files
from trio_agent.surfaces.cli.last import say_last

if TYPE_CHECKING:
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.streams import StandardStreams

DEBUG_VARIABLE: Final = "TRIO_AGENT_DEBUG"
"""Not empty: what the library logs goes to standard error, tracebacks of author code included."""


def enter_surroundings(call: Call, streams: StandardStreams) -> None:
    """Switch the log on if somebody wants it, and read the `.env` files of the plugin."""
    if os.environ.get(DEBUG_VARIABLE):
        # lazy: few want one.
        import logging  # noqa: PLC0415

        # For authors: the document and the last line say what failed, and not where.
        logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
        logging.getLogger("trio_agent").setLevel(logging.DEBUG)
    root = str(call.application.plugin.root)
    if has_env_files(root, os.environ):
        # lazy: most plugins have none.
        from trio_agent.context.launch_env import apply_operator_env  # noqa: PLC0415

        apply_operator_env(
            root, warn=lambda warning: say_last(streams, f"{call.program}: {warning}\n")
        )
