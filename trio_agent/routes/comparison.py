"""Where a literal JSON Schema and that of the real types say different things.

A literal may say less: it is there for forms and flags.  So only what it says is compared, and
which members there are, and which of them are required.  Words for people (titles,
descriptions, examples) never count.  Pure.  Above: `checking`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast, final

import attrs

from trio_agent.errors import abridge
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_Schema: TypeAlias = "Mapping[str, object]"

_WORDS: Final = frozenset(
    {"$comment", "$defs", "$id", "$ref", "$schema", "description", "examples", "title"}
)
_SHAPE: Final = frozenset({"properties", "required", "type", "items"})

_DEEPEST: Final = 16
"""Levels that are compared; a class may contain itself."""


@final
@attrs.frozen
class Difference:
    """One place where the two differ.

    Attributes:
        path: `input.files[].name`.
        message: what each of them says.
        is_shape: whether other data fit, and not only other values.
    """

    path: str
    message: str
    is_shape: bool

    __repr__ = shown


def compare(literal: _Schema, real: _Schema, place: str = "input") -> Iterator[Difference]:
    """Every difference, from the outside in."""
    return _Comparison(literal, real).compare(literal, real, place, 0)


@final
@attrs.frozen
class _Comparison:
    """Two schemas; references are looked up in their roots."""

    literal: _Schema
    real: _Schema

    __repr__ = shown

    def compare(
        self, literal: _Schema, real: _Schema, path: str, depth: int
    ) -> Iterator[Difference]:
        """The differences of two parts of them."""
        if depth > _DEEPEST:
            return
        literal, real = _resolved(literal, self.literal), _resolved(real, self.real)
        if "type" in literal and "type" in real and _set(literal["type"]) != _set(real["type"]):
            yield _differs(path, "type", literal["type"], real["type"])
            return
        for key in sorted(literal.keys() - _WORDS - _SHAPE):
            if key not in real or not _is_same(literal[key], real[key]):
                yield _differs(path, key, literal[key], real.get(key))
        yield from self._members(literal, real, path, depth)
        items = literal.get("items"), real.get("items")
        if isinstance(items[0], dict) and isinstance(items[1], dict):
            inner = cast("tuple[_Schema, _Schema]", items)
            yield from self.compare(*inner, f"{path}[]", depth + 1)

    def _members(
        self, literal: _Schema, real: _Schema, path: str, depth: int
    ) -> Iterator[Difference]:
        if "properties" not in literal and "properties" not in real:
            return
        ours, theirs = _properties(literal), _properties(real)
        for name in sorted(ours.keys() - theirs.keys()):
            yield Difference(f"{path}.{name}", "is in the literal only", is_shape=True)
        for name in sorted(theirs.keys() - ours.keys()):
            yield Difference(f"{path}.{name}", "is not in the literal", is_shape=True)
        required = _set(literal.get("required", ())), _set(real.get("required", ()))
        for name in sorted(ours.keys() & theirs.keys()):
            inner = f"{path}.{name}"
            if (name in required[0]) is not (name in required[1]):
                said = "required" if name in required[0] else "optional"
                yield Difference(inner, f"is {said} in the literal only", is_shape=True)
            yield from self.compare(ours[name], theirs[name], inner, depth + 1)


def _differs(path: str, key: str, literal: object, real: object) -> Difference:
    told = "nothing" if real is None else abridge(real)
    message = f"{key} is {abridge(literal)} in the literal, and {told} by the types"
    return Difference(path, message, is_shape=key == "type")


def _resolved(schema: _Schema, root: _Schema) -> _Schema:
    """What a reference into the root leads to; the schema itself without one."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    found: object = root
    for step in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
        found = cast("_Schema", found).get(step) if isinstance(found, dict) else None
    return cast("_Schema", found) if isinstance(found, dict) else schema


def _properties(schema: _Schema) -> Mapping[str, _Schema]:
    found = schema.get("properties")
    members = cast("Mapping[str, object]", found if isinstance(found, dict) else {})
    return {
        name: cast("_Schema", member)
        for name, member in members.items()
        if isinstance(member, dict)
    }


def _set(value: object) -> frozenset[str]:
    items = cast("list[object]", value) if isinstance(value, (list, tuple)) else [value]
    return frozenset(map(repr_of, items))


def repr_of(value: object) -> str:
    """A name as it is, and anything else as Python writes it."""
    return value if isinstance(value, str) else repr(value)


def _is_same(left: object, right: object) -> bool:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return sorted(map(repr, cast("list[object]", left))) == sorted(
            map(repr, cast("list[object]", right))
        )
    return left == right
