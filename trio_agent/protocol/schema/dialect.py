"""The published form of a JSON Schema: 2020-12 that a lax draft-07 validator reads as well.

`tools/list` says 2020-12, and hosts validate results with either draft.  One thing divides them:
a tuple.  2020-12 writes its places in `prefixItems` and lets `items` speak of what comes after;
draft-07 does not know the first and takes the second for all items, so `items: false` would refuse
every value.  Published, `items` is the union of the places (and of the rest, if there may be
one), and the numbers of items close the tuple in both drafts.

What that loosens: after `prefixItems`, where a rest is allowed, 2020-12 accepts values that fit a
place only.  A closed tuple loses nothing in 2020-12.

Everything else stays as it is: `$ref` is a JSON pointer in both drafts, and a lax validator skips
keywords it does not know.  Deliberately not a translation to draft-07.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from trio_agent.protocol.schema.fragments import any_of

if TYPE_CHECKING:
    from trio_agent.protocol.schema.fragments import Schema

_ONE: Final = frozenset(
    {"items", "additionalProperties", "propertyNames", "contains", "unevaluatedItems"}
    | {"unevaluatedProperties", "then", "else"}
)
_LIST: Final = frozenset({"prefixItems", "anyOf", "oneOf", "allOf"})
_BY_NAME: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
"""Where schemas hang in a schema.  Not in `not` and `if`: to loosen those is to tighten the whole."""


def publish(schema: Schema) -> Schema:
    """The published form of a 2020-12 schema, ours or an author's own.

    Args:
        schema: never changed.
    """
    result = {keyword: _published(keyword, value) for keyword, value in schema.items()}
    if "prefixItems" not in result or "items" not in result:
        return result
    places, rest = cast("list[object]", result["prefixItems"]), result["items"]
    if rest is False:
        most = cast("int", result.get("maxItems", len(places)))
        result["maxItems"] = min(most, len(places))
    members = [_as_object(one) for one in (*places, rest) if one is not False]
    result["items"] = any_of(members) if members else {}
    return result


def _published(keyword: str, value: object) -> object:
    if keyword in _ONE:
        return _published_one(value)
    if keyword in _LIST and isinstance(value, list):
        return [_published_one(item) for item in cast("list[object]", value)]
    if keyword in _BY_NAME and isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {name: _published_one(item) for name, item in members.items()}
    return value


def _published_one(value: object) -> object:
    return publish(cast("Schema", value)) if isinstance(value, dict) else value


def _as_object(schema: object) -> Schema:
    return cast("Schema", schema) if isinstance(schema, dict) else {}
