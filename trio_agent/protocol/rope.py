"""The rope: a run of nodes, cut into segments so that a change copies little.

A *segment* has a few *live* parts, which may change, and the nodes that stand between them.  When a
part changes its segment is chunked anew and all others keep their chunks, with the text that a
chunk remembers.  A part of many nodes keeps the chunks it came with, so what stands around a long
run never copies it.  Used by `tree` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar, final

from trio_agent.vocabulary.result import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.vocabulary.result import DocumentNode

WIDE: Final = 32
"""Live parts of a segment at most, and other nodes.  Copying is cheapest near the square root of
the number of children; 32 was best from 250 to 8,000 children."""

NARROW: Final = 16
"""A part of more nodes than this is not copied into a chunk of its segment."""


class Run(Protocol):
    """Some neighbouring nodes, in chunks."""

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The nodes; no chunk is empty."""
        ...

    @property
    def length(self) -> int:
        """How many nodes."""
        ...


RunT = TypeVar("RunT", bound=Run)


@final
class Segment:
    """Some live parts and the nodes between them.

    Attributes:
        first: index of its first live part.
        gaps: the nodes before each of its live parts.
        still: how many nodes all gaps have.
        chunks: the nodes as they are now; no chunk is empty.
        at: how many chunks stand before it in the rope.
    """

    __slots__ = ("at", "chunks", "first", "gaps", "still")

    def __init__(self, first: int, chunks: tuple[Chunk, ...] = ()) -> None:
        self.first: Final = first
        self.gaps: list[Sequence[DocumentNode]] = []
        self.still: int = 0
        self.chunks: tuple[Chunk, ...] = chunks
        self.at: int = 0

    def has_room(self, gap: int) -> bool:
        """Whether another live part fits in, with *gap* nodes before it."""
        return len(self.gaps) < WIDE and self.still + gap <= WIDE

    def add(self, gap: Sequence[DocumentNode]) -> None:
        """Make room for the next live part, after the nodes of *gap*."""
        self.gaps.append(gap)
        self.still += len(gap)

    def render(self, parts: Sequence[Run]) -> None:
        """Chunk the segment anew, given all parts of the group."""
        chunks: list[Chunk] = []
        nodes: list[DocumentNode] = []
        for index, gap in enumerate(self.gaps, self.first):
            nodes += gap
            part = parts[index]
            if part.length > NARROW:
                if nodes:
                    chunks.append(Chunk(tuple(nodes)))
                    nodes = []
                chunks += part.chunks
            else:
                for chunk in part.chunks:
                    nodes += chunk.nodes
        if nodes:
            chunks.append(Chunk(tuple(nodes)))
        self.chunks = tuple(chunks)


@final
class Rope(Generic[RunT]):
    """A run of nodes with parts that may change.  Add the parts in order, then `seal`.

    Attributes:
        chunks: all nodes as they are now; no chunk is empty.
    """

    __slots__ = ("_parts", "_segment_of", "_segments", "_starts", "chunks")

    def __init__(self) -> None:
        self.chunks: tuple[Chunk, ...] = ()
        self._parts: Final[list[RunT]] = []
        self._starts: Final[list[int]] = []
        self._segments: Final[list[Segment]] = []
        self._segment_of: Final[list[int]] = []

    def add(self, start: int, part: RunT) -> int:
        """Add a part that may change.

        Args:
            start: how many nodes that belong to no part stand before it.
            part: what it is now.

        Returns:
            Its index, for `replace`.
        """
        self._parts.append(part)
        self._starts.append(start)
        return len(self._parts) - 1

    def seal(self, still: Sequence[DocumentNode]) -> None:
        """All parts are added; *still* are the nodes that belong to none of them."""
        segments = self._segments
        current: Segment | None = None
        done = 0
        for index, start in enumerate(self._starts):
            gap = still[done:start]
            done = start
            if len(gap) > WIDE:
                segments.append(Segment(index, (Chunk(tuple(gap)),)))
                current, gap = None, ()
            if current is None or not current.has_room(len(gap)):
                current = Segment(index)
                segments.append(current)
            current.add(gap)
            self._segment_of.append(len(segments) - 1)
        if done < len(still):
            segments.append(Segment(len(self._starts), (Chunk(tuple(still[done:])),)))
        for segment in segments:
            if segment.gaps:
                segment.render(self._parts)
        self._join()

    def replace(self, index: int, part: RunT) -> RunT:
        """Replace a part; returns the old one."""
        old = self._parts[index]
        self._parts[index] = part
        segment = self._segments[self._segment_of[index]]
        width = len(segment.chunks)
        segment.render(self._parts)
        if len(segment.chunks) == width:
            chunks, at = self.chunks, segment.at
            self.chunks = (*chunks[:at], *segment.chunks, *chunks[at + width :])
        else:
            self._join()
        return old

    def _join(self) -> None:
        chunks: list[Chunk] = []
        for segment in self._segments:
            segment.at = len(chunks)
            chunks += segment.chunks
        self.chunks = tuple(chunks)
