"""How a union is read: no tag says which member is meant, so exactly one must fit.

First the members that cannot be meant are left out, by what the value looks like: its kind, and
for an object its keys and its literals.  If one is left, its issues are the issues of the union,
deep inside if need be.  If several are left they are all tried.

Rule: two members may both fit only when they read the same value.  `int | float` reads `1` as 1,
`list[int] | list[str]` reads `[]` as `[]`; `str | Path` is no way to say anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, get_origin

from trio_agent.protocol.schema.constraint import wire_kind
from trio_agent.protocol.schema.declared import bare_type, declared_fields, is_attrs_class
from trio_agent.protocol.schema.issues import MismatchError, mismatch
from trio_agent.protocol.schema.scalar import is_same
from trio_agent.protocol.schema.words import expected_words, options, wire_kinds

if TYPE_CHECKING:
    import attrs

    from trio_agent.protocol.schema.scalar import Hook

Look: TypeAlias = Callable[[object], bool]
Entry: TypeAlias = "tuple[Look, Hook, object]"
"""A member of a union with its quick test and its hook."""

_NUMBERS: Final[frozenset[type]] = frozenset({int, float})


def union_hook(members: Sequence[tuple[object, Hook]]) -> Hook:
    """The hook of a union, from each member and its hook."""
    entries = [(_look(member), hook, member) for member, hook in members]

    # `int | str` equals `str | int`, so one hook serves both; its words are those of the one asked.
    def refuse(value: object, declared: object) -> object:
        raise mismatch(expected_words(declared), value)

    def read(value: object, declared: object) -> object:
        likely = [(hook, member) for look, hook, member in entries if look(value)]
        if len(likely) == 1:
            hook, member = likely[0]
            return hook(value, member)
        outcomes = [outcome for hook, member in likely for outcome in _tried(hook, value, member)]
        if not outcomes:
            hook, member = _nearest(entries, value) or (refuse, declared)
            return hook(value, member)
        chosen = next((one for one in outcomes if type(one) is type(value)), outcomes[0])
        if not all(_is_equal(chosen, other) for other in outcomes):
            names = " and ".join(type(one).__name__ for one in outcomes)
            expected = expected_words(declared)
            raise mismatch(f"{expected}, but only one of them, and it fits {names}", value)
        return chosen

    return read


def _tried(hook: Hook, value: object, member: object) -> tuple[object, ...]:
    try:
        return (hook(value, member),)
    except MismatchError:
        return ()


def _nearest(entries: Sequence[Entry], value: object) -> tuple[Hook, object] | None:
    """The only class, for an object that fits no member: its issues tell most."""
    classes = [(hook, member) for _, hook, member in entries if _reads_objects(member)]
    return classes[0] if isinstance(value, dict) and len(classes) == 1 else None


def _reads_objects(member: object) -> bool:
    return "object" in wire_kinds(member)


def _is_equal(one: object, other: object) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        # One number, read as an integer and as the float nearest to it: both mean it.
        both_numbers = type(one) in _NUMBERS and type(other) in _NUMBERS
        return both_numbers and float(one) == float(other)
    return type(one) is type(other) and one == other


def _look(member: object) -> Look:
    """A quick test whether *member* could be meant; it may say yes too often, never no."""
    bare = bare_type(member).type_
    if is_attrs_class(bare):
        return _look_of_class(bare)
    if choices := options(bare):
        return lambda value: any(is_same(option.plain, value) for option in choices)
    if bare is int:
        return lambda value: type(value) is int
    kinds = wire_kinds(bare)
    return lambda value: wire_kind(value) in kinds


def _look_of_class(type_: type[attrs.AttrsInstance]) -> Look:
    fields = declared_fields(type_)
    known = {field.alias for field in fields}
    required = {field.alias for field in fields if field.required}
    fixed = {
        field.alias: options(bare)
        for field in fields
        if get_origin(bare := bare_type(field.type_).type_) is Literal
    }

    def look(value: object) -> bool:
        if not isinstance(value, dict):
            return False
        members = cast("dict[object, object]", value)
        return required <= members.keys() <= known and all(
            any(is_same(option.plain, members[key]) for option in choices)
            for key, choices in fixed.items()
            if key in members
        )

    return look
