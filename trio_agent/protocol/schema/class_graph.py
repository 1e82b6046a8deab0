"""Which classes a type is made of, and which of them contain themselves.

Read once for each schema, because that is what decides where a class is written out and where it
is referred to.  Knows types, not schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, final, get_args

import attrs

from trio_agent.protocol.schema.declared import bare_type, declared_fields, is_attrs_class
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trio_agent.protocol.schema.declared import DeclaredField

AttrsClass: TypeAlias = "type[attrs.AttrsInstance]"


@final
@attrs.frozen
class ClassGraph:
    """The classes below one type.

    Attributes:
        fields: of every class.
        recursive: those that contain themselves, by whatever way.
    """

    fields: Mapping[AttrsClass, tuple[DeclaredField, ...]]
    recursive: frozenset[AttrsClass]

    __repr__ = shown


def read_graph(type_: object) -> ClassGraph:
    """Read all classes below *type_*.

    Raises:
        DeclarationError: see `declared_fields`; names the field by which the class was reached.
    """
    fields: dict[AttrsClass, tuple[DeclaredField, ...]] = {}
    below: dict[AttrsClass, list[AttrsClass]] = {}
    for found in _classes_in(type_):
        _read(found, fields, below)
    recursive = frozenset(one for one in below if one in _reached(below, below[one]))
    return ClassGraph(fields, recursive)


def _classes_in(type_: object) -> Iterator[AttrsClass]:
    bare = bare_type(type_).type_
    if is_attrs_class(bare):
        yield bare
    else:
        # Of a union and of a container the parts; `Literal` has values there, which are none.
        for part in get_args(bare):
            yield from _classes_in(part)


def _read(
    type_: AttrsClass,
    fields: dict[AttrsClass, tuple[DeclaredField, ...]],
    below: dict[AttrsClass, list[AttrsClass]],
) -> None:
    if type_ in fields:
        return
    fields[type_] = declared_fields(type_)
    below[type_] = []
    for field in fields[type_]:
        for found in _classes_in(field.type_):
            below[type_].append(found)
            try:
                _read(found, fields, below)
            except DeclarationError as error:
                raise error.placed(field.place) from None


def _reached(
    below: Mapping[AttrsClass, Sequence[AttrsClass]], start: Sequence[AttrsClass]
) -> set[AttrsClass]:
    seen: set[AttrsClass] = set()
    waiting = list(start)
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting.extend(below[one])
    return seen
