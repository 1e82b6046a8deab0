"""The persistent tree: groups of parts whose nodes can be replaced one part at a time.

A *group* is an ordered run of items inside a result or a fragment.  What an item adds to it is a
*part*: some nodes and their totals.  Parts of boundaries and lazies are *live*: they change when
a row lands.  Then the change climbs from group to group to the top of its context, copying one
segment of nodes at each level, so a settled boundary costs the path to the root and not the
document.  Snapshots handed out before are not touched.

Merging happens here.  A result that carries something for the root dissolves: its nodes take its
place, and what it carries climbs as an *adoption* to the nearest enclosing result, and on.  That
is a value, its own or adopted, with its metadata; or, of what a layout encloses, metadata alone.
Two values that meet in one result are `ambiguous-value`.  What has climbed never goes away:
content is shown once and for good, and a fallback carries nothing.  An adoption of metadata may
still become one with a value; hence the order in which metadata join does not depend on time.

This module knows neither rows nor visibility.  Above: `assembler`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, final

from trio_agent.errors import ContractError
from trio_agent.protocol.rope import Rope
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
    """What is on its way up to the result that will carry it.

    Attributes:
        value: None while only metadata climb.
        metadata: joined with those of every result on the way.
        place: of the result it was written at.
    """

    __slots__ = ("metadata", "place", "value")

    def __init__(self, value: Json | None, metadata: Json | None, place: str) -> None:
        self.value: Final = value
        self.metadata: Final = metadata
        self.place: Final = place


@final
class Part:
    """What one item adds to its group.

    Attributes:
        chunks: its nodes; no chunk is empty.
        length: how many nodes.
        size: their bytes, commas between them left out.
        media: their base64 characters.
        errors: error nodes in them, at any depth.
        strays: results in them with metadata that nothing will project.
        adoption: what climbs out of it.
    """

    __slots__ = ("adoption", "chunks", "errors", "length", "media", "size", "strays")

    def __init__(
        self,
        chunks: tuple[Chunk, ...] = (),
        length: int = 0,
        adoption: Adoption | None = None,
    ) -> None:
        self.chunks: tuple[Chunk, ...] = chunks
        self.length: int = length
        self.size: int = 0
        self.media: int = 0
        self.errors: int = 0
        self.strays: int = 0
        self.adoption: Adoption | None = adoption

    @classmethod
    def of(cls, node: DocumentNode) -> Part:
        """The part of a single node."""
        part = cls((Chunk((node,)),), 1)
        part.size, part.media, part.errors = node.size, node.media, node.errors
        return part

    @classmethod
    def still(cls, nodes: tuple[DocumentNode, ...]) -> Part:
        """The part of nodes in which nothing will change."""
        part = cls((Chunk(nodes),) if nodes else (), len(nodes))
        for node in nodes:
            part.size += node.size
            part.media += node.media
            part.errors += node.errors
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
        top: whoever shows the context that the group belongs to.
        parent: the group that holds it; None at the top of a context.
        place: how errors call it.
        index: of its live part in the parent.
        metadata: as authored, if it is a result.
        offer: the adoption that it hands up, if something climbs out of it.
        chunks, length, size, media, errors, strays: as those of a `Part`.
    """

    __slots__ = (
        "_adopted",
        "_is_result",
        "_rope",
        "chunks",
        "errors",
        "index",
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
        self.index: int = -1
        self.metadata: Json | None = None
        self.offer: Adoption | None = None
        self.length: int = 0
        self.size: int = 0
        self.media: int = 0
        self.errors: int = 0
        self.strays: int = 0
        self._is_result = False
        self._adopted: tuple[Adoption, ...] = ()
        self.chunks: tuple[Chunk, ...] = ()
        self._rope: Rope[Part] | None = None

    # ---------------------------------------------------------------------- building

    def become_result(self, value: Json | None, metadata: Json | None) -> None:
        """Make this group a result; otherwise it is a fragment."""
        self._is_result = True
        self.metadata = metadata
        if value is not None:
            self.adopt(Adoption(value, None, self.place))

    @property
    def is_live(self) -> bool:
        """Whether it has parts that may change."""
        return self._rope is not None

    def add_live(self, start: int, part: Part) -> int:
        """Add a part that may change.

        Args:
            start: how many nodes that belong to no live part stand before it.
            part: what it shows now.

        Returns:
            Its index, for `replace`.
        """
        if self._rope is None:
            self._rope = Rope()
        return self._rope.add(start, part)

    def seal(self, still: Sequence[DocumentNode], totals: Part) -> None:
        """The group is built.

        Args:
            still: its nodes that belong to no live part.
            totals: sums over them and the live parts.
        """
        self.length = totals.length
        self.size, self.media = totals.size, totals.media
        self.errors, self.strays = totals.errors, totals.strays
        if self._rope is None:
            self.chunks = (Chunk(tuple(still)),) if still else ()
        else:
            self._rope.seal(still)
            self.chunks = self._rope.chunks

    def adopt(self, adoption: Adoption | None, before: Adoption | None = None) -> None:
        """Take what climbed up from a part.

        Args:
            adoption: what climbs now.
            before: what climbed from the same part until now.

        Raises:
            ContractError: `ambiguous-value`: there is a value already; both places are named.
        """
        if adoption is None:
            return
        kept = [one for one in self._adopted if one is not before]
        self._adopted = (*kept, adoption)
        self.offer = self._joined() if kept or self._is_result else adoption

    def _joined(self) -> Adoption:
        adopted = self._adopted
        valued = [one for one in adopted if one.value is not None]
        if len(valued) > 1:
            raise ContractError(
                "ambiguous-value",
                f"two values meet in one result: {valued[0].place} and {valued[1].place};"
                " a document has one value",
            )
        # The roots that layouts enclose stand around each other, outermost first, and around a
        # value that came out of them; metadata join from the inside, as if each had its level.
        metadata: Json | None = None
        for one in (*valued, *reversed([one for one in adopted if one.value is None])):
            metadata = join_metadata(one.metadata, metadata)
        carrier = valued[0] if valued else adopted[0]
        return Adoption(carrier.value, join_metadata(self.metadata, metadata), carrier.place)

    # ---------------------------------------------------------------------- reading

    def to_node(self) -> ResultNode:
        """A result node with these children; its metadata joined with what climbed up."""
        metadata = self.metadata if self.offer is None else self.offer.metadata
        size = RESULT_ENVELOPE + self.size + max(0, self.length - 1)
        if metadata is not None:
            size += METADATA_ENVELOPE + metadata.size
        return ResultNode(self.chunks, metadata, size=size, media=self.media, errors=self.errors)

    def part(self) -> Part:
        """What this group adds to the one that holds it."""
        if self._is_result and self.offer is None:
            part = Part.of(self.to_node())
            part.strays = self.strays if self.metadata is None else self.strays + 1
            return part
        part = Part(self.chunks, self.length, self.offer)
        part.size, part.media = self.size, self.media
        part.errors, part.strays = self.errors, self.strays
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
        rope = self._rope
        if rope is None:
            raise AssertionError("a group without live parts cannot change")
        old = rope.replace(index, part)
        self.chunks = rope.chunks
        self.length += part.length - old.length
        self.size += part.size - old.size
        self.media += part.media - old.media
        self.errors += part.errors - old.errors
        self.strays += part.strays - old.strays
        if part.adoption is not old.adoption:
            self.adopt(part.adoption, old.adoption)
