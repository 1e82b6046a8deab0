"""Reading a document node back from its wire form.

Reading is strict: an unknown kind, a missing or unknown member, a wrong type or a cycle is
refused with its path.  Writing is each node's own `wire_text`.  Above: `document`, `event`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from trio_agent.errors import ContractError
from trio_agent.limits import DEEPEST
from trio_agent.vocabulary.field import Annotations, Audience
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio_agent.vocabulary.node import LeafNode


def node_to_wire(node: DocumentNode) -> dict[str, object]:
    """The wire form as plain Python, a fresh copy."""
    wire: dict[str, object] = json.loads(node.wire_text())
    return wire


def node_from_wire(wire: object, place: str = "root") -> DocumentNode:
    """Read one node, and all nodes in it.

    Args:
        wire: what `json.loads` gives.
        place: how the node is called in an error.

    Raises:
        ContractError: `invalid-document`, with the path.
    """
    return _read(wire, place, 1)


def _read(wire: object, place: str, level: int) -> DocumentNode:
    if level > DEEPEST:
        # A cycle of Python dicts ends here too.
        raise ContractError(
            "document-depth-exceeded", f"{place[:80]}... is deeper than {DEEPEST} levels"
        )
    members = read_members(wire, place)
    kind = members.pop("kind", None)
    if kind == "result":
        return _read_result(members, place, level)
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise ContractError(
            "invalid-document",
            f"{place}.kind is one of result, {', '.join(_READERS)}, received {kind!r}",
        )
    try:
        return reader(members)
    except TypeError as error:
        # The constructors name the missing or unexpected member; only the place is theirs not.
        raise ContractError("invalid-document", f"{place} is no {kind} node: {error}") from None
    except ContractError as error:
        raise ContractError("invalid-document", f"{place}: {error.message}") from None


def read_members(wire: object, place: str) -> dict[str, object]:
    """A copy of the members of a JSON object.

    Raises:
        ContractError: `invalid-document`, it is not an object with string keys.
    """
    if type(wire) is not dict:
        raise ContractError("invalid-document", f"{place} is an object, received {wire!r:.80}")
    for key in cast("dict[object, object]", wire):
        if not isinstance(key, str):
            raise ContractError("invalid-document", f"{place} has the key {key!r}")
    return dict(cast("dict[str, object]", wire))


def _read_result(members: dict[str, object], place: str, level: int) -> ResultNode:
    children = members.pop("children", None)
    metadata = (
        Json.of(members.pop("metadata"), f"{place}.metadata") if "metadata" in members else None
    )
    if members:
        raise ContractError("invalid-document", f"{place} has the unknown member {min(members)!r}")
    if not isinstance(children, (list, tuple)):
        raise ContractError(
            "invalid-document", f"{place}.children is a list, received {children!r:.80}"
        )
    items = cast("list[object]", children)
    return ResultNode.of(
        [_read(child, f"{place}.children[{i}]", level + 1) for i, child in enumerate(items)],
        metadata,
    )


def _renamed(members: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """Members under their Python names; annotations read."""
    renamed: dict[str, object] = {}
    for name, value in members.items():
        if name in names.values():
            raise TypeError(f"unexpected member {name!r}")
        renamed[names.get(name, name)] = value
    if "annotations" in renamed:
        renamed["annotations"] = _read_annotations(renamed["annotations"])
    return renamed


def _read_annotations(wire: object) -> Annotations:
    members = read_members(wire, "annotations")
    audience = members.pop("audience", ())
    if type(audience) is not list and type(audience) is not tuple:
        raise ContractError("invalid-document", f"audience is a list, received {audience!r}")
    return Annotations(
        audience=cast("tuple[Audience, ...]", tuple(cast("list[object]", audience))),
        **_renamed(members, {"lastModified": "last_modified"}),  # type: ignore[arg-type]  # checked by the class
    )


_MEDIA_NAMES: Final = {"mimeType": "mime_type"}
_RESOURCE_NAMES: Final = {"mimeType": "mime_type", "size": "byte_size"}

# The constructors check every field, so the readers may hand on what the wire holds.
_READERS: Final[dict[str, Callable[[dict[str, object]], LeafNode]]] = {
    "markdown": lambda members: MarkdownNode(**_renamed(members, {})),  # type: ignore[arg-type]  # checked there
    "text": lambda members: TextNode(**_renamed(members, {})),  # type: ignore[arg-type]  # checked there
    "context": lambda members: ContextNode(**_renamed(members, {})),  # type: ignore[arg-type]  # checked there
    "json": lambda members: _read_json(_renamed(members, {})),
    "progress": lambda members: ProgressNode(**_renamed(members, {})),  # type: ignore[arg-type]  # checked there
    "image": lambda members: ImageNode(**_renamed(members, _MEDIA_NAMES)),  # type: ignore[arg-type]  # checked there
    "audio": lambda members: AudioNode(**_renamed(members, _MEDIA_NAMES)),  # type: ignore[arg-type]  # checked there
    "resource": lambda members: ResourceNode(**_renamed(members, _RESOURCE_NAMES)),  # type: ignore[arg-type]  # checked there
    "error": lambda members: ErrorNode(**_renamed(members, {})),  # type: ignore[arg-type]  # checked there
}


def _read_json(members: dict[str, object]) -> JsonNode:
    if "value" not in members:
        raise TypeError("missing member 'value'")
    members["value"] = Json.of(members["value"])
    return JsonNode(**members)  # type: ignore[arg-type]  # checked by the class
