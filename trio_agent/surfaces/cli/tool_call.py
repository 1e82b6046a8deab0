"""A tool that is run as a command: from its words to its input.

    --input JSON             the tool's input as it is
    options and arguments    defaults ► the projection's function ► the tool's input

The tool's own types judge the result either way, and its mistakes come in the words of the
command line.  Runs nothing of the author's but imports and that function, and that only when
nothing is wrong with the words so far.

Below: `tool_grammar`.  Above: `preparing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.errors import AgentError, ContractError
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError, SchemaIssue, show
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.surfaces.cli.tool_grammar import INPUT, YES, shown_grammar, tool_grammar
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.plain import NotPlainError, to_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.projections import ToolCommandRecord
    from trio_agent.routes.tool_commands import ToolCommand
    from trio_agent.routes.tools import ToolRoute
    from trio_agent.surfaces.cli.grammar import Grammar

_LONGEST_REASON: Final = 300
"""Characters of what a function raised; a line or three of a terminal."""


def open_tool_command(application: PluginApplication, record: ToolCommandRecord) -> ToolCall:
    """Import the tool, and the module that says how it looks as a command.

    Raises:
        PluginError: one of them cannot be used, or they do not fit; one line with the place.
    """
    route, command = application.load_tool_command(record)
    try:
        grammar = tool_grammar(route.signature.input_type, command, _reason(record))
    except DeclarationError as error:
        place = f"{application.plugin.root / record.path}:{record.line}"
        raise PluginError(f"{place}: {error.message}") from error
    return ToolCall(record=record, route=route, command=command, grammar=grammar)


@final
@attrs.frozen(kw_only=True, eq=False)
class ToolCall:
    """One tool as a command.

    Attributes:
        record: its words.
        route: the tool.
        command: what its projection says; None for a tool that has none.
        grammar: what may be typed.
    """

    record: ToolCommandRecord
    route: ToolRoute
    command: ToolCommand | None
    grammar: Grammar

    __repr__ = shown

    @property
    def id(self) -> str:
        """Of the tool: it is what runs."""
        return self.record.tool.id

    @property
    def shown(self) -> Grammar:
        """What help tells of the grammar."""
        return shown_grammar(self.grammar)

    @property
    def notes(self) -> Sequence[str]:
        """What help says besides: what runs, by which module, and whether to confirm it."""
        notes = [f"Runs the MCP tool `{self.id}`."]
        if self.record.projection is not None:
            notes.append(f"Its words and options come from `{self.record.projection.path}`.")
        reason = _reason(self.record)
        if reason is not None:
            notes.append(f"Runs with `{YES}` only, since {reason}.")
        return notes

    # ------------------------------------------------------------------------------ the input

    def read(self, data: Mapping[str, object], has_mistakes: bool) -> attrs.AttrsInstance | None:  # noqa: FBT001  # by the protocol of `parse_argv`
        """Make the input of what was typed; see `argv.ReadInput`.

        Raises:
            SchemaError: with every issue; of `--input` they begin with that name.
            PluginError: the projection's function returned something that is no input at all.
        """
        given = dict(data)
        is_confirmed = given.pop(YES, False) is True
        issues: list[SchemaIssue] = []
        if self.record.needs_confirmation and not is_confirmed:
            issues.append(SchemaIssue(kind="missing", expected=YES, steps=(YES,)))
        value: attrs.AttrsInstance | None = None
        try:
            value = self._structured(given, has_mistakes=has_mistakes or bool(issues))
        except SchemaError as error:
            issues.extend(error.issues)
        if issues:
            raise SchemaError(issues)
        return value

    def _structured(
        self, given: dict[str, object], *, has_mistakes: bool
    ) -> attrs.AttrsInstance | None:
        text = given.pop(INPUT, None)
        if text is not None or self.command is None:
            return self._whole("{}" if text is None else str(text), given)
        data = self.command.complete(given)
        if not self.command.is_mapper:
            return self.route.structure(data)
        issues = [*self._issues(given)]
        if issues:
            raise SchemaError(issues)
        return None if has_mistakes else self.route.structure(self._mapped(self.command, data))

    def _whole(self, text: str, given: Mapping[str, object]) -> attrs.AttrsInstance:
        """The input that was given as JSON."""
        if given:
            expected = "to be given alone: it is the whole input"
            raise SchemaError([SchemaIssue(expected=expected, received=text, steps=(INPUT,))])
        try:
            data = Json.parse(text, "it").value
        except ContractError as error:
            expected = f"a JSON object ({error.message})"
            raise SchemaError(
                [SchemaIssue(expected=expected, received=text, steps=(INPUT,))]
            ) from error
        try:
            return self.route.structure(data)
        except SchemaError as error:
            raise SchemaError(issue.below(INPUT) for issue in error.issues) from error

    def _issues(self, given: Mapping[str, object]) -> Iterator[SchemaIssue]:
        """What is wrong with the words so far that a function would stumble over.

        Choices are left to it, and to the schema behind it.
        """
        for one in (*self.grammar.positionals, *self.grammar.options):
            steps = (one.alias,)
            if one.alias in {INPUT, YES}:
                continue
            if one.alias not in given:
                if one.is_required:
                    yield SchemaIssue(kind="missing", expected=one.words, steps=steps)
            elif one.form in {"integer", "number"}:
                value = given[one.alias]
                items = cast("list[object]", value) if isinstance(value, list) else [value]
                for index, item in enumerate(items):
                    if isinstance(item, str):
                        inner = (*steps, index) if one.is_repeated else steps
                        yield SchemaIssue(expected=one.words, received=item, steps=inner)

    def _mapped(self, command: ToolCommand, data: dict[str, object]) -> object:
        """What the author's function makes of what was typed."""
        try:
            returned = command.handler({**data})
        except (Exception, SystemExit) as error:  # boundary: the author's function runs
            _log(command, error)
            expected = f"what {command.name} accepts ({_told(error)})"
            raise SchemaError([SchemaIssue(expected=expected, received=data)]) from error
        try:
            made: object = Json.of(to_plain(returned, "input"), "input").value
        except (NotPlainError, ContractError) as error:
            raise self._useless(command, f"what is no JSON: {error}") from error
        if not isinstance(made, dict):
            raise self._useless(command, show(made))
        return made

    def _useless(self, command: ToolCommand, received: str) -> PluginError:
        """The author's mistake, not that of whoever typed the words."""
        place = f"{self.record.path}:{self.record.line}"
        return PluginError(
            f"{place}: {command.name} returns the input of {self.id}, an object, received {received}"
        )


def _reason(record: ToolCommandRecord) -> str | None:
    """Why it has to be confirmed; None when it has not."""
    if not record.needs_confirmation:
        return None
    if record.projection is not None and record.projection.confirm:
        return f"{record.projection.path} asks for it"
    return "the tool is not declared read-only"


def _told(error: BaseException) -> str:
    """Why a function refused, in one line: its own words, if they are for people."""
    try:
        words = " ".join(str(error).split())
    except (Exception, SystemExit):  # noqa: BLE001  # boundary: a foreign __str__
        words = ""
    if isinstance(error, AgentError):
        words = f"[{error.code}] {words}"
    elif not isinstance(error, ValueError) or not words:
        words = f"{type(error).__qualname__}: {words}" if words else type(error).__qualname__
    return words if len(words) <= _LONGEST_REASON else f"{words[:_LONGEST_REASON]}..."


def _log(command: ToolCommand, error: BaseException) -> None:
    # lazy: only a mistake is logged.
    import logging  # noqa: PLC0415

    logging.getLogger("trio_agent").debug("%s failed", command.name, exc_info=error)
