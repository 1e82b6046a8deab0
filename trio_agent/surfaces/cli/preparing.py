"""From the words of a command to what is invoked: import the module, read the words.

A complaint or a help text comes out instead when there is nothing to invoke.  Runs nothing of the
author's but the import.  Above: `run`, which prints or runs it.  Below: `opening`, `argv`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, final

import attrs

from trio_agent.errors import ContractError
from trio_agent.protocol.schema.issues import show
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.surfaces.cli.argv import parse_argv
from trio_agent.surfaces.cli.call import wants_help
from trio_agent.surfaces.cli.complaint import FAILURE, SUCCESS, USAGE, Complaint
from trio_agent.surfaces.cli.opening import open_command
from trio_agent.surfaces.cli.usage_error import UsageError
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from trio_agent.protocol.output import Ending
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.complaint import MachineMode

_HIGHEST_CODE: Final = 255


@final
@attrs.frozen(kw_only=True)
class Prepared:
    """A command whose words were understood.

    Attributes:
        invocation: what is asked for.
        mode: what a machine wants to read, if one does.
        is_data: the command answers with data, which is printed and not laid out.
        policy: `result` when the value may say the exit code.
    """

    invocation: Invocation
    mode: MachineMode | None
    is_data: bool
    policy: Literal["result"] | None

    __repr__ = shown


def prepare(call: Call, columns: int) -> Prepared | Complaint | str:
    """Import the module and read the words; a string is help to print.

    Args:
        call: the command and its words.
        columns: what help is wrapped to.
    """
    if wants_help(call.argv):
        # lazy: a command that runs is not explained.
        from trio_agent.surfaces.cli.help.explaining import explain  # noqa: PLC0415

        return explain(call, columns)
    try:
        opened = open_command(call)
        tool, is_data = opened.tool, opened.is_data
        parsed = parse_argv(
            opened.grammar,
            call.argv,
            opened.describe,
            has_events=not is_data,
            read=None if tool is None else tool.read,
        )
    except UsageError as error:
        return Complaint.of_input(error)
    except (PluginError, ContractError) as error:
        return Complaint.of_error(error, FAILURE, program=call.program)
    try:
        props = Json.of(parsed.value, "input")
    except ContractError as error:
        # Such as an integer that no document may hold.
        return Complaint.of_error(error, USAGE, program=call.program)
    invocation = Invocation(
        kind="cli",
        target=call.record.name,
        props=props,
        operation_id=call.record.id if tool is None else tool.id,
        surface="cli",
    )
    return Prepared(
        invocation=invocation, mode=parsed.mode, is_data=is_data, policy=call.record.exit_code
    )


def exit_code(ending: Ending, policy: Literal["result"] | None) -> int | str:
    """The exit code of a command that came to an end, or what is wrong with the one it says."""
    if ending.status != "success":
        return FAILURE
    value: object = None if ending.value is None else ending.value.value
    if policy is None or not isinstance(value, dict) or "exitCode" not in value:
        return SUCCESS
    code: object = value["exitCode"]
    if type(code) is int and 0 <= code <= _HIGHEST_CODE:
        return code
    expected = f"expected an integer from 0 to {_HIGHEST_CODE}"
    return f"value.exitCode: {expected}, received {show(code)}"
