"""A grammar in the words of help: what `usage` prints of a command.

Apart from `grammar`, because a command that runs is not explained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from trio_agent.surfaces.cli.grammar import spelled
from trio_agent.surfaces.cli.help.usage import ArgumentHelp, CommandHelp, OptionHelp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.cli.grammar import Grammar, Parameter

_LONGEST_CHOICES: Final = 24
"""Characters of `a|b|c` that still look good in the column of the options."""


def describe_command(
    grammar: Grammar,
    *,
    words: str,
    description: str = "",
    aliases: Sequence[str] = (),
    notes: Sequence[str] = (),
    has_events: bool = True,
) -> CommandHelp:
    """The description that `usage` prints; see `CommandHelp` for the arguments."""
    return CommandHelp(
        words=words,
        description=description,
        aliases=tuple(aliases),
        notes=tuple(notes),
        arguments=tuple(_argument_help(one) for one in grammar.positionals),
        options=tuple(_option_help(one) for one in grammar.options),
        has_events=has_events,
    )


def _notes(parameter: Parameter) -> tuple[str, ...]:
    notes: list[str] = []
    if parameter.choices and (parameter.is_positional or _placeholder(parameter) == "choice"):
        notes.append("one of: " + ", ".join(text for text, _ in parameter.choices))
    if parameter.aliases:
        notes.append("also " + ", ".join(f"--{name}" for name in parameter.aliases))
    if parameter.is_repeated and not parameter.is_positional:
        notes.append("may be repeated")
    if default := _spelled_default(parameter.default):
        notes.append(f"default: {default}")
    return tuple(notes)


def _spelled_default(default: object) -> str:
    if isinstance(default, list):
        return ", ".join(spelled(item) for item in cast("list[object]", default))
    return "" if default is None else spelled(default)


def _placeholder(parameter: Parameter) -> str:
    if parameter.form == "choice":
        choices = "|".join(text for text, _ in parameter.choices)
        return choices if len(choices) <= _LONGEST_CHOICES else "choice"
    if parameter.form == "number":
        return "number"
    # Of `date and time such as 2026-01-31T09:30:00Z` this is `date-time`.
    return parameter.words.replace(" and ", "-").partition(" ")[0].lower()


def _argument_help(parameter: Parameter) -> ArgumentHelp:
    return ArgumentHelp(
        name=parameter.name,
        description=parameter.description,
        notes=_notes(parameter),
        is_required=parameter.is_required,
        is_repeated=parameter.is_repeated,
    )


def _option_help(parameter: Parameter) -> OptionHelp:
    return OptionHelp(
        name=parameter.name,
        value=None if parameter.form == "flag" else _placeholder(parameter),
        description=parameter.description,
        notes=_notes(parameter),
        is_required=parameter.is_required,
    )
