"""From the words of a command to what it takes: import its module, derive its grammar.

Runs nothing of the author's but the import, and needs neither Trio nor cattrs, because the help
of a command does not.  Above: `preparing`, `explaining`.  Below: `grammar`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from trio_agent.routes.record import RouteRecord
from trio_agent.surfaces.cli.grammar import read_grammar

if TYPE_CHECKING:
    from trio_agent.routes.handler import Handled
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.grammar import Grammar
    from trio_agent.surfaces.cli.help.usage import CommandHelp
    from trio_agent.surfaces.cli.tool_call import ToolCall


@final
class Opened:
    """A command whose module was imported.

    Attributes:
        route: what runs.
        grammar: what may be typed.
        tool: the tool that it is; None for a command of its own.
    """

    # No class of attrs: it would be made at each start, for one object.
    __slots__ = ("_call", "grammar", "route", "tool")

    def __init__(self, call: Call, route: Handled, grammar: Grammar, tool: ToolCall | None) -> None:
        self._call: Final = call
        self.route: Final = route
        self.grammar: Final = grammar
        self.tool: Final = tool

    @property
    def is_data(self) -> bool:
        """Whether it answers with data, which has no events."""
        return not self.route.answer.is_nodes

    def describe(self) -> CommandHelp:
        """The command for people."""
        # lazy: a command that runs is not explained.
        from trio_agent.surfaces.cli.help.describing import describe_command  # noqa: PLC0415

        call, tool = self._call, self.tool
        return describe_command(
            self.grammar if tool is None else tool.shown,
            words=call.words,
            description=(self.route if tool is None else call.record).description or "",
            aliases=call.record.aliases,
            notes=() if tool is None else tool.notes,
            has_events=not self.is_data,
        )


def open_command(call: Call) -> Opened:
    """Import the module of a command.

    Raises:
        PluginError: it cannot be used; one line with the place.
        ContractError: a field has no form on a command line.
    """
    record = call.record
    if isinstance(record, RouteRecord):
        route = call.application.load(record)
        return Opened(call, route, read_grammar(route.signature.input_type), None)
    # lazy: most commands are no tools.
    from trio_agent.surfaces.cli.tool_call import open_tool_command  # noqa: PLC0415

    tool = open_tool_command(call.application, record)
    return Opened(call, tool.route, tool.grammar, tool)
