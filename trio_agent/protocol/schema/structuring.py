"""JSON -> declared type, strictly: nothing coerced, nothing ignored, every issue at once.

    attrs class                     object by alias; unknown and missing members are issues
    str int float bool None         themselves; an integer is good for a float, nothing else is
    Path datetime date time UUID    strings, as `vocabulary.plain` writes them
    enum, Literal                   by value
    list, tuple, Sequence           array; `tuple[A, B]` has two items, Sequence gives a tuple
    dict, Mapping                   object; keys are of any type that is written as a string
    X | Y                           exactly one must fit (`union`)
    object, Any, JsonValue          any JSON
    Annotated[T, ...]               T, then its constraints

cattrs finds the hook of each field and builds the constructor of each class (`attrs_class`); the
hooks are ours.  cattrs comes with this module, so whatever shows help does without it.  A type
that no line above names is refused when it is first used: a `DeclarationError` for the author,
not an issue for the caller.

Those validators of attrs that say something about the JSON (`validators`) are read as constraints.
All of them run when the members of a class fit otherwise, and a failure becomes an issue; attrs
stops at the first, so of the ones that are no constraints a second appears when the first has
been mended.
"""

from __future__ import annotations

import functools
import math
import pathlib
from typing import TYPE_CHECKING, Final, TypeVar, get_args, get_origin, overload

import attrs
from cattrs import Converter

from trio_agent.protocol.schema.attrs_class import class_hook
from trio_agent.protocol.schema.constraint import holds, wire_kind
from trio_agent.protocol.schema.container import array_hook, mapping_hook, tuple_hook
from trio_agent.protocol.schema.declared import (
    bare_type,
    is_anything,
    is_attrs_class,
    union_members,
)
from trio_agent.protocol.schema.issues import (
    MismatchError,
    SchemaError,
    SchemaIssue,
    mismatch,
)
from trio_agent.protocol.schema.scalar import scalar_hook
from trio_agent.protocol.schema.union import union_hook
from trio_agent.protocol.schema.words import (
    LISTS,
    MAPPINGS,
    constraints_of,
    is_fixed_tuple,
    mapping_parts,
    no_wire_form,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from trio_agent.protocol.schema.container import Part
    from trio_agent.protocol.schema.declared import BareType
    from trio_agent.protocol.schema.scalar import Hook
    from trio_agent.vocabulary.json import Json

T = TypeVar("T")

_ASKED_BY_CLASS: Final = (str, bytes, int, float, pathlib.Path)
"""cattrs has hooks for these classes and their subclasses, which go before any factory."""


@overload
def structure(type_: type[T], data: object, *, place: str = "value") -> T: ...


@overload
def structure(type_: object, data: object, *, place: str = "value") -> object: ...


def structure(type_: object, data: object, *, place: str = "value") -> object:
    """Read *data* as a value of *type_*.

    What `vocabulary.plain.to_plain` wrote for a value of that type gives an equal value.

    Args:
        type_: any type of the table above.
        data: JSON, as `json.loads` gives it; never changed, but parts of it may be kept where
            the type is `object`.
        place: how the value is called in issues.

    Raises:
        SchemaError: *data* does not fit; it has all the issues.
        DeclarationError: *type_* has no wire form.
    """
    hook = _hook_for(type_)
    issues: Sequence[SchemaIssue]
    try:
        return hook(data, type_)
    except MismatchError as error:
        issues = error.issues
    except RecursionError:
        issues = (SchemaIssue(expected="a value that nests less deeply", received="..."),)
    raise SchemaError(attrs.evolve(issue, place=place) for issue in issues)


def value_checker(type_: object) -> Callable[[Json], None]:
    """A check that a frozen JSON value is one of *type_*.

    The check raises `SchemaError`, a `ContractError`, whose paths begin with `value`.

    Raises:
        DeclarationError: now, when *type_* has no wire form.
    """
    _hook_for(type_)
    if is_anything(bare_type(type_).type_):
        return lambda _: None

    def check(value: Json) -> None:
        structure(type_, value.value)

    return check


@functools.cache
def _converter() -> Converter:
    converter = Converter()
    for known in _ASKED_BY_CLASS:
        converter.register_structure_hook(known, _read_by_class)
    converter.register_structure_hook_factory(lambda _: True, _build)
    return converter


def _read_by_class(value: object, type_: Hashable) -> object:
    return _build(type_)(value, type_)


def _hook_for(type_: object) -> Hook:
    if _is_asked_by_class(type_):
        return _build(type_)
    # cattrs declares hooks with Any; all of ours have one shape.
    hook: Hook = _converter().get_structure_hook(type_)
    return hook


def _refuse_early(type_: object) -> None:
    """Refuse a field now whose hook would be built with its first value only."""
    if _is_asked_by_class(type_):
        _build(type_)


def _is_asked_by_class(type_: object) -> bool:
    return isinstance(type_, type) and issubclass(type_, _ASKED_BY_CLASS)


@functools.cache
def _build(type_: Hashable) -> Hook:
    """The hook of *type_*, from the hooks of its parts.

    In a recursive class cattrs interrupts this with a `RecursionError`, which it catches where
    the field is, and asks again when the first value comes.
    """
    bare = bare_type(type_)
    if bare.type_ is not type_:
        return _constrained(bare)
    if is_anything(type_):
        return _read_anything
    if is_attrs_class(type_):
        return class_hook(type_, _converter(), _refuse_early, _hook_for)
    if members := union_members(type_):
        return union_hook([_part(member) for member in members])
    return scalar_hook(type_) or _container_hook(type_)


def _part(type_: object) -> Part:
    return type_, _hook_for(type_)


def _container_hook(type_: object) -> Hook:
    origin, arguments = get_origin(type_) or type_, get_args(type_)
    if origin in MAPPINGS:
        key, item = mapping_parts(type_)
        return mapping_hook(_part(key), _part(item))
    if is_fixed_tuple(type_):
        return tuple_hook([_part(argument) for argument in arguments])
    if origin in LISTS:
        make = list if origin is list else tuple
        return array_hook(_part(arguments[0] if arguments else object), make)
    raise no_wire_form(type_)


def _constrained(bare: BareType) -> Hook:
    constraints, hook = constraints_of(bare), _hook_for(bare.type_)
    if not constraints:
        return hook

    def read(value: object, _: object) -> object:
        result = hook(value, bare.type_)
        broken = [constraint for constraint in constraints if not holds(constraint, value)]
        if broken:
            raise MismatchError(
                *(SchemaIssue(expected=one.words(value), received=value) for one in broken)
            )
        return result

    return read


def _read_anything(value: object, _: object) -> object:
    # What hangs below has come through the JSON gate, or will have to.
    if wire_kind(value) is None or (isinstance(value, float) and not math.isfinite(value)):
        raise mismatch("JSON value", value)
    return value
