"""The `result` node: the one kind that holds children.

Children are kept as a rope of small chunks.  Replacing one child of ten thousand copies one
chunk and the list of chunks, and a chunk that did not change keeps its serialised text, so a
stream of snapshots costs what changed and not what there is.  `children` is the flat tuple an
outsider sees, made on first use; asking every snapshot of a long stream for it undoes the saving.

    {"kind": "result", "children": [...], "metadata"?: any JSON}

Metadata that is absent differs from metadata that is null.  Rule: no walk over nodes takes more
than two Python frames a level, since a tree may be `limits.DEEPEST` deep; hence loops where a
comprehension would read better (before Python 3.12 it has a frame of its own).  Above: documents; the assembler,
which is the only one to make a `ResultNode` from chunks.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, final

from trio_agent.vocabulary.field import refuse
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.node import LEAVES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trio_agent.vocabulary.node import LeafNode

DocumentNode: TypeAlias = "LeafNode | ResultNode"

RESULT_ENVELOPE: Final = len('{"kind":"result","children":[]}')
METADATA_ENVELOPE: Final = len(',"metadata":')


@final
class Chunk:
    """Some neighbouring children, frozen, with their text once somebody has asked for it."""

    __slots__ = ("_text", "nodes")

    def __init__(self, nodes: tuple[DocumentNode, ...]) -> None:
        self.nodes: Final = nodes
        self._text: str | None = None

    def wire_text(self) -> str:
        """Compact JSON of the nodes, joined by commas, no brackets."""
        text = self._text
        if text is None:
            texts: list[str] = []
            for node in self.nodes:
                texts.append(node.wire_text())  # noqa: PERF401  # frames: see the module
            text = self._text = ",".join(texts)
        return text


@final
class ResultNode:
    """A list of nodes, with optional metadata.  Make one with `ResultNode.of`.

    Attributes:
        metadata: any JSON, or None when there is none (JSON null is a `Json` too).
        size: bytes of the compact JSON, media left out.
        media: base64 characters in it.
        errors: error nodes in it, at any depth.
    """

    kind: ClassVar[Literal["result"]] = "result"

    __slots__ = ("_children", "_chunks", "errors", "media", "metadata", "size")

    _children: tuple[DocumentNode, ...] | None

    def __init__(
        self,
        chunks: tuple[Chunk, ...],
        metadata: Json | None,
        *,
        size: int,
        media: int,
        errors: int,
    ) -> None:
        # Plain slots, filled through the descriptor of object: this class is made once for each
        # level of the path at each snapshot, and attrs.frozen takes three times as long.
        put = object.__setattr__
        put(self, "_chunks", chunks)
        put(self, "_children", None)
        put(self, "metadata", metadata)
        put(self, "size", size)
        put(self, "media", media)
        put(self, "errors", errors)

    if TYPE_CHECKING:
        _chunks: tuple[Chunk, ...]
        metadata: Json | None
        size: int
        media: int
        errors: int

    @classmethod
    def of(cls, children: Iterable[DocumentNode], metadata: Json | None = None) -> ResultNode:
        """A result of these children, detached from the iterable they came in.

        Raises:
            ContractError: `invalid-document`, a child is no node, or the metadata no `Json`.
        """
        nodes = tuple(children)
        for index, node in enumerate(nodes):
            if type(node) not in LEAVES and type(node) is not ResultNode:
                refuse(f"result children[{index}]", "a node", node)
        if metadata is not None and type(metadata) is not Json:
            refuse("result metadata", "an instance of Json", metadata)
        size = RESULT_ENVELOPE + sum(node.size for node in nodes) + max(0, len(nodes) - 1)
        if metadata is not None:
            size += METADATA_ENVELOPE + metadata.size
        return cls(
            (Chunk(nodes),) if nodes else (),
            metadata,
            size=size,
            media=sum(node.media for node in nodes),
            errors=sum(node.errors for node in nodes),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a document is frozen; {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a document is frozen; {name} cannot be deleted")

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The children in chunks; snapshots of one stream share those that did not change."""
        return self._chunks

    @property
    def children(self) -> tuple[DocumentNode, ...]:
        """The children in order."""
        flat = self._children
        if flat is None:
            chunks = self._chunks
            if len(chunks) == 1:
                flat = chunks[0].nodes
            else:
                flat = tuple(chain.from_iterable(chunk.nodes for chunk in chunks))
            object.__setattr__(self, "_children", flat)
        return flat

    @property
    def nodes(self) -> int:
        """This node, all nodes in it, and all JSON values that hang on them."""
        own = 1 if self.metadata is None else 1 + self.metadata.nodes
        return own + sum(child.nodes for child in self.children)

    @property
    def height(self) -> int:
        """Levels of depth it takes."""
        below = 0
        for child in self.children:
            height = child.height
            if height > below:  # noqa: PLR1730  # max() is a frame of its own as well
                below = height
        return below + 1 if self.metadata is None else max(below + 1, self.metadata.depth)

    def wire_text(self) -> str:
        """Compact JSON of the wire form; chunks that have been asked before are not redone."""
        tail = "" if self.metadata is None else f',"metadata":{self.metadata.text}'
        texts: list[str] = []
        for chunk in self._chunks:
            if chunk.nodes:
                texts.append(chunk.wire_text())  # noqa: PERF401  # frames: see the module
        return f'{{"kind":"result","children":[{",".join(texts)}]{tail}}}'

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ResultNode):
            return NotImplemented
        return self.metadata == other.metadata and self.children == other.children

    def __hash__(self) -> int:
        return hash((self.metadata, self.children))

    def __repr__(self) -> str:
        return f"ResultNode(children={self.children!r}, metadata={self.metadata!r})"
