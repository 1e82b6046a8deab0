"""How arrays and objects without a class are read, once the hooks of their parts are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from trio_agent.protocol.schema.issues import MOST_ISSUES, MismatchError, SchemaIssue, mismatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trio_agent.protocol.schema.scalar import Hook

Part: TypeAlias = "tuple[object, Hook]"
"""A declared type and its hook."""


def _read_all(
    steps: Iterable[str | int], parts: Iterable[Part], values: Iterable[object]
) -> list[object]:
    results: list[object] = []
    issues: list[SchemaIssue] = []
    for step, (type_, hook), value in zip(steps, parts, values, strict=False):
        try:
            results.append(hook(value, type_))
        except MismatchError as error:
            issues += (issue.below(step) for issue in error.issues)
            if len(issues) >= MOST_ISSUES:
                break
    if issues:
        raise MismatchError(*issues)
    return results


def _items(value: object) -> Sequence[object] | None:
    # A string is a sequence too, and the one that must not pass.
    return cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else None


def array_hook(item: Part, make: Callable[[list[object]], object]) -> Hook:
    """The hook of an array whose items are all of one type.

    Args:
        item: the type of the items.
        make: turns the list of results into what was declared.
    """

    def read(value: object, _: object) -> object:
        items = _items(value)
        if items is None:
            raise mismatch("array", value)
        return make(_read_all(range(len(items)), [item] * len(items), items))

    return read


def tuple_hook(parts: Sequence[Part]) -> Hook:
    """The hook of a tuple that has one type for each place."""
    expected = f"array of {len(parts)} item{'' if len(parts) == 1 else 's'}"

    def read(value: object, _: object) -> object:
        items = _items(value)
        if items is None or len(items) != len(parts):
            raise mismatch(expected, value)
        return tuple(_read_all(range(len(items)), parts, items))

    return read


def mapping_hook(key: Part, item: Part) -> Hook:
    """The hook of an object with any members.

    Args:
        key: a type that is written as a string.
        item: the type of the values.
    """

    def read(value: object, _: object) -> object:
        if not isinstance(value, dict):
            raise mismatch("object", value)
        members = cast("dict[str, object]", value)
        steps = [str(name) for name in members]
        keys = _read_all(steps, [key] * len(members), members)
        result = dict(
            zip(keys, _read_all(steps, [item] * len(members), members.values()), strict=True)
        )
        if len(result) < len(members):
            raise mismatch("object without two spellings of one key", cast("object", value))
        return result

    return read
