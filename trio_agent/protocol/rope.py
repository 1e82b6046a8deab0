"""Cutting a run of nodes into chunks, so that a change copies little.

A chunk has few *live* nodes, which belong to parts that may change, and few others.  For each
live part the cutter knows its chunk and what stands before it there.  Used by `tree` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from trio_agent.vocabulary.result import Chunk

if TYPE_CHECKING:
    from trio_agent.vocabulary.result import DocumentNode

WIDE: Final = 32
"""Live parts of a chunk at most.  Copying is cheapest near the square root of the number of
children; 32 was best from 250 to 8,000 children (rope of 32: 73-78 microseconds a boundary at
every size; flat tuples: 190 at 8,000)."""


@final
class ChunkCutter:
    """Cuts a run of nodes into chunks; knows for each live part which one and from where."""

    __slots__ = ("_nodes", "_start", "_statics", "at", "chunk_of", "chunks", "first_of")

    def __init__(self, nodes: tuple[DocumentNode, ...]) -> None:
        self._nodes: Final = nodes
        self._start = 0
        self._statics = 0
        self.at = 0
        self.chunks: list[Chunk] = []
        self.chunk_of: list[int] = []
        self.first_of: list[int] = [0]

    def add_statics(self, count: int) -> None:
        """Take the next *count* nodes, which belong to no live part."""
        while count:
            if self.at - self._start >= 2 * WIDE:
                self.flush()
            step = min(count, 2 * WIDE - (self.at - self._start))
            self.at += step
            self._statics += step
            count -= step

    def add_live(self, index: int, width: int) -> int:
        """Take a live part of *width* nodes; returns how many statics stand before it."""
        if index - self.first_of[-1] >= WIDE or self.at - self._start >= 2 * WIDE:
            self.flush()
        self.chunk_of.append(len(self.chunks))
        self.at += width
        return self._statics

    def flush(self) -> None:
        """End the chunk that is being gathered."""
        self.chunks.append(Chunk(self._nodes[self._start : self.at]))
        self._start = self.at
        self._statics = 0
        self.first_of.append(len(self.chunk_of))
