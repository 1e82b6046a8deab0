"""Pieces of JSON Schema: scalars, enumerated values, unions, and what constraints add to them.

    Path                   string of at least one character
    date, UUID, Url        string with `format`
    datetime, time         string, with `format` where the schema tells what to write (mode `input`)
    enum, Literal          `enum` beside one `type`; values of several types become a union
    T | U                  `anyOf`, flat, without repetition; `T | None` as well

A union is never a list of types (`"type": ["string", "null"]`): readers that translate schemas for
a model know one type per schema, and some refuse the whole catalogue otherwise.  For the same
readers an array always has `items`, an object `properties` or `additionalProperties`, and no
schema but `additionalProperties` is a boolean.

RFC 3339 wants a zone and seconds in a time; Python's values may have neither, and a validator that
enforces formats would refuse a result that is right.  So results do not say `format` there.

Nothing here knows classes or containers; `json_schema` does.
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from types import NoneType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from trio_agent.protocol.schema.constraint import (
    AbsoluteUrl,
    Constraint,
    Ge,
    Gt,
    Le,
    Lt,
    MaxLength,
    MinLength,
    OneOf,
    Pattern,
    wire_kind,
)
from trio_agent.protocol.schema.portable import portable
from trio_agent.protocol.schema.words import is_path_class, options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from trio_agent.protocol.schema.constraint import WireKind

Schema: TypeAlias = dict[str, object]
"""One JSON Schema object; made anew for each use, so whoever receives it may change it."""

Mode: TypeAlias = Literal["input", "output"]
"""Whether a schema says what to write, or what may come back."""

_SCALARS: Final[Mapping[object, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    None: {"type": "null"},
    dt.datetime: {"type": "string", "format": "date-time"},
    dt.date: {"type": "string", "format": "date"},
    dt.time: {"type": "string", "format": "time"},
    uuid.UUID: {"type": "string", "format": "uuid"},
}
_NEEDS_ZONE: Final = frozenset[object]({dt.datetime, dt.time})

_KINDS: Final[Mapping[object, WireKind]] = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "array": "array",
    "object": "object",
}
_BOUNDS: Final[Mapping[type[Constraint], str]] = {
    Ge: "minimum",
    Gt: "exclusiveMinimum",
    Le: "maximum",
    Lt: "exclusiveMaximum",
}
_ENDS: Final[Mapping[type[Constraint], str]] = {MinLength: "min", MaxLength: "max"}
_LENGTHS: Final[Sequence[tuple[WireKind, str]]] = (
    ("string", "Length"),
    ("array", "Items"),
    ("object", "Properties"),
)
_TIGHTER: Final[Mapping[str, Callable[[float, float], float]]] = {
    "minimum": max,
    "exclusiveMinimum": max,
    "maximum": min,
    "exclusiveMaximum": min,
    **{f"min{noun}": max for _, noun in _LENGTHS},
    **{f"max{noun}": min for _, noun in _LENGTHS},
}


def scalar_schema(type_: object, mode: Mode) -> Schema | None:
    """The schema of a bare type without parts; None for any other type."""
    if choices := options(type_):
        return option_schema([option.plain for option in choices])
    if is_path_class(type_):
        return {"type": "string", "minLength": 1}
    if mode == "output" and type_ in _NEEDS_ZONE:
        return {"type": "string"}
    schema = _SCALARS.get(type_)
    return None if schema is None else dict(schema)


def option_schema(values: Sequence[object]) -> Schema:
    """The schema of exactly these JSON values, of which there is at least one."""
    by_type: dict[str, list[object]] = {}
    for value in values:
        by_type.setdefault(_type_name(value), []).append(value)
    if by_type.keys() == {"integer", "number"}:
        # One enumeration that has whole numbers among others.
        by_type = {"number": list(values)}
    return any_of(
        {"type": "null"} if name == "null" else {"type": name, "enum": group}
        for name, group in by_type.items()
    )


def _type_name(value: object) -> str:
    # What no kind fits has been refused by `options`.
    return "integer" if type(value) is int else str(wire_kind(value))


def any_of(schemas: Iterable[Schema]) -> Schema:
    """The union of at least one schema."""
    members: dict[str, Schema] = {}
    for schema in schemas:
        for member in _members_of(schema):
            members.setdefault(same_text(member), member)
    if same_text({"type": "number"}) in members:
        members.pop(same_text({"type": "integer"}), None)
    distinct = list(members.values())
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _members_of(schema: Schema) -> Sequence[Schema]:
    return cast("Sequence[Schema]", schema["anyOf"]) if schema.keys() == {"anyOf"} else [schema]


def same_text(schema: object) -> str:
    """A text that two schemas share exactly when they are equal; `1` and `true` are not."""
    return json.dumps(schema, sort_keys=True)


def constrained(schema: Schema, constraint: Constraint) -> Schema:
    """*schema* with one more constraint, where it applies.

    Args:
        schema: never changed.
        constraint: of a union, goes into the members that it is about.
    """
    if "anyOf" in schema:
        members = cast("Sequence[Schema]", schema["anyOf"])
        return {**schema, "anyOf": [constrained(member, constraint) for member in members]}
    if "$ref" in schema:
        kind: WireKind | None = "object"
    else:
        kind = _KINDS.get(schema.get("type"))
    result = dict(schema)
    for applies_to, keyword, value in _keywords(constraint, kind):
        if kind in {None, applies_to}:
            _add(result, keyword, value)
    return result


def _keywords(
    constraint: Constraint, kind: WireKind | None
) -> Iterator[tuple[WireKind, str, object]]:
    """The keywords of a constraint, each with the kind of value that it is about."""
    match constraint:
        case Ge(limit) | Gt(limit) | Le(limit) | Lt(limit):
            yield "number", _BOUNDS[type(constraint)], limit
        case MinLength(length) | MaxLength(length):
            for sized, noun in _LENGTHS:
                yield sized, f"{_ENDS[type(constraint)]}{noun}", length
        case OneOf(values):
            # `enum` is about values of any kind: without a type it would refuse the others.
            if kind is not None and kind in constraint.kinds:
                yield kind, "enum", [value for value in values if wire_kind(value) == kind]
        case AbsoluteUrl():
            yield "string", "format", "uri"
        case Pattern(regex):
            yield from _pattern(regex)


def _pattern(regex: str) -> Iterator[tuple[WireKind, str, object]]:
    if (pattern := portable(regex).ecma) is not None:
        yield "string", "pattern", pattern


def _add(schema: Schema, keyword: str, value: object) -> None:
    present = schema.get(keyword, value)
    if keyword in _TIGHTER:
        schema[keyword] = _TIGHTER[keyword](cast("float", present), cast("float", value))
    elif keyword == "enum":
        allowed = OneOf(tuple(cast("Sequence[str]", value)))
        schema[keyword] = [one for one in cast("list[object]", present) if allowed.accepts(one)]
    elif present == value:
        schema[keyword] = value
    else:
        # A schema has one pattern; the others stand beside it.
        others = cast("list[object]", schema.get("allOf", []))
        schema["allOf"] = [*others, {keyword: value}]
