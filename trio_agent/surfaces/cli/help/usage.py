"""Help texts: what `--help` prints, from frozen descriptions.

Pure: no I/O, no plugin, no rich.  Every function gives the whole text, wrapped to the columns it
is told, with a newline at the end.  Colour is whoever prints it.  Above: the command itself;
`grammar` describes one command from its input class.

Three levels, each in the order people know: what it is, `Usage:`, what it takes.

    root       name and version, usage, commands by name, options
    group      usage, its commands by name
    command    description, usage, aliases, notes, arguments, options with their defaults
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.cli.help import listing
from trio_agent.surfaces.cli.help.listing import (
    HELP_ROW,
    group_page,
    join,
    paragraphs,
    root_page,
    usage,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@final
@attrs.frozen(kw_only=True)
class Row:
    """One line of a table: a term and what it means.

    Attributes:
        term: printed as it is.
        text: wrapped; empty for a term that speaks for itself.
    """

    term: str
    text: str = ""

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class ArgumentHelp:
    """A positional argument.

    Attributes:
        name: kebab-case, without brackets.
        notes: what stands in parentheses after the description, `default: 3`.
    """

    name: str
    description: str = ""
    notes: tuple[str, ...] = ()
    is_required: bool = True
    is_repeated: bool = False

    __repr__ = shown

    @property
    def placeholder(self) -> str:
        """`<name>` if it is required, `[name]` if not, with an ellipsis if it may repeat."""
        name = self.name + ("..." if self.is_repeated else "")
        return f"<{name}>" if self.is_required else f"[{name}]"


@final
@attrs.frozen(kw_only=True)
class OptionHelp:
    """An option or a flag.

    Attributes:
        name: kebab-case, without dashes.
        value: what stands for its value, `integer`; None for a flag.
        notes: what stands in parentheses after the description, `default: 3`.
    """

    name: str
    value: str | None = None
    description: str = ""
    notes: tuple[str, ...] = ()
    is_required: bool = False

    __repr__ = shown

    @property
    def term(self) -> str:
        """`--name <value>`, or `--name` for a flag."""
        return f"--{self.name}" + ("" if self.value is None else f" <{self.value}>")


@final
@attrs.frozen(kw_only=True)
class CommandHelp:
    """One command.

    Attributes:
        words: what is typed to get there, `trio-agent run curator audit-library`.
        notes: paragraphs after the description, such as that it changes things.
        has_events: whether there is a stream of events that `--ndjson` could print.
    """

    words: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    arguments: tuple[ArgumentHelp, ...] = ()
    options: tuple[OptionHelp, ...] = ()
    has_events: bool = True

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class GroupHelp:
    """A command word that only leads to others.

    Attributes:
        words: what is typed to get there.
        commands: its commands and groups, in any order.
    """

    words: str
    description: str = ""
    commands: tuple[Row, ...] = ()

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class RootHelp:
    """The top: a program, or a plugin that is run like one.

    Attributes:
        name: of the program or the plugin.
        version: printed after the name; empty when there is none.
        words: what is typed to get there.
        commands: in any order.
        options: beside `--help` and `--version`, which are always there.
    """

    name: str
    version: str
    words: str
    description: str = ""
    commands: tuple[Row, ...] = ()
    options: tuple[Row, ...] = ()

    __repr__ = shown


def root_help(described: RootHelp, columns: int = 80) -> str:
    """The help of a program; also what a call without words prints."""
    return root_page(
        described.name,
        described.version,
        described.words,
        description=described.description,
        commands=pairs(described.commands),
        options=pairs(described.options),
        columns=columns,
    )


def group_help(described: GroupHelp, columns: int = 80) -> str:
    """The help of a group of commands."""
    return group_page(
        described.words,
        description=described.description,
        commands=pairs(described.commands),
        columns=columns,
    )


def command_help(described: CommandHelp, columns: int = 80) -> str:
    """The help of one command."""
    aliases = ", ".join(sorted(described.aliases))
    return join(
        paragraphs(described.description, columns),
        usage(_synopsis(described), columns),
        wrap(f"Aliases: {aliases}", columns) if aliases else "",
        *(paragraphs(note, columns) for note in described.notes),
        table("Arguments", map(_argument_row, described.arguments), columns),
        table("Options", _option_rows(described), columns),
    )


def usage_line(described: CommandHelp) -> str:
    """The one line after usage errors: `Usage: ...`, never wrapped."""
    return f"Usage: {_synopsis(described)}"


def hint_line(described: CommandHelp) -> str:
    """The last line after usage errors: where help is."""
    return f"Run `{described.words} --help` for help."


_JSON: Final = Row(term="--json", text="Print the value as one line of JSON.")
_NDJSON: Final = Row(term="--ndjson", text="Print each event as one line of JSON.")
_HELP: Final = Row(term=HELP_ROW[0], text=HELP_ROW[1])


def _synopsis(described: CommandHelp) -> str:
    required = [option.term for option in described.options if option.is_required]
    arguments = [argument.placeholder for argument in described.arguments]
    return " ".join((described.words, *arguments, *required, "[options]"))


def _argument_row(argument: ArgumentHelp) -> Row:
    return Row(term=argument.placeholder, text=_with_notes(argument.description, argument.notes))


def _option_rows(described: CommandHelp) -> Iterable[Row]:
    for option in described.options:
        notes = (*option.notes, "required") if option.is_required else option.notes
        yield Row(term=option.term, text=_with_notes(option.description, notes))
    yield _JSON
    if described.has_events:
        yield _NDJSON
    yield _HELP


def _with_notes(description: str, notes: Sequence[str]) -> str:
    return " ".join((description, *(f"({note})" for note in notes))).strip()


def table(title: str, rows: Iterable[Row], columns: int) -> str:
    """A title and a line or more for each row; empty without rows."""
    return listing.table(title, pairs(rows), columns)


def pairs(rows: Iterable[Row]) -> tuple[tuple[str, str], ...]:
    """Rows as `listing` takes them."""
    return tuple((row.term, row.text) for row in rows)
