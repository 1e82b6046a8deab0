"""What attrs validators say, as constraints on the type of their field.

    ge gt le lt            Ge Gt Le Lt, for a finite bound
    min_len max_len        MinLength MaxLength
    matches_re             Pattern, without flags
    in_                    OneOf, for strings, numbers and members of an enum
    and_ optional          their parts; a constraint lets null pass anyway
    deep_iterable          on the items
    deep_mapping           on keys and values

A validator judges the Python value and a constraint the JSON, so one becomes the other only where
the two are the same: on strings, numbers, arrays and objects without a class, not on a path or
a date, and not behind a converter.  Everything else (`or_`, `not_`, `instance_of`, functions) is left to the constructor,
which runs the validators here as well.  So constraints add two things: a schema says them, and
all that are broken are reported at once.

The classes of these validators are private to attrs; `tests/protocol/schema/test_validators.py`
fails when one of their names changes.
"""

from __future__ import annotations

import functools
import math
import re
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Final,
    Protocol,
    TypeGuard,
    Union,
    cast,
    get_args,
    get_origin,
)

from trio_agent.protocol.schema.constraint import (
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
from trio_agent.protocol.schema.declared import bare_type, is_anything, union_members
from trio_agent.protocol.schema.portable import portable
from trio_agent.protocol.schema.words import LISTS, MAPPINGS, options, wire_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from trio_agent.protocol.schema.declared import DeclaredField

_BOUNDS: Final[Mapping[object, Callable[[float], Constraint]]] = {
    ">=": Ge,
    ">": Gt,
    "<=": Le,
    "<": Lt,
}
_SAME: Final = frozenset[object]({str, int, float})
"""Scalars that are in Python what they are in JSON."""

_KNOWN: Final = _SAME | {NoneType}

_MOST_OPTIONS: Final = 200
"""Values of `in_` that are worth spelling out."""


class _Subscriptable(Protocol):
    def __getitem__(self, key: object, /) -> object: ...


def narrowed_type(field: DeclaredField) -> object:
    """The type of *field* with what its validator says; as it is when nothing is added."""
    # A validator comes after the converter, and judges what nobody sent.
    return field.type_ if field.has_converter else narrowed(field.type_, field.validator)


def narrowed(type_: object, validator: object) -> object:
    """*type_* with what its attrs validator says about the JSON, in `Annotated`.

    Args:
        type_: of a field.
        validator: of the same field; None for none.
    """
    if not _is_of_attrs(validator):
        return type_
    match type(validator).__name__:
        case "_AndValidator":
            parts = cast("Sequence[object]", _part(validator, "_validators"))
            type_ = functools.reduce(narrowed, parts, type_)
        case "_OptionalValidator":
            type_ = narrowed(type_, _part(validator, "validator"))
        case "_DeepIterable":
            type_ = narrowed(type_, _part(validator, "iterable_validator"))
            type_ = _with_items(type_, _part(validator, "member_validator"))
        case "_DeepMapping":
            type_ = narrowed(type_, _part(validator, "mapping_validator"))
            of_key, of_value = (
                _part(validator, "key_validator"),
                _part(validator, "value_validator"),
            )
            type_ = _with_entries(type_, of_key, of_value)
        case _:
            if constraints := tuple(_applicable(type_, validator)):
                type_ = _subscript(Annotated, type_, *constraints)
    return type_


def _is_of_attrs(validator: object) -> bool:
    return type(validator).__module__ in {"attr.validators", "attr._make"}


def _part(validator: object, name: str) -> object:
    part: object = getattr(validator, name)
    return part


def _applicable(type_: object, validator: object) -> Iterator[Constraint]:
    """The constraint of one validator, if there is one and it means the same on JSON."""
    if type(validator).__name__ == "_InValidator":
        yield from _one_of(type_, validator)
        return
    constraint = _constraint(validator)
    if constraint is None:
        return
    concerned = [one for one in _members(type_) if wire_kinds(one) & constraint.kinds]
    if concerned and all(map(_is_same_in_json, concerned)):
        yield constraint


def _members(type_: object) -> Iterator[object]:
    """The bare types that a value may be of."""
    bare = bare_type(type_).type_
    if not is_anything(bare) and (members := union_members(bare)):
        for member in members:
            yield from _members(member)
    else:
        yield bare


def _is_same_in_json(bare: object) -> bool:
    if any(option.value is not option.plain for option in options(bare)):
        return False
    origin = get_origin(bare) or bare
    is_container = origin in LISTS or origin in MAPPINGS
    return bare in _SAME or is_container or is_anything(bare) or bool(options(bare))


def _constraint(validator: object) -> Constraint | None:
    match type(validator).__name__:
        case "_NumberValidator":
            bound = _part(validator, "bound")
            make = _BOUNDS.get(_part(validator, "compare_op"))
            return make(bound) if make is not None and _is_number(bound) else None
        case "_MinLengthValidator":
            return _length(MinLength, _part(validator, "min_length"))
        case "_MaxLengthValidator":
            return _length(MaxLength, _part(validator, "max_length"))
        case "_MatchesReValidator":
            return _pattern(validator)
        case _:
            return None


def _is_number(value: object) -> TypeGuard[float]:
    return type(value) in {int, float} and math.isfinite(cast("float", value))


def _length(make: Callable[[int], Constraint], length: object) -> Constraint | None:
    return make(length) if type(length) is int and length >= 0 else None


def _pattern(validator: object) -> Pattern | None:
    compiled = cast("re.Pattern[str]", _part(validator, "pattern"))
    regex, how = cast("object", compiled.pattern), _part(validator, "match_func")
    how = getattr(how, "__name__", "")
    if not isinstance(regex, str) or compiled.flags != re.UNICODE:
        return None
    if how == "fullmatch":
        return Pattern(f"^(?:{regex})$")
    if portable(regex).python != regex:
        # A `$` that lets a line break follow, which a Pattern does not.
        return None
    return Pattern(regex if how == "search" else f"^(?:{regex})")


def _one_of(type_: object, validator: object) -> Iterator[Constraint]:
    members = [member for member in _members(type_) if member is not NoneType]
    allowed = cast("Container[object]", _part(validator, "options"))
    if all(map(options, members)):
        values: Sequence[object] = [
            option.plain
            for member in members
            for option in options(member)
            if _is_in(option.value, allowed)
        ]
    elif all(member in _SAME for member in members):
        # Null passes a constraint anyway; whether it may be there is for the constructor.
        kinds = wire_kinds(type_) - {"null"}
        values = [value for value in _listed(validator) if wire_kind(value) in kinds]
    else:
        return
    if values and all(type(value) in _SAME for value in values):
        yield OneOf(tuple(cast("Sequence[str | int | float]", values)))


def _is_in(value: object, allowed: Container[object]) -> bool:
    try:
        return value in allowed
    except TypeError:
        # As attrs has it: `1 in "abc"`.
        return False


def _listed(validator: object) -> Sequence[object]:
    """The options as they are listed; nothing when they cannot be, or should not."""
    allowed, written = _part(validator, "options"), _part(validator, "_original_options")
    if not isinstance(allowed, (tuple, frozenset, range)):
        return ()
    listed: list[object] = list(cast("Iterable[object]", allowed))
    if len(listed) > _MOST_OPTIONS or not all(type(one) in _KNOWN for one in listed):
        return ()
    # A set has another order in every process, and a schema should have one.
    return sorted(listed, key=str) if isinstance(written, (set, frozenset)) else listed


def _with_items(type_: object, validator: object) -> object:
    def change(bare: object) -> object:
        origin, arguments = get_origin(bare), get_args(bare)
        if origin not in LISTS or not arguments:
            return bare
        rest = arguments[1:] if arguments[1:] == (...,) else ()
        places = arguments[: len(arguments) - len(rest)]
        return _subscript(origin, *(narrowed(place, validator) for place in places), *rest)

    return _changed(type_, change)


def _with_entries(type_: object, of_key: object, of_value: object) -> object:
    def change(bare: object) -> object:
        origin, arguments = get_origin(bare), get_args(bare)
        if origin not in MAPPINGS or not arguments:
            return bare
        key, value = arguments
        return _subscript(origin, narrowed(key, of_key), narrowed(value, of_value))

    return _changed(type_, change)


def _changed(type_: object, change: Callable[[object], object]) -> object:
    """*type_* with every member of a union changed, or itself when it is none."""
    bare = bare_type(type_)
    if members := union_members(bare.type_):
        inner = _subscript(Union, *(_changed(member, change) for member in members))
    else:
        inner = change(bare.type_)
    return _subscript(Annotated, inner, *bare.metadata) if bare.metadata else inner


def _subscript(generic: object, *arguments: object) -> object:
    return cast("_Subscriptable", generic)[arguments]
