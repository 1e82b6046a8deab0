"""The persistent tree: groups of parts whose nodes can be replaced one part at a time.

A *group* is an ordered run of items inside a result or a fragment.  What an item adds to it is a
*part*: some nodes and their totals.  Parts of boundaries and lazies are *live*: they change when
a row lands.  Then the change climbs from group to group to the top of its context, copying one
chunk of nodes at each level, so a settled boundary costs the path to the root and not the
document.  Snapshots handed out before are not touched.

Merging happens here.  A result with a value, its own or adopted, dissolves: its nodes take its
place, and value and metadata climb as an *adoption* to the nearest enclosing result.  Two values
that meet in one result are `ambiguous-value`.

This module knows neither rows nor visibility.  Above: `assembler`.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol, final

from trio_agent.errors import ContractError
from trio_agent.protocol.rope import ChunkCutter
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.result import (
    METADATA_ENVELOPE,
    RESULT_ENVELOPE,
    Chunk,
    ResultNode,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.vocabulary.result import DocumentNode


@final
class Adoption:
    """A value on its way up to the result that will carry it."""

    __slots__ = ("metadata", "place", "value")

    def __init__(self, value: Json, metadata: Json | None, place: str) -> None:
        self.value: Final = value
        self.metadata: Final = metadata
        self.place: Final = place


@final
class Part:
    """What one item adds to its group.  `strays` counts metadata that nothing will project."""

    __slots__ = ("adoption", "errors", "media", "nodes", "size", "strays")

    def __init__(
        self,
        nodes: tuple[DocumentNode, ...] = (),
        adoption: Adoption | None = None,
    ) -> None:
        self.nodes = nodes
        self.size = 0
        self.media = 0
        self.errors = 0
        self.strays = 0
        self.adoption = adoption

    @classmethod
    def of(cls, node: DocumentNode) -> Part:
        """The part of a single node."""
        part = cls((node,))
        part.size, part.media, part.errors = node.size, node.media, node.errors
        return part


class Top(Protocol):
    """Whoever shows a context; told when the group at its top has changed."""

    def climbed(self) -> None:
        """Carry the change on to where the context is shown."""
        ...


def join_metadata(outer: Json | None, inner: Json | None) -> Json | None:
    """Metadata of a result that dissolves into another: the outer one's members win.

    Two objects join, one level deep; otherwise the outer one stands, null included.
    """
    if outer is None or inner is None:
        return inner if outer is None else outer
    mine, theirs = outer.value, inner.value
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return Json.of({**theirs, **mine}, "metadata")
    return outer


@final
class Group:
    """An ordered run of parts.

    Attributes:
        is_result: a result of its own; otherwise a fragment.
        is_document: the one result that is the root of the document; its metadata is no stray.
        offer: the adoption this group hands up, if there is a value in it.
    """

    __slots__ = (
        "_bases",
        "_chunk_of",
        "_chunks",
        "_first_of",
        "_flat",
        "_live",
        "_widths",
        "adopted",
        "errors",
        "index",
        "is_document",
        "is_result",
        "length",
        "media",
        "metadata",
        "offer",
        "parent",
        "place",
        "size",
        "strays",
        "top",
    )

    def __init__(self, top: Top, parent: Group | None, place: str) -> None:
        self.top: Final = top
        self.parent: Final = parent
        self.place: Final = place
        self.index = -1
        self.is_result = False
        self.is_document = False
        self.metadata: Json | None = None
        self.adopted: Adoption | None = None
        self.offer: Adoption | None = None
        self.length = self.size = self.media = self.errors = self.strays = 0
        self._flat: tuple[DocumentNode, ...] | None = ()
        self._chunks: tuple[Chunk, ...] | None = None
        self._live: list[Part] | None = None

    # ---------------------------------------------------------------------- building

    def become_result(self, value: Json | None, metadata: Json | None) -> None:
        """Make this group a result."""
        self.is_result = True
        self.metadata = metadata
        if value is not None:
            self.offer = Adoption(value, metadata, self.place)

    @property
    def is_live(self) -> bool:
        """Whether it has parts that may change."""
        return self._live is not None

    def add_live(self, statics: int, part: Part) -> int:
        """Add a part that may change.

        Args:
            statics: nodes before it in this group that belong to no live part.
            part: what it shows now.

        Returns:
            Its index, for `replace`.
        """
        if self._live is None:
            self._live, self._bases, self._widths = [], [], []
        self._live.append(part)
        self._bases.append(statics)
        self._widths.append(len(part.nodes))
        return len(self._live) - 1

    def seal(self, nodes: list[DocumentNode], totals: Part) -> None:
        """The group is built: these are its nodes, and *totals* their sums."""
        self._flat = tuple(nodes)
        self.length = len(nodes)
        self.size, self.media = totals.size, totals.media
        self.errors, self.strays = totals.errors, totals.strays

    def adopt(self, adoption: Adoption | None) -> None:
        """Take a value that climbed up from a part.

        Raises:
            ContractError: `ambiguous-value`: there is one already; both places are named.
        """
        if adoption is None:
            return
        if self.offer is not None:
            raise ContractError(
                "ambiguous-value",
                f"two values meet in one result: {self.offer.place} and {adoption.place};"
                " a document has one value",
            )
        self.adopted = adoption
        self.offer = (
            Adoption(
                adoption.value, join_metadata(self.metadata, adoption.metadata), adoption.place
            )
            if self.is_result
            else adoption
        )

    def _readopt(self, old: Adoption | None, new: Adoption | None) -> None:
        if old is not None and self.adopted is old:
            self.adopted = self.offer = None
        self.adopt(new)

    # ---------------------------------------------------------------------- reading

    def nodes(self) -> tuple[DocumentNode, ...]:
        """All nodes, flat."""
        flat = self._flat
        if flat is None:
            flat = self._flat = tuple(
                chain.from_iterable(chunk.nodes for chunk in self._chunks or ())
            )
        return flat

    def to_node(self, metadata: Json | None) -> ResultNode:
        """A result node with these children."""
        chunks = self._chunks
        if chunks is None:
            chunks = (Chunk(self.nodes()),) if self.length else ()
        size = RESULT_ENVELOPE + self.size + max(0, self.length - 1)
        if metadata is not None:
            size += METADATA_ENVELOPE + metadata.size
        return ResultNode(chunks, metadata, size=size, media=self.media, errors=self.errors)

    def part(self) -> Part:
        """What this group adds to the one that holds it."""
        if self.is_result and self.offer is None:
            node = self.to_node(self.metadata)
            part = Part((node,))
            part.size = node.size
            part.strays = self.strays
            if self.metadata is not None and not self.is_document:
                part.strays += 1
        else:
            part = Part(self.nodes(), self.offer)
            part.size = self.size
            part.strays = self.strays
        part.media, part.errors = self.media, self.errors
        return part

    # ---------------------------------------------------------------------- changing

    def replace(self, index: int, part: Part) -> None:
        """Replace a live part; the change climbs to the top of the context.

        Raises:
            ContractError: `ambiguous-value`, when the part brings a second value.
        """
        group = self
        while True:
            group._splice(index, part)
            parent = group.parent
            if parent is None:
                group.top.climbed()
                return
            index, part, group = group.index, group.part(), parent

    def _splice(self, index: int, part: Part) -> None:
        if self._live is None:
            raise AssertionError("a group without live parts cannot change")
        if self._chunks is None:
            self._cut()
        old = self._live[index]
        self._live[index] = part
        widths = self._widths
        width = widths[index]
        chunks = self._chunks or ()
        at = self._chunk_of[index]
        start = self._bases[index] + sum(widths[self._first_of[at] : index])
        piece = chunks[at].nodes
        fresh = Chunk((*piece[:start], *part.nodes, *piece[start + width :]))
        self._chunks = (*chunks[:at], fresh, *chunks[at + 1 :])
        self._flat = None
        widths[index] = len(part.nodes)
        self.length += len(part.nodes) - width
        self.size += part.size - old.size
        self.media += part.media - old.media
        self.errors += part.errors - old.errors
        self.strays += part.strays - old.strays
        if old.adoption is not part.adoption:
            self._readopt(old.adoption, part.adoption)

    def _cut(self) -> None:
        """First change: cut the nodes into chunks of few live parts and few other nodes.

        From here on `_bases` counts inside a chunk.
        """
        nodes = self.nodes()
        cutter = ChunkCutter(nodes)
        done = 0
        for index, width in enumerate(self._widths):
            cutter.add_statics(self._bases[index] - done)
            done = self._bases[index]
            self._bases[index] = cutter.add_live(index, width)
        cutter.add_statics(len(nodes) - cutter.at)
        cutter.flush()
        self._chunks = tuple(cutter.chunks)
        self._chunk_of = cutter.chunk_of
        self._first_of = cutter.first_of

    if TYPE_CHECKING:
        _bases: list[int]
        _widths: list[int]
        _chunk_of: Sequence[int]
        _first_of: Sequence[int]
