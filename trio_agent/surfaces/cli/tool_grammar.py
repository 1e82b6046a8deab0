"""What a tool takes when it is run as a command.

    every such command       --input JSON, the tool's whole input; --yes
    one with a projection    options and arguments for the fields of the input besides

`--input` stays where there are options, so that a projection takes nothing away from whoever
called the tool without one, and what has no form on a command line can still be given.

Pure.  Below: `grammar`.  Above: `tool_call`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.surfaces.cli.grammar import (
    RESERVED,
    Grammar,
    Parameter,
    check_grammar,
    draft_grammar,
    kebab_case,
)

if TYPE_CHECKING:
    from trio_agent.protocol.schema.declared import DeclaredField
    from trio_agent.routes.flags import Flag
    from trio_agent.routes.tool_commands import ToolCommand

INPUT: Final = "--input"
YES: Final = "--yes"
"""How the two options are called among the fields; no field can be called so."""

_RESERVED: Final = RESERVED | {"input", "yes"}

_WHOLE: Final = Parameter(
    alias=INPUT,
    name="input",
    form="text",
    words="JSON object",
    description="The whole input of the tool.",
)
_CONFIRMED: Final = Parameter(
    alias=YES,
    name="yes",
    form="flag",
    words="nothing, it needs no confirmation",
    description="Confirm that it may run.",
)


def tool_grammar(
    input_type: type[attrs.AttrsInstance],
    command: ToolCommand | None,
    reason: str | None = None,
) -> Grammar:
    """The command line of a tool.

    Args:
        input_type: the class of its input.
        command: what its projection says; None for a tool that has none.
        reason: why it runs with `--yes` only, `the tool ...`; None when it runs without.

    Raises:
        DeclarationError: see `read_grammar`, for a tool with a projection; but only fields that
            have to be given need a form on a command line.
    """
    confirmed = _CONFIRMED
    if reason is not None:
        words = f"a confirmation, since {reason}"
        confirmed = attrs.evolve(_CONFIRMED, words=words, is_required=True)
    if command is None:
        whole = attrs.evolve(_WHOLE, default={})
        return Grammar(input_type=input_type, positionals=(), options=(whole, confirmed))
    grammar = _projected(_drafted(input_type, command), command)
    check_grammar(grammar, _RESERVED)
    return attrs.evolve(grammar, options=(*grammar.options, _WHOLE, confirmed))


def shown_grammar(grammar: Grammar) -> Grammar:
    """The grammar as help tells it: without a `--yes` that is not needed."""
    options = tuple(one for one in grammar.options if one.alias != YES or one.is_required)
    return attrs.evolve(grammar, options=options)


def _drafted(input_type: type[attrs.AttrsInstance], command: ToolCommand) -> Grammar:
    """The fields that have a form on a command line.

    The others have to be given with `--input`, so nobody may need them who does not use it: they
    are optional, or the function makes them.
    """

    def is_left_out(field: DeclaredField) -> bool:
        flag = command.flags.get(field.alias)
        is_needed = flag is None or (flag.is_required is None and flag.default is attrs.NOTHING)
        return not (field.required and is_needed)

    return draft_grammar(input_type, is_left_out)


def _projected(draft: Grammar, command: ToolCommand) -> Grammar:
    chosen = command.positionals
    if chosen is None:
        chosen = tuple(one.alias for one in draft.positionals)
    parameters = {
        one.alias: _renamed(one, command.flags.get(one.alias), is_positional=one.alias in chosen)
        for one in (*draft.positionals, *draft.options)
    }
    for alias in chosen:
        if alias not in parameters:
            where = f"{draft.input_type.__qualname__}: the argument <{alias}>"
            raise DeclarationError(f"{where} has a type without a form on a command line")
    return attrs.evolve(
        draft,
        positionals=tuple(parameters[alias] for alias in chosen),
        options=tuple(one for one in parameters.values() if not one.is_positional),
    )


def _renamed(parameter: Parameter, flag: Flag | None, *, is_positional: bool) -> Parameter:
    """One field with what the projection says of it."""
    if flag is None:
        return attrs.evolve(parameter, is_positional=is_positional)
    has_default = flag.default is not attrs.NOTHING
    is_flag, sets = parameter.form == "flag", parameter.sets
    if is_flag and has_default:
        # A flag that is on already can only be switched off.
        sets = flag.default is not True
    name = parameter.name
    if flag.name is not None:
        name = flag.name
    elif sets is not parameter.sets:
        name = f"{'' if sets else 'no-'}{kebab_case(parameter.alias)}"
    return attrs.evolve(
        parameter,
        name=name,
        aliases=flag.aliases,
        description=flag.description or parameter.description,
        is_positional=is_positional,
        is_required=parameter.is_required and not has_default and flag.is_required is not False,
        sets=sets,
        default=flag.default if has_default and not is_flag else parameter.default,
    )
