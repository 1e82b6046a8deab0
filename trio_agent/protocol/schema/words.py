"""Declared types in words: what an issue says was expected, and what a type is on the wire.

The words are those of JSON, because whoever sent the value sees JSON: `string`, `number`,
`array`.  Constraints have words of their own in `constraint`.

Below `structuring` and `json_schema`, so that they agree on what a type is and on what is none.
"""

from __future__ import annotations

import datetime as dt
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Final, Literal, final, get_args, get_origin

import attrs

from trio_agent.errors import ContractError
from trio_agent.protocol.schema.constraint import CONSTRAINTS, Constraint, WireKind, wire_kind
from trio_agent.protocol.schema.declared import (
    BareType,
    bare_type,
    is_anything,
    is_attrs_class,
    union_members,
)
from trio_agent.protocol.schema.issues import DeclarationError, show
from trio_agent.shown import shown
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.plain import NotPlainError, to_plain

_WORDS: Final[dict[object, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    None: "null",
    dt.datetime: "date and time such as 2026-01-31T09:30:00Z",
    dt.date: "date such as 2026-01-31",
    dt.time: "time such as 09:30:00",
    uuid.UUID: "UUID",
}
_KINDS: Final[dict[object, WireKind]] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    None: "null",
    dt.datetime: "string",
    dt.date: "string",
    dt.time: "string",
    uuid.UUID: "string",
}
_ANY_KIND: Final[frozenset[WireKind]] = frozenset(get_args(WireKind))
_STRINGS: Final[frozenset[WireKind]] = frozenset({"string"})
_ALWAYS_JSON: Final = frozenset({str, int, bool, NoneType})
LISTS: Final = (list, tuple, Sequence)
MAPPINGS: Final = (dict, Mapping)


@final
@attrs.frozen
class Option:
    """One value of an enum or a literal: how it is written, and what it is in Python."""

    plain: object
    value: object

    __repr__ = shown


def options(type_: object) -> tuple[Option, ...]:
    """The values of a bare enum class or `Literal`, in their order; nothing for other types."""
    if get_origin(type_) is Literal:
        values = get_args(type_)
    elif isinstance(type_, type) and issubclass(type_, enum.Enum):
        values = tuple(type_)
    else:
        return ()
    return tuple(Option(_written(type_, value), value) for value in values)


def _written(type_: object, value: object) -> object:
    """One value of an enum or literal as JSON."""
    try:
        plain = to_plain(value, "an option")
        if type(plain) not in _ALWAYS_JSON:
            Json.of(plain, "an option")
    except (NotPlainError, ContractError) as error:
        raise DeclarationError(f"{type_} has no wire form: {error}") from None
    return plain


def is_path_class(type_: object) -> bool:
    """Whether it is `Path` or one of its relatives."""
    return isinstance(type_, type) and issubclass(type_, pathlib.PurePath)


def expected_words(type_: object) -> str:
    """What is expected where *type_* is declared, to complete "expected ..."."""
    bare = bare_type(type_).type_
    if is_anything(bare):
        return "JSON value"
    if members := union_members(bare):
        return " or ".join(dict.fromkeys(map(expected_words, members)))
    if choices := options(bare):
        return "one of: " + ", ".join(show(option.plain) for option in choices)
    return _words_of_one(bare)


def _words_of_one(bare: object) -> str:
    if is_path_class(bare):
        return "path"
    if is_attrs_class(bare):
        return f"object ({bare.__name__})"
    origin = get_origin(bare) or bare
    if origin in LISTS:
        return "array"
    return "object" if origin in MAPPINGS else _WORDS.get(bare, "value")


def wire_kinds(type_: object) -> frozenset[WireKind]:
    """What values of *type_* can be in JSON; nothing for a type without a wire form."""
    bare = bare_type(type_).type_
    if is_anything(bare):
        return _ANY_KIND
    if members := union_members(bare):
        return frozenset[WireKind]().union(*map(wire_kinds, members))
    if choices := options(bare):
        return frozenset(kind for option in choices if (kind := wire_kind(option.plain)))
    kind = _kind_of_one(bare)
    return frozenset() if kind is None else frozenset({kind})


def _kind_of_one(bare: object) -> WireKind | None:
    origin = get_origin(bare) or bare
    if origin in LISTS:
        return "array"
    if origin in MAPPINGS or is_attrs_class(bare):
        return "object"
    return "string" if is_path_class(bare) else _KINDS.get(bare)


def constraints_of(bare: BareType) -> tuple[Constraint, ...]:
    """The constraints in the metadata of a type, innermost first.

    Raises:
        DeclarationError: one can never apply to the type.
    """
    constraints = [item for item in bare.metadata if isinstance(item, CONSTRAINTS)]
    kinds = wire_kinds(bare.type_) if constraints else _ANY_KIND
    for constraint in constraints:
        if not kinds & constraint.kinds:
            raise DeclarationError(f"{constraint} can never apply to {bare.type_}")
    return tuple(constraints)


def is_fixed_tuple(type_: object) -> bool:
    """Whether it is `tuple[A, B]`, one type for each place, and not `tuple[A, ...]` or `tuple`."""
    arguments = get_args(type_)
    return get_origin(type_) is tuple and arguments[1:] != (...,)


def mapping_parts(type_: object) -> tuple[object, object]:
    """The types of the keys and of the values of a `dict` or `Mapping`.

    Raises:
        DeclarationError: the keys are not always written as strings.
    """
    key, item = get_args(type_) or (str, object)
    if wire_kinds(key) != _STRINGS:
        raise DeclarationError(f"{type_} has keys that are not written as strings")
    return key, item


def no_wire_form(type_: object) -> DeclarationError:
    """The error about a type that no table has."""
    return DeclarationError(
        f"{type_!r} has no wire form; declare an attrs class, a list, a tuple, a dict or a scalar"
    )
