"""How the fields of a tool look as options: what `flags=` of `@tool_command` says.

    flags={"count": {"name": "top", "aliases": ["n"], "default": 5, "description": "How many."}}

A key is a field of the tool's input, as it is called in JSON.  Whether there is such a field is
seen only when the tool's module is imported: `tool_commands`.  Pure.  Above: `arguments`, which
judges the literal, and `tool_commands`, which judges it once more and reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.errors import abridge
from trio_agent.routes.walk import SEGMENT
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


@final
@attrs.frozen(kw_only=True)
class Flag:
    """What is said about one field.

    Attributes:
        name: of the option or the argument; None for that of the field, in kebab-case.
        aliases: further names of the option.
        default: JSON that stands for an option that is not given; `attrs.NOTHING` for none.
        description: instead of the field's.
        is_required: False when the function makes what is not given; None leaves it to the field.
    """

    name: str | None = None
    aliases: tuple[str, ...] = ()
    default: object = attrs.field(factory=lambda: attrs.NOTHING)
    description: str | None = None
    is_required: bool | None = None

    __repr__ = shown


def refusal_of_flags(flags: Mapping[str, object]) -> str | None:
    """Why a JSON object is no `flags=`; None when it is one."""
    return next(_refusals(flags), None)


def read_flags(flags: Mapping[str, object]) -> dict[str, Flag]:
    """The flags by field, from an object that `refusal_of_flags` has nothing against."""
    return {field: _flag(cast("Mapping[str, object]", said)) for field, said in flags.items()}


def _flag(said: Mapping[str, object]) -> Flag:
    return Flag(
        name=cast("str | None", said.get("name")),
        aliases=tuple(cast("Sequence[str]", said.get("aliases", ()))),
        default=said.get("default", attrs.NOTHING),
        description=cast("str | None", said.get("description")),
        is_required=cast("bool | None", said.get("required")),
    )


def _refusals(flags: Mapping[str, object]) -> Iterator[str]:
    for field, said in flags.items():
        place = f"flags[{abridge(field)}]"
        if isinstance(said, dict):
            yield from _refusals_of_one(place, cast("Mapping[str, object]", said))
        else:
            yield f"{place} is an object, received {abridge(said)}"


def _refusals_of_one(place: str, said: Mapping[str, object]) -> Iterator[str]:
    for key, value in said.items():
        if key not in KEYS:
            yield f"{place}: {abridge(key)} is no key; there are {', '.join(KEYS)}"
        elif not KEYS[key][1](value):
            yield f"{place}: {key} is {KEYS[key][0]}, received {abridge(value)}"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and SEGMENT.fullmatch(value) is not None


def _is_names(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_name, cast("list[object]", value)))


_NAME: Final = "letters, digits and inner . _ -, without dashes before them"
KEYS: Final[Mapping[str, tuple[str, Callable[[object], bool]]]] = {
    "name": (_NAME, _is_name),
    "aliases": (f"a list of names of {_NAME}", _is_names),
    "default": ("JSON", lambda _: True),
    "description": (
        "a string that is not blank",
        lambda value: isinstance(value, str) and bool(value.strip()),
    ),
    "required": (
        "False, or left to the field; nothing else can be asked for",
        lambda value: value is False,
    ),
}
"""The keys of one field, what each takes in words, and whether a value is that."""
