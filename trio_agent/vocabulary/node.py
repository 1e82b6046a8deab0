"""The closed union of leaves: all nodes but `result`."""

from __future__ import annotations

from typing import Final, TypeAlias

from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode

LeafNode: TypeAlias = (
    MarkdownNode
    | TextNode
    | ContextNode
    | JsonNode
    | ProgressNode
    | ImageNode
    | AudioNode
    | ResourceNode
    | ErrorNode
)
LEAVES: Final[frozenset[type]] = frozenset(
    {
        MarkdownNode,
        TextNode,
        ContextNode,
        JsonNode,
        ProgressNode,
        ImageNode,
        AudioNode,
        ResourceNode,
        ErrorNode,
    }
)
"""For the quick test `type(x) in LEAVES` on hot paths."""
