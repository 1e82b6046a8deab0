"""`from_schema` of hypothesis-jsonschema, for 2020-12 and for the Hypothesis of today.

hypothesis-jsonschema 0.23.1 draws objects with a loop that Hypothesis has since turned into a
context manager, and knows the drafts up to 07, without recursion.  Both are bridged here.
"""

from __future__ import annotations

import types
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.internal.conjecture import utils
from hypothesis_jsonschema import _from_schema as library


class _Many(utils.many):
    """The loop as hypothesis-jsonschema knows it: `while elements.more()`."""

    def more(self) -> bool:
        if self._depth is None:
            self.__enter__()
            self._steps = iter(self)
        if next(self._steps, self) is self:
            self.__exit__(None, None, None)
            return False
        return True


if not hasattr(utils.many, "more"):
    cast("Any", library).cu = types.SimpleNamespace(many=_Many)


def from_schema(schema: Any) -> st.SearchStrategy[Any]:
    """Values that fit a 2020-12 schema as `json_schema` writes them."""
    return library.from_schema(_as_draft_07(schema, {}, 2))


def _as_draft_07(schema: Any, definitions: Any, depth: int) -> Any:
    """A reference is written out until *depth*, and then nothing fits it.

    `$` becomes what it is in ECMA-262, the very end, because it is `re` that draws.
    """
    if isinstance(schema, list):
        return [_as_draft_07(item, definitions, depth) for item in schema]
    if not isinstance(schema, dict):
        return schema
    definitions = schema.get("$defs", definitions)
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return _as_draft_07(definitions[name], definitions, depth - 1) if depth else False
    written = {
        key: value if key == "enum" else _as_draft_07(value, definitions, depth)
        for key, value in schema.items()
        if key not in {"$defs", "default"}
    }
    if "prefixItems" in written:
        written["items"], written["additionalItems"] = written.pop("prefixItems"), False
    if "pattern" in written:
        written["pattern"] = written["pattern"].replace("$", r"\Z")
    return written
