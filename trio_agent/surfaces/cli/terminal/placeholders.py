"""The placeholders of a document, and since when and how deep each has been there.  Pure.

A document does not say which boundary a placeholder belongs to, and a settled boundary leaves
its content in place of its fallback, not below it.  Two things tell what is nested:

* A placeholder below a nested result is as deep as the results between it and the root.
* A new placeholder that stands where another one went away was revealed by it, and is one
  deeper; both hold, and the larger counts.

A placeholder stays the same as long as its node does: snapshots share what did not change.  So
one keeps its time however many of its neighbours come and go, and a fallback that says
something else has just become visible.

Above: `screen`.  Below: the vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from trio_agent.shown import shown
from trio_agent.vocabulary.leaf import ProgressNode
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trio_agent.vocabulary.result import DocumentNode


@final
@attrs.frozen
class Placeholder:
    """One of a document.

    Attributes:
        node: what it says.
        depth: 0 when it belongs to nothing else.
        since: when it became visible, by the clock of whoever asks.
    """

    node: ProgressNode
    depth: int
    since: float

    __repr__ = shown


def following(
    before: Sequence[Placeholder], root: DocumentNode, now: float
) -> Sequence[Placeholder]:
    """The placeholders of the next document, in its order.

    Args:
        before: those of the document before.
        root: of the next.
        now: when that came.
    """
    found = list(_found(root))
    kept = _kept(before, [node for node, _ in found])
    placeholders: list[Placeholder] = []
    passed = 0
    depth_here: int | None = None
    for place, (node, depth) in enumerate(found):
        position = kept.get(place)
        if position is not None:
            placeholders.append(before[position])
            passed, depth_here = position + 1, None
            continue
        if depth_here is None:
            gone = before[passed : _next_kept(kept, place, len(found), len(before))]
            depth_here = min((one.depth + 1 for one in gone), default=0)
        placeholders.append(Placeholder(node, max(depth, depth_here), now))
    return placeholders


def _found(root: DocumentNode) -> Iterator[tuple[ProgressNode, int]]:
    pending = [(root, -1)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, ResultNode):
            pending.extend((child, depth + 1) for child in reversed(node.children))
        elif isinstance(node, ProgressNode):
            yield node, max(depth, 0)


def _kept(before: Sequence[Placeholder], nodes: Sequence[ProgressNode]) -> Mapping[int, int]:
    """Where each node that is still there stood before; the order is that of the document."""
    places: dict[int, list[int]] = {}
    for position, one in enumerate(before):
        places.setdefault(id(one.node), []).append(position)
    # An author may show one node twice; what was passed once is never looked at again.
    ahead = {key: iter(positions) for key, positions in places.items()}
    kept: dict[int, int] = {}
    last = -1
    for place, node in enumerate(nodes):
        later = next((one for one in ahead.get(id(node), ()) if one > last), None)
        if later is not None:
            kept[place] = last = later
    return kept


def _next_kept(kept: Mapping[int, int], place: int, end: int, otherwise: int) -> int:
    return next((kept[later] for later in range(place, end) if later in kept), otherwise)
