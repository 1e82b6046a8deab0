"""Which default of a field is published, and that it fits what is published with it.

Published is the JSON of what the author wrote, `0`, `""`, `false`, `null` and `[]` like any other.
Not published is a default

    that has no JSON              a sentinel, an infinity, a function
    that a factory makes          except `list`, `dict` and `tuple`; any other may do anything
    that a converter changes      nobody knows what it will be

A published default has to fit its own type, constraints included, because readers fill forms
with it and send it back: `name: str = None` is an error here, before anybody calls.

Judged by `structuring`, which brings cattrs and is imported only for a default that does not fit at
sight: an instance, a date, a container that is not empty.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Final, cast, get_origin

import attrs

from trio_agent.errors import ContractError
from trio_agent.protocol.schema.constraint import CONSTRAINTS, holds
from trio_agent.protocol.schema.declared import bare_type, union_members
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError, show
from trio_agent.protocol.schema.scalar import is_same
from trio_agent.protocol.schema.words import (
    LISTS,
    MAPPINGS,
    is_fixed_tuple,
    is_path_class,
    options,
)
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.plain import NotPlainError, to_plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import PurePath

    from trio_agent.protocol.schema.declared import DeclaredField

# To a type checker it is a function, at run time it is a class.
_FACTORY: Final = cast("type", attrs.Factory)

_EMPTY: Final[Sequence[tuple[object, object]]] = ((list, ()), (dict, {}), (tuple, ()))
"""The factories that are known to make something empty and nothing else, and what they make."""

_SCALARS: Final = frozenset[object]({str, int, float, bool, NoneType})


def published_default(field: DeclaredField, type_: object) -> object:
    """The default of *field* as JSON; `attrs.NOTHING` for one that is not published.

    Args:
        field: not a computed one.
        type_: its type, with all of its constraints.

    Raises:
        DeclarationError: the default does not fit *type_*; names the field.
    """
    default = _known(field)
    if default is attrs.NOTHING:
        return default
    try:
        plain = Json.of(to_plain(default, field.alias)).value
    except (NotPlainError, ContractError):
        return attrs.NOTHING
    if not _fits_at_sight(type_, default, plain):
        _check(field, type_, plain)
    return plain


def _known(field: DeclaredField) -> object:
    """What the default is, as far as that can be known without running author code."""
    if field.has_converter:
        return attrs.NOTHING
    if isinstance(field.default, _FACTORY):
        made_by: object = getattr(field.default, "factory", None)
        return next((empty for make, empty in _EMPTY if made_by is make), attrs.NOTHING)
    return field.default


def _fits_at_sight(type_: object, default: object, plain: object) -> bool:
    bare = bare_type(type_)
    members = union_members(bare.type_) or (bare.type_,)
    constraints = [item for item in bare.metadata if isinstance(item, CONSTRAINTS)]
    return any(_is_of(member, default, plain) for member in members) and all(
        holds(constraint, plain) for constraint in constraints
    )


def _is_of(bare: object, default: object, plain: object) -> bool:
    """Whether a default is clearly of a bare type; False where that would take a closer look."""
    if bare in _SCALARS:
        return isinstance(bare, type) and type(default) is bare
    if is_path_class(bare):
        return isinstance(default, cast("type[PurePath]", bare))
    if choices := options(bare):
        return any(is_same(option.plain, plain) for option in choices)
    origin = get_origin(bare) or bare
    is_open_list = origin in LISTS and not is_fixed_tuple(bare)
    return (plain == [] and is_open_list) or (plain == {} and origin in MAPPINGS)


def _check(field: DeclaredField, type_: object, plain: object) -> None:
    # lazy: it imports cattrs, and most defaults fit at sight.
    from trio_agent.protocol.schema.structuring import structure  # noqa: PLC0415

    try:
        structure(type_, plain, place="default")
    except SchemaError as error:
        hint = "; declare `T | None`" if plain is None else ""
        raise DeclarationError(
            f"{field.place} has the default {show(plain)}, which its own type refuses"
            f" ({'; '.join(map(str, error.issues))}){hint}",
            has_place=True,
        ) from None
