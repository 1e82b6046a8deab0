"""The result of `tools/call` as a type, for code that is written against MCP and not against us.

What `projection.tool_result` makes fits these types, and so does what the official SDKs take and
give as plain objects.  Nothing here is needed to write a tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypeAlias, TypedDict, TypeVar, cast

from trio_agent.vocabulary.json import Json, JsonValue

JsonMembers: TypeAlias = Mapping[str, JsonValue]
"""A JSON object."""


class ContentAnnotations(TypedDict, total=False):
    """Hints for the host about one block."""

    audience: list[Literal["user", "assistant"]]
    priority: float
    lastModified: str


class TextBlock(TypedDict):
    """Text for the model or the person."""

    type: Literal["text"]
    text: str
    annotations: NotRequired[ContentAnnotations]


class MediaBlock(TypedDict):
    """A picture or a sound, in base64."""

    type: Literal["image", "audio"]
    data: str
    mimeType: str
    annotations: NotRequired[ContentAnnotations]


class LinkBlock(TypedDict):
    """A resource that can be read elsewhere."""

    type: Literal["resource_link"]
    uri: str
    name: str
    title: NotRequired[str]
    mimeType: NotRequired[str]
    size: NotRequired[int]
    annotations: NotRequired[ContentAnnotations]


class ResourceContents(TypedDict):
    """The contents of a resource: `text`, or `blob` in base64."""

    uri: str
    mimeType: NotRequired[str]
    text: NotRequired[str]
    blob: NotRequired[str]


class EmbeddedBlock(TypedDict):
    """A resource itself."""

    type: Literal["resource"]
    resource: ResourceContents
    annotations: NotRequired[ContentAnnotations]


ContentBlock: TypeAlias = "TextBlock | MediaBlock | LinkBlock | EmbeddedBlock"


class CallToolResult(TypedDict):
    """What `tools/call` answers with.

    Attributes:
        content: for reading, in order.
        structuredContent: the value, always an object.
        isError: there only when it is true.
        _meta: the metadata of the root result.
    """

    content: list[ContentBlock]
    structuredContent: NotRequired[JsonMembers]
    isError: NotRequired[bool]
    _meta: NotRequired[JsonMembers]


ResultT = TypeVar("ResultT", bound=CallToolResult)


def attach_structured_content(result: ResultT, value: object) -> ResultT:
    """A copy of *result* with *value* as its `structuredContent`.

    Only an object is structured content: any other value changes nothing, and an object replaces
    what was there.

    Args:
        result: is not changed.
        value: JSON, or an attrs instance; copied.

    Raises:
        ContractError: `invalid-document`, with the path of what is not JSON.
    """
    checked = Json.of(value)
    copy = result.copy()
    if checked.text.startswith("{"):
        copy["structuredContent"] = cast("JsonMembers", checked.value)
    return copy
