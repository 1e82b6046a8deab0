"""A leaf as the content block that MCP has for it.

    text, markdown, context   {"type": "text", "text"}
    json                      {"type": "text", "text"}, compact JSON
    image, audio              {"type": "image" | "audio", "data", "mimeType"}
    resource                  {"type": "resource_link", "uri", "name", "title"?, "mimeType"?, "size"?}
    resource with content     {"type": "resource", "resource": {"uri", "mimeType"?, "text" | "blob"}}
    error                     {"type": "text", "text": "[code] message"}
    progress                  nothing

Annotations go with the block.  Where the policy wants text, the declared `alt` stands for the
thing, or else its name in brackets, such as `[image image/png]`; where it refuses, the result
fails: rich content is never dropped in silence.

Plain functions of values.  Above: `projection`; below: the vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, assert_never, final

from trio_agent.errors import TrioAgentError
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.routes.settings import MediaRule
    from trio_agent.surfaces.mcp.results.policy import ToolPolicy
    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.vocabulary.field import Annotations
    from trio_agent.vocabulary.node import LeafNode
    from trio_agent.vocabulary.result import DocumentNode

MediaNode: TypeAlias = "ImageNode | AudioNode | ResourceNode"


@final
class ProjectionError(TrioAgentError):
    """A finished document cannot be told to this client in the way that was asked for.

    Attributes:
        kind: of the leaf that was refused; None when it is about the document.
    """

    def __init__(
        self,
        code: Literal["unsupported-rich-content", "invalid-result-metadata"],
        message: str,
        kind: Literal["image", "audio", "resource"] | None = None,
    ) -> None:
        super().__init__(code, message)
        self.kind: Final = kind


def leaves_of(root: DocumentNode) -> Iterator[LeafNode]:
    """The leaves below a node, nested results in place, in order."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ResultNode):
            pending.extend(reversed(node.children))
        else:
            yield node


def blocks_of(root: DocumentNode, policy: ToolPolicy) -> list[JsonObject]:
    """The content blocks of everything below a node.

    Raises:
        ProjectionError: `unsupported-rich-content`, a leaf is of a kind that the policy refuses.
    """
    blocks = (block_of(leaf, policy) for leaf in leaves_of(root))
    return [block for block in blocks if block is not None]


def block_of(leaf: LeafNode, policy: ToolPolicy) -> JsonObject | None:
    """The content block of one leaf; None for progress, which is never content.

    Raises:
        ProjectionError: `unsupported-rich-content`, the policy refuses its kind.
    """
    match leaf:
        case MarkdownNode() | TextNode() | ContextNode():
            block = _annotated(text_block(leaf.text), leaf.annotations)
        case JsonNode():
            block = _annotated(text_block(leaf.value.text), leaf.annotations)
        case ErrorNode():
            block = text_block(error_text(leaf.code, leaf.message))
        case ProgressNode():
            return None
        case ImageNode() | AudioNode() | ResourceNode():
            block = _media_block(leaf, policy)
        case _:
            assert_never(leaf)
    return block


def error_text(code: str, message: str) -> str:
    """A represented error as one text."""
    return f"[{code}] {message}" if message else f"[{code}]"


def text_block(text: str) -> JsonObject:
    """A block of plain text."""
    return {"type": "text", "text": text}


def _annotated(block: JsonObject, annotations: Annotations | None) -> JsonObject:
    wire = None if annotations is None else annotations.to_wire()
    if wire:
        block["annotations"] = wire
    return block


def _media_block(leaf: MediaNode, policy: ToolPolicy) -> JsonObject:
    delivery = _delivery(leaf, policy)
    match delivery:
        case "native":
            block = _native_block(leaf)
        case "text":
            block = text_block(_fallback(leaf))
        case "refuse":
            raise ProjectionError(
                "unsupported-rich-content",
                f"the result has {_label(leaf)}, and this client takes no {leaf.kind}",
                leaf.kind,
            )
        case _:
            assert_never(delivery)
    return _annotated(block, leaf.annotations)


def _delivery(leaf: MediaNode, policy: ToolPolicy) -> MediaRule:
    match leaf:
        case ImageNode():
            return policy.image
        case AudioNode():
            return policy.audio
        case ResourceNode():
            is_unknown_link = not policy.has_links and not has_content(leaf)
            return "text" if is_unknown_link and policy.resource == "native" else policy.resource
        case _:
            assert_never(leaf)


def has_content(leaf: ResourceNode) -> bool:
    """Whether the resource itself is embedded, and not just a link to it."""
    return leaf.text is not None or leaf.blob is not None


def resource_contents(leaf: ResourceNode) -> JsonObject:
    """An embedded resource as MCP spells the contents of one."""
    contents: JsonObject = {"uri": leaf.uri}
    if leaf.mime_type is not None:
        contents["mimeType"] = leaf.mime_type
    if leaf.blob is not None:
        contents["blob"] = leaf.blob
    else:
        contents["text"] = leaf.text or ""
    return contents


def _native_block(leaf: MediaNode) -> JsonObject:
    if not isinstance(leaf, ResourceNode):
        return {"type": leaf.kind, "data": leaf.data, "mimeType": leaf.mime_type}
    if has_content(leaf):
        return {"type": "resource", "resource": resource_contents(leaf)}
    block: JsonObject = {"type": "resource_link", "uri": leaf.uri, "name": leaf.name}
    for name, value in (
        ("title", leaf.title),
        ("mimeType", leaf.mime_type),
        ("size", leaf.byte_size),
    ):
        if value is not None:
            block[name] = value
    return block


def _fallback(leaf: MediaNode) -> str:
    if leaf.alt is not None and leaf.alt.strip():
        return leaf.alt
    label = _label(leaf)
    if isinstance(leaf, ResourceNode) and leaf.text:
        # The text of a resource is what a client without resources can take of it.
        return f"{label}\n\n{leaf.text}"
    return label


def _label(leaf: MediaNode) -> str:
    if isinstance(leaf, ResourceNode):
        return f"[resource {leaf.name} {leaf.uri}]"
    return f"[{leaf.kind} {leaf.mime_type}]"
