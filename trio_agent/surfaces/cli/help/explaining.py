"""The help of one command: import its module, and tell what it takes.

Imports neither Trio nor cattrs, unless the module does.  Above: `answering`, `preparing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trio_agent.errors import ContractError
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli.complaint import FAILURE, Complaint
from trio_agent.surfaces.cli.help.usage import command_help
from trio_agent.surfaces.cli.opening import open_command

if TYPE_CHECKING:
    from trio_agent.surfaces.cli.call import Call


def explain(call: Call, columns: int) -> str | Complaint:
    """The help of a command, or why there is none.

    Args:
        call: the command.
        columns: what help is wrapped to.
    """
    try:
        return command_help(open_command(call).describe(), columns)
    except (PluginError, ContractError) as error:
        return Complaint.of_error(error, FAILURE, program=call.program)
