"""A finished document as the result of an MCP request.

    tools/call        {"content": [...], "structuredContent"?, "isError"?, "_meta"?}
    resources/read    {"contents": [...], "_meta"?}
    prompts/get       {"messages": [...], "description"?, "_meta"?}

`_meta` is the metadata of the root result, which has to be an object; metadata of nested results
is not told.  Only tools have `isError`: a resource or a prompt that represents an error is what
it says.

A result is plain dicts, because that is what both transports take; a JSON leaf goes out as the
text that it already has.  Above: `projection`, which feeds the events; below: `content`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never, cast

from trio_agent.errors import ContractError, abridge
from trio_agent.surfaces.mcp.results.content import (
    ProjectionError,
    block_of,
    blocks_of,
    error_text,
    has_content,
    leaves_of,
    resource_contents,
    text_block,
)
from trio_agent.vocabulary.field import refuse
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
from trio_agent.vocabulary.wire import node_from_wire, read_members

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.results.policy import ToolPolicy
    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.json import Json
    from trio_agent.vocabulary.node import LeafNode

_OWN_TYPES: Final = {
    "markdown": "text/markdown",
    "text": "text/plain",
    "context": "text/plain",
}


def tool_result(document: AgentDocument, policy: ToolPolicy) -> JsonObject:
    """A document as the result of `tools/call`.

    Raises:
        ProjectionError: `unsupported-rich-content` or `invalid-result-metadata`.
        ContractError: `invalid-document`, the value is no object and the tool rejects that.
    """
    result: JsonObject = {"content": blocks_of(document.root, policy)}
    if document.value is not None:
        structured = _structured(document.value, policy)
        if structured is not None:
            result["structuredContent"] = structured
    if document.status != "success":
        result["isError"] = True
    return _with_meta(result, document)


def _structured(value: Json, policy: ToolPolicy) -> JsonObject | None:
    """The value as `structuredContent`, where it becomes that."""
    if value.text.startswith("{") and not policy.wraps:
        return cast("JsonObject", value.value) if policy.structured else None
    match policy.scalar:
        case "text":
            return None
        case "wrap":
            return {"result": value.value} if policy.structured else None
        case "reject":
            raise ContractError(
                "invalid-document",
                f"the value of a tool with scalar='reject' is an object, received"
                f" {abridge(value.value)}",
            )
        case _:
            assert_never(policy.scalar)


def _with_meta(result: JsonObject, document: AgentDocument) -> JsonObject:
    root = document.root
    metadata = root.metadata if isinstance(root, ResultNode) else None
    if metadata is None:
        return result
    if not metadata.text.startswith("{"):
        raise ProjectionError(
            "invalid-result-metadata",
            f"the metadata of the root result is an object, received {abridge(metadata.value)}",
        )
    result["_meta"] = metadata.value
    return result


def resource_result(document: AgentDocument, uri: str, mime_type: str | None) -> JsonObject:
    """A document as the result of `resources/read`: one content for each leaf.

    Text and JSON are of the declared type, or else of the leaf's own; media and embedded
    resources say their own; a link becomes a list of one URI, and a represented error its text.

    Args:
        document: the final one.
        uri: that was asked for.
        mime_type: that the resource declares.

    Raises:
        ProjectionError: `invalid-result-metadata`.
    """
    contents = (_contents_of(leaf, uri, mime_type) for leaf in leaves_of(document.root))
    return _with_meta({"contents": [one for one in contents if one is not None]}, document)


def _contents_of(leaf: LeafNode, uri: str, mime_type: str | None) -> JsonObject | None:
    match leaf:
        case ProgressNode():
            return None
        case MarkdownNode() | TextNode() | ContextNode():
            text, kind = leaf.text, mime_type or _OWN_TYPES[leaf.kind]
        case JsonNode():
            text, kind = leaf.value.text, mime_type or "application/json"
        case ErrorNode():
            text, kind = error_text(leaf.code, leaf.message), "text/plain"
        case ImageNode() | AudioNode():
            return {"uri": uri, "mimeType": leaf.mime_type, "blob": leaf.data}
        case ResourceNode():
            if has_content(leaf):
                return resource_contents(leaf)
            text, kind = f"{leaf.uri}\r\n", "text/uri-list"
        case _:
            assert_never(leaf)
    return {"uri": uri, "mimeType": kind, "text": text}


def prompt_result(
    document: AgentDocument, description: str | None, policy: ToolPolicy, *, has_messages: bool
) -> JsonObject:
    """A document as the result of `prompts/get`.

    Args:
        document: the final one.
        description: of the prompt.
        policy: what the client gets of media.
        has_messages: the value of the document is the messages; otherwise, and where there is no
            value because the document represents an error, each leaf is a message of the user.

    Raises:
        ProjectionError: `unsupported-rich-content` or `invalid-result-metadata`.
        ContractError: `invalid-document`, the value is no list of messages.
    """
    if has_messages and document.value is not None:
        messages = _stated_messages(document.value.value, policy)
    else:
        blocks = blocks_of(document.root, policy)
        messages = [{"role": "user", "content": block} for block in blocks]
    result: JsonObject = {} if description is None else {"description": description}
    result["messages"] = messages
    return _with_meta(result, document)


def _stated_messages(value: object, policy: ToolPolicy) -> list[JsonObject]:
    members = read_members(value, "value", required=("messages",))
    stated = members["messages"]
    if not isinstance(stated, list):
        refuse("value.messages", "a list", stated)
    messages: list[JsonObject] = []
    for number, one in enumerate(cast("list[object]", stated)):
        place = f"value.messages[{number}]"
        message = read_members(one, place, required=("role", "content"))
        if message["role"] not in ("user", "assistant"):
            refuse(f"{place}.role", "user or assistant", message["role"])
        block = _stated_block(message["content"], f"{place}.content", policy)
        messages.append({"role": message["role"], "content": block})
    return messages


def _stated_block(content: object, place: str, policy: ToolPolicy) -> JsonObject:
    """The content of a message: a string, or a leaf in its wire form."""
    if isinstance(content, str):
        return text_block(content)
    node = node_from_wire(content, place)
    block = None if isinstance(node, ResultNode) else block_of(node, policy)
    if block is None:
        refuse(place, "a leaf with something to read", node.kind)
    return block
