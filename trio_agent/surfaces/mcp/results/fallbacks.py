"""Finds the `progress` nodes of streamed snapshots without reading the same parts again.

Snapshots share what did not change.  Each part is looked at once, so ten thousand snapshots of a
large document cost what changed and not what there is.  Looking at a part again is harmless, since
a fallback that is streamed again says nothing (`progress`); so the memory of what was seen may be
thrown away at any time, and is, before it outgrows the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from trio_agent.vocabulary.leaf import ProgressNode
from trio_agent.vocabulary.result import Chunk, ResultNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.vocabulary.result import DocumentNode

_FEW: Final = 4096
"""Parts that are always remembered; a few hundred kilobytes at most."""


@final
class FallbackSearch:
    """Reads the snapshots of one invocation, in order."""

    __slots__ = ("_most", "_seen")

    def __init__(self) -> None:
        # By identity, with the part itself, so that the identity cannot pass to another.
        self._seen: Final[dict[int, Chunk | ResultNode]] = {}
        self._most = _FEW

    def fresh(self, root: DocumentNode) -> Iterator[ProgressNode]:
        """The progress nodes in what was not seen before, in the order of the document."""
        seen = self._seen
        forgets = len(seen) > self._most
        if forgets:
            seen.clear()
        pending: list[DocumentNode | Chunk] = [root]
        while pending:
            part = pending.pop()
            if isinstance(part, (ResultNode, Chunk)):
                if id(part) not in seen:
                    seen[id(part)] = part
                    inner = part.chunks if isinstance(part, ResultNode) else part.nodes
                    pending.extend(reversed(inner))
            elif isinstance(part, ProgressNode):
                yield part
        if forgets:
            self._most = max(_FEW, 2 * len(seen))
