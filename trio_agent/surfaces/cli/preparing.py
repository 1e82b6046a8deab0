"""From the words of a command to what is invoked: import the module, read the words.

A complaint or a help text comes out instead when there is nothing to invoke.  Runs nothing of the
author's but the import.  Above: `run`, which prints or runs it.  Below: `grammar`, `argv`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, final

import attrs

from trio_agent.errors import ContractError
from trio_agent.protocol.schema.issues import show
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import RouteRecord
from trio_agent.shown import shown
from trio_agent.surfaces.cli.argv import parse_argv, wants_help
from trio_agent.surfaces.cli.complaint import FAILURE, SUCCESS, USAGE, Complaint
from trio_agent.surfaces.cli.grammar import read_grammar
from trio_agent.surfaces.cli.usage_error import UsageError
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from trio_agent.protocol.output import Ending
    from trio_agent.routes.handler import Handled
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.complaint import MachineMode
    from trio_agent.surfaces.cli.tool_call import ToolCall
    from trio_agent.surfaces.cli.usage import CommandHelp

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
    record = call.record
    tool: ToolCall | None = None
    try:
        if isinstance(record, RouteRecord):
            route: Handled = call.application.load(record)
            grammar = read_grammar(route.signature.input_type)
        else:
            # lazy: most commands are no tools.
            from trio_agent.surfaces.cli.tool_call import open_tool_command  # noqa: PLC0415

            tool = open_tool_command(call.application, record)
            route, grammar = tool.route, tool.grammar
        is_data = not route.answer.is_nodes

        def describe() -> CommandHelp:
            # lazy: a command that runs is not explained.
            from trio_agent.surfaces.cli.describing import describe_command  # noqa: PLC0415

            return describe_command(
                grammar if tool is None else tool.shown,
                words=call.words,
                description=(route if tool is None else record).description or "",
                aliases=record.aliases,
                notes=() if tool is None else tool.notes,
                has_events=not is_data,
            )

        if wants_help(call.argv):
            # lazy: as above.
            from trio_agent.surfaces.cli.usage import command_help  # noqa: PLC0415

            return command_help(describe(), columns)
        parsed = parse_argv(
            grammar,
            call.argv,
            describe,
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
        target=record.name,
        props=props,
        operation_id=record.id if tool is None else tool.id,
        surface="cli",
    )
    return Prepared(
        invocation=invocation, mode=parsed.mode, is_data=is_data, policy=record.exit_code
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
