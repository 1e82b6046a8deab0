"""Flight rows, as they travel in one process: frozen values that carry finished nodes.

A render is a stream of rows.  Row 0 is the root.  A row's items are what its place in the tree
holds; what is not ready is a reference to a row that comes later:

    leaf            a finished node
    ResultNode      a result in which nothing will change and which carries nothing to merge
    ResultItem      a result: its items, value and metadata as authored
    BoundaryItem    a Suspense: its fallback, and its content or the row that will bring it
    LazyItem        "the items of that row stand here"; whoever holds it waits for it
    EnclosedItem    what a layout encloses: a fragment, but one result in it dissolves
    list            a fragment: flattens, adds no level

The same values become the bytes of React Flight when a stream crosses a process border; in one
process no bytes are made.  Rows may come in any order and as fine as React writes them (every
async child a row of its own); ours sends one row for the shell and one for each boundary.

Rule: what a row carries has been checked and charged where it came into being.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast, final

import attrs

from trio_agent.shown import shown
from trio_agent.vocabulary.node import LEAVES
from trio_agent.vocabulary.result import RESULT_ENVELOPE, Chunk, ResultNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.vocabulary.json import Json
    from trio_agent.vocabulary.node import LeafNode
    from trio_agent.vocabulary.result import DocumentNode

ROOT_ROW: Final = 0

FINISHED: Final = LEAVES | {ResultNode}
"""Items that are nodes already; for the quick test `type(x) in FINISHED` on hot paths."""

Item: TypeAlias = (
    "LeafNode | ResultNode | ResultItem | BoundaryItem | LazyItem | EnclosedItem | Sequence[Item]"
)


@final
@attrs.frozen(eq=False)
class LazyItem:
    """Stands for the items of a row that comes by itself."""

    row: int

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class ResultItem:
    """A result as authored, before merging."""

    items: Sequence[Item]
    value: Json | None = None
    metadata: Json | None = None

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class EnclosedItem:
    """What a layout encloses, the root of a route or the next layout.

    Attributes:
        items: once lists are flattened, either one result, which dissolves, or anything else.
        name: whose root it is, for errors.
    """

    items: Sequence[Item]
    name: str

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class ErrorRow:
    """The content that this row should have brought failed.

    Attributes:
        id: of the row; the id of a `BoundaryItem`'s inline failure means nothing.
        code: not blank.
        message: for people.
    """

    id: int
    code: str
    message: str
    data: Json | None = None

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class BoundaryItem:
    """A Suspense.

    Attributes:
        content: the items, if nothing in it had to wait; the failure, if it failed at once;
            otherwise the row that brings either.
        fallback: what stands there until then.
    """

    content: Sequence[Item] | ErrorRow | LazyItem
    fallback: Sequence[Item] = ()

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class ModelRow:
    """The items of one row."""

    id: int
    items: Sequence[Item]

    __repr__ = shown


Row: TypeAlias = ModelRow | ErrorRow


def finish_result(items: Sequence[Item]) -> ResultNode | None:
    """The node of a plain result, if nothing in it will change: saves the assembler the work."""
    size = RESULT_ENVELOPE + max(0, len(items) - 1)
    media = errors = 0
    for item in items:
        if type(item) not in FINISHED:
            return None
        node = cast("DocumentNode", item)
        size += node.size
        media += node.media
        errors += node.errors
    nodes = cast("tuple[DocumentNode, ...]", tuple(items))
    chunks = (Chunk(nodes),) if nodes else ()
    return ResultNode(chunks, None, size=size, media=media, errors=errors)


def finish_leaves(children: Sequence[object]) -> tuple[ResultNode, int, int] | None:
    """The node of a plain result of leaves only, in one pass: most results are.

    Returns:
        The node, the nodes and JSON values in it, itself left out, and the greatest height of a
        leaf; None if there is anything but leaves.
    """
    size = max(0, len(children) - 1)
    count = media = errors = 0
    height = 1
    for child in children:
        if type(child) not in LEAVES:
            return None
        leaf = cast("LeafNode", child)
        size += leaf.size
        count += leaf.nodes
        media += leaf.media
        errors += leaf.errors
        height = max(height, leaf.height)
    nodes = cast("tuple[DocumentNode, ...]", tuple(children))
    chunks = (Chunk(nodes),) if nodes else ()
    size += RESULT_ENVELOPE
    return ResultNode(chunks, None, size=size, media=media, errors=errors), count, height
