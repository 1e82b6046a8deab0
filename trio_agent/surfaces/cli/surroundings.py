"""What a process does before a module of an author's is imported: the log, the operator's environment.

Above: `run`, `answering`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from trio_agent.surfaces.cli.last import say_last
from trio_agent.surfaces.cli.operator_env import add_operator_env

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
    add_operator_env(
        call.application.plugin,
        warn=lambda warning: say_last(streams, f"{call.program}: {warning}\n"),
    )
