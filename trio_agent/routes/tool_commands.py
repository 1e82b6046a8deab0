"""A tool's command: the decorator `@tool_command`, and what it makes of a function.

    typed words ► defaults of `flags=` ► the function ► the tool's input, checked by its types

The function turns what was typed into the input of the tool; one without a parameter turns
nothing, and only what the decorator says counts.  A `ToolCommand` knows neither its tool nor its
words' place: the path of its module says which tool it is of.

Above: `application`, and the command line, which reads words by it.  The arguments are those
that `static` reads; they change together.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Literal, ParamSpec, cast, final

import attrs

from trio_agent.errors import abridge
from trio_agent.protocol.schema.declared import declared_fields
from trio_agent.routes.declaring import check_facts, checked_handler, detached
from trio_agent.routes.flags import Flag, read_flags, refusal_of_flags
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FunctionType

    from trio_agent.protocol.schema.declared import DeclaredField

P = ParamSpec("P")


@final
@attrs.frozen(kw_only=True, eq=False)
class ToolCommand:
    """How a tool looks as a command.  Made by `tool_command`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        is_mapper: whether it makes the input; a function without a parameter makes none.
        command: the words that a person types; None for those of the server and the tool.
        aliases: other spellings of the last word.
        confirm: whether it has to be confirmed; None leaves it to the tool.
        description: instead of the tool's.
        title: instead of the tool's.
        exit_code: `result` when the value's `exitCode` becomes the exit code of the process.
        flags: what is said about fields, by field.
        positionals: the fields that are arguments, in their order; None leaves it to the types.
    """

    handler: Callable[[dict[str, object]], object]
    name: str
    is_mapper: bool
    command: str | None = None
    aliases: tuple[str, ...] = ()
    confirm: bool | None = None
    description: str | None = None
    title: str | None = None
    exit_code: Literal["result"] | None = None
    flags: Mapping[str, Flag] = attrs.field(factory=dict[str, Flag])
    positionals: tuple[str, ...] | None = None

    __repr__ = shown

    def complete(self, given: Mapping[str, object]) -> dict[str, object]:
        """What was typed, by field, with the defaults of what was not."""
        defaults = {
            field: flag.default
            for field, flag in self.flags.items()
            if flag.default is not attrs.NOTHING
        }
        return {**defaults, **given}

    def check(self, input_type: type[attrs.AttrsInstance]) -> None:
        """Find out whether it fits the tool.

        Args:
            input_type: the class of the tool's input.

        Raises:
            PluginError: it speaks of fields that the input does not have.
        """
        for fault in self._unknown_fields(declared_fields(input_type)):
            raise PluginError(fault)

    def faults(self, input_type: type[attrs.AttrsInstance]) -> Iterator[str]:
        """Everything that does not fit the tool, wrong defaults included, which takes longer."""
        fields = declared_fields(input_type)
        yield from self._unknown_fields(fields)
        for field in fields:
            flag = self.flags.get(field.alias)
            if flag is not None and flag.default is not attrs.NOTHING:
                yield from _wrong_default(field, flag.default)

    def _unknown_fields(self, fields: Sequence[DeclaredField]) -> Iterator[str]:
        known = [field.alias for field in fields if not field.computed]
        for argument, named in (("flags", self.flags), ("positionals", self.positionals or ())):
            for field in named:
                if field not in known:
                    there = ", ".join(known) or "none"
                    yield f"{argument}: {abridge(field)} is no field of the tool; there are {there}"
        for field in self.positionals or ():
            if field in self.flags and self.flags[field].aliases:
                yield f"flags[{abridge(field)}]: an argument has no other names"


def _wrong_default(field: DeclaredField, default: object) -> Iterator[str]:
    # lazy: it imports cattrs, and help needs no defaults that were checked.
    from trio_agent.protocol.schema.issues import SchemaError  # noqa: PLC0415
    from trio_agent.protocol.schema.structuring import structure  # noqa: PLC0415

    try:
        structure(field.type_, default, place=f"flags[{field.alias!r}]: the default")
    except SchemaError as error:
        for issue in error.issues:
            yield str(issue)


def tool_command(  # noqa: PLR0913  # one argument per thing that can be said
    *,
    description: str | None = None,
    title: str | None = None,
    command: str | None = None,
    aliases: Sequence[str] = (),
    confirm: bool | None = None,
    exit_code: Literal["result"] | None = None,
    flags: Mapping[str, Mapping[str, object]] | None = None,
    positionals: Sequence[str] | None = None,
) -> Callable[[Callable[P, object]], ToolCommand]:
    """Say how the tool beside this module looks as a command; `x_cli.py` is about the tool `x`.

    The function is a `def` of one parameter or of none.  With one it gets a dictionary of what
    was typed, JSON by field, defaults included, and returns the tool's input: a dictionary of the
    same kind, or an instance of the tool's input class.  What it raises is a usage error, exit
    code 2; a `ValueError` is told in its own words.  Without a parameter it is never called.

    All arguments are literals, since they are read without importing the module.

    Args:
        description: one sentence for help; by default the tool's.
        title: for menus; by default the tool's.
        command: the words, `"audit"` or `"db audit"`; by default those of server and tool.
        aliases: other spellings of the last word.
        confirm: whether the command runs with `--yes` only; by default unless the tool is
            declared read-only.
        exit_code: `"result"` when the value is an object whose `exitCode` is the exit code.
        flags: by field of the tool's input, an object of `name`, `aliases`, `default`,
            `description`, and `required`, which can only be False: the function makes what is
            not given.
        positionals: the fields that are arguments, in their order; by default as for `@command`.

    Returns:
        A decorator; the name in the module becomes a `ToolCommand`.

    Raises:
        PluginError: an argument is not what it takes; the decorated thing is no `def`, or takes
            more than one parameter.
    """
    flag_objects = detached(flags, "flags") or {}
    check_facts(
        "tool_command",
        {
            "description": description,
            "title": title,
            "command": command,
            "aliases": aliases,
            "confirm": confirm,
            "exit_code": exit_code,
            "flags": flag_objects,
            "positionals": positionals,
        },
    )
    refusal = refusal_of_flags(flag_objects)
    if refusal is not None:
        raise PluginError(f"@tool_command: {refusal}")

    def decorate(function: Callable[P, object]) -> ToolCommand:
        handler = checked_handler(function, "tool_command")
        return ToolCommand(
            handler=cast("Callable[[dict[str, object]], object]", handler),
            name=handler.__qualname__,
            is_mapper=_takes_flags(handler),
            command=command,
            aliases=tuple(aliases),
            confirm=confirm,
            description=description,
            title=title,
            exit_code=exit_code,
            flags=read_flags(flag_objects),
            positionals=None if positionals is None else tuple(positionals),
        )

    return decorate


def _takes_flags(function: FunctionType) -> bool:
    name = function.__qualname__
    if inspect.iscoroutinefunction(function):
        raise PluginError(f"{name} is an async def; the words of a command are read by a def")
    parameters = [*inspect.signature(function).parameters.values()]
    if len(parameters) > 1 or any(one.kind not in _BY_PLACE for one in parameters):
        raise PluginError(
            f"{name} takes one parameter, the dictionary of what was typed, or none; received"
            f" {inspect.signature(function)}"
        )
    return bool(parameters)


_BY_PLACE = frozenset({inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD})
