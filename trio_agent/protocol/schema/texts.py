"""Values that come as text: the arguments of a prompt, the variables of a URI.

Text becomes the JSON that the declared type is read from, and nothing is decided here that
`structuring` does not decide again: what has none of the forms stays text, and is refused there
in the words of the type.

    str, Path, dates, UUID   the text
    int, float               a number as JSON writes it
    bool                     true, false
    enum, Literal            one of the values, as JSON writes it, strings without quotes
    X | Y                    the text if it may be one, else the first form that the text has

Arrays and objects have no such form.  The command line has forms of its own (`surfaces.cli`).
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final

from trio_agent.protocol.schema.declared import bare_type, declared_fields, union_members
from trio_agent.protocol.schema.words import options, wire_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import attrs

    from trio_agent.protocol.schema.constraint import WireKind

_INTEGER: Final = re.compile(r"-?(0|[1-9][0-9]{0,999})")
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,999})(\.[0-9]{1,999})?([eE][+-]?[0-9]{1,9})?")
_TEXTUAL: Final[frozenset[WireKind]] = frozenset({"string", "number", "boolean"})
_BOOLEANS: Final = {"true": True, "false": False}


def can_be_text(type_: object) -> bool:
    """Whether some value of *type_* can be given as text."""
    return bool(wire_kinds(type_) & _TEXTUAL)


def from_texts(type_: type[attrs.AttrsInstance], data: Mapping[str, object]) -> dict[str, object]:
    """The JSON object of an input whose members may be texts.

    Args:
        type_: the input class.
        data: members by alias; what is no string stays as it is, and so does what is unknown.

    Raises:
        DeclarationError: an annotation of *type_* cannot be evaluated.
    """
    types = {field.alias: field.type_ for field in declared_fields(type_)}
    return {
        name: _to_json(types[name], value) if type(value) is str and name in types else value
        for name, value in data.items()
    }


def _to_json(type_: object, text: str) -> object:
    return next(_readings(type_, text), text)


def _readings(type_: object, text: str) -> Iterator[object]:
    """What *text* may be for this type, best first; nothing when it has none of its forms."""
    bare = bare_type(type_).type_
    members = union_members(bare)
    if choices := options(bare):
        yield from (option.plain for option in choices if as_text(option.plain) == text)
    elif any("string" in wire_kinds(one) and not options(bare_type(one).type_) for one in members):
        yield text
    elif members:
        for member in members:
            yield from _readings(member, text)
    elif "string" in wire_kinds(bare):
        yield text
    else:
        yield from _scalars(bare, text)


def _scalars(bare: object, text: str) -> Iterator[object]:
    if bare is bool and text in _BOOLEANS:
        yield _BOOLEANS[text]
    elif (bare is int or bare is float) and _INTEGER.fullmatch(text):
        yield int(text)
    elif bare is float and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        yield float(text)


def as_text(plain: object) -> str:
    """The text of which a scalar of JSON was read."""
    return plain if isinstance(plain, str) else json.dumps(plain)
