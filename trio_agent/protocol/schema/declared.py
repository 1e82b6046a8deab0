"""Declared types, taken apart: what stands behind annotations, aliases and unions.

The only module that knows how Python spells a type.  It reads no value and imports no cattrs, so
help can be made of a class without either.

Rule: `BareType.type_` is never an `Annotated`, a `NewType` or a named alias.
"""

from __future__ import annotations

import types
from typing import (
    Annotated,
    Final,
    ForwardRef,
    Generic,
    TypeGuard,
    TypeVar,
    Union,
    cast,
    final,
    get_args,
    get_origin,
)

import attrs

from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.shown import shown
from trio_agent.vocabulary.json import JsonValue

T = TypeVar("T")


@final
@attrs.frozen
class BareType:
    """A type without its wrappings, and what `Annotated` said, outermost last."""

    type_: object
    metadata: tuple[object, ...]

    __repr__ = shown


def bare_type(type_: object) -> BareType:
    """*type_* without `Annotated`, `NewType` and named aliases, however they are nested."""
    metadata: tuple[object, ...] = ()
    while True:
        if get_origin(type_) is Annotated:
            type_, *inner = get_args(type_)
            metadata = (*inner, *metadata)
            continue
        # NewType has the first attribute, the `type` statement of Python 3.12 the second.
        behind: object = getattr(type_, "__supertype__", None) or getattr(type_, "__value__", None)
        if behind is None or isinstance(type_, type):
            return BareType(type_, metadata)
        type_ = behind


def found(metadata: tuple[object, ...], kind: type[T]) -> T | None:
    """The last object of class *kind* in the metadata of a type."""
    matching = [item for item in metadata if isinstance(item, kind)]
    return matching[-1] if matching else None


def union_members(type_: object) -> tuple[object, ...]:
    """The members of a union, or nothing when it is none; `None` comes as its class."""
    if get_origin(type_) in {Union, types.UnionType}:
        return get_args(type_)
    return ()


def without_none(type_: object) -> tuple[object, bool]:
    """`(T, True)` for `T | None`, otherwise the bare type as it came and False."""
    bare = bare_type(type_).type_
    members = union_members(bare)
    others = [member for member in members if member is not types.NoneType]
    if len(others) == 1 and len(members) == 2:
        return others[0], True
    return bare, False


def is_attrs_class(type_: object) -> TypeGuard[type[attrs.AttrsInstance]]:
    """Whether it is an attrs class, parameters not counted."""
    return isinstance(type_, type) and get_origin(type_) is None and attrs.has(type_)


def is_anything(type_: object) -> bool:
    """Whether any JSON value fits: `object`, `Any`, or the recursive alias `JsonValue`."""
    if type_ is object or getattr(type_, "__name__", "") == "Any" or _is_alias_text(type_):
        return True
    # Evaluated, the alias is a union that contains lists of the unevaluated alias.
    return any(
        get_origin(member) is list and _is_alias_text(get_args(member)[0])
        for member in union_members(type_)
    )


def _is_alias_text(type_: object) -> bool:
    text = type_.__forward_arg__ if isinstance(type_, ForwardRef) else type_
    return isinstance(text, str) and text in {cast("str", JsonValue), "JsonValue"}


PLACE: Final = "trio_agent.place"
"""Key in the metadata of a field that stands for something else: how errors call it."""


@final
@attrs.frozen(kw_only=True)
class DeclaredField:
    """One field of an attrs class, its annotation evaluated.

    Attributes:
        place: how errors call it: `curator.library.Book.title`, or the parameter it was made of.
        name: in Python.
        alias: on the wire and in the constructor.
        type_: `Annotated` included.
        computed: the class makes it; it is written, and when read it must be the same.
        required: it has neither a default nor is it computed.
        default: what the author gave; `attrs.Factory` as it is, `attrs.NOTHING` for none.
        validator: of attrs, run by the constructor; None for none.
        has_converter: the constructor changes what it is given, defaults included.
    """

    place: str
    name: str
    alias: str
    type_: object
    computed: bool
    required: bool
    default: object
    validator: object
    has_converter: bool

    __repr__ = shown


def declared_fields(type_: type[attrs.AttrsInstance]) -> tuple[DeclaredField, ...]:
    """The fields of an attrs class in their order.

    Raises:
        DeclarationError: an annotation is missing, cannot be evaluated or cannot be kept, or the
            class is generic.
    """
    name = f"{type_.__module__}.{type_.__qualname__}"
    if issubclass(type_, Generic):
        raise DeclarationError(f"{name} is generic; declare a class for each use")
    try:
        attrs.resolve_types(type_, include_extras=True)
    except NameError as error:
        raise DeclarationError(unresolved(name, error)) from error
    return tuple(_declared(name, field) for field in attrs.fields(type_))


def _declared(owner: str, field: attrs.Attribute[object]) -> DeclaredField:
    type_: object = field.type
    place = str(field.metadata.get(PLACE, f"{owner}.{field.name}"))
    if type_ is None:
        raise DeclarationError(f"{place} has no annotation; `object` means any JSON")
    try:
        hash(type_)
    except TypeError as error:
        raise DeclarationError(
            f"{place} has something in Annotated that is not hashable: {error}"
        ) from None
    return DeclaredField(
        place=place,
        name=field.name,
        alias=field.alias or field.name,
        type_=type_,
        computed=not field.init,
        required=field.init and field.default is attrs.NOTHING,
        default=field.default,
        validator=field.validator,
        has_converter=getattr(field, "converter", None) is not None,
    )


def unresolved(where: str, error: NameError) -> str:
    """The sentence about an annotation that names what does not exist when the program runs."""
    return (
        f"an annotation of {where} cannot be evaluated: {error};"
        " import it where the program runs, not under `if TYPE_CHECKING`"
    )
