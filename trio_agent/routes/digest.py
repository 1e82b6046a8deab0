"""One number for what a graph says, to tell whether two looks at a plugin saw the same.

Everything that a route declares counts, and what is wrong with it.  Nothing counts that depends
on the machine or on the layout of a file: no folder above the plugin's files, no package name,
no line and no column.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final, cast

import attrs

_LEFT_OUT: Final = frozenset({"module", "line", "column", "plugin", "message"})


def digest_of(graph: attrs.AttrsInstance) -> str:
    """SHA-256 in hex over the canonical JSON of a `RouteGraph`."""
    told = json.dumps(
        attrs.asdict(graph, filter=_counts),
        ensure_ascii=True,
        separators=(",", ":"),
        sort_keys=True,
    )
    return hashlib.sha256(told.encode()).hexdigest()


def _counts(attribute: object, value: object) -> bool:
    named = cast("attrs.Attribute[object]", attribute)
    return named.name not in _LEFT_OUT and value is not None
