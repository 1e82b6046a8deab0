"""Reading a document node back from its wire form.

Reading is strict: an unknown kind, a missing or unknown member, a wrong type (null where a
member may be absent, too) or a cycle is refused with its path.  Writing is each node's own
`wire_text`.  Above: `document`, `event`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Protocol, cast

from trio_agent.errors import ContractError, LimitError, abridge
from trio_agent.limits import DEEPEST
from trio_agent.vocabulary.field import Annotations, refuse
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
    from collections.abc import Collection, Mapping

    from trio_agent.vocabulary.field import Audience
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
        LimitError: `document-depth-exceeded`, deeper than any limit may be.
    """
    return _read(wire, place, ())


def read_members(
    wire: object, place: str, *, required: Collection[str] = (), optional: Collection[str] = ()
) -> dict[str, object]:
    """A copy of the members of a JSON object, no more and no fewer than are known.

    Args:
        wire: what `json.loads` gives.
        place: how the object is called in an error.
        required: members that are there.
        optional: members that may be absent; null is not absent, see `refuse_null`.

    Raises:
        ContractError: `invalid-document`, naming the member.
    """
    if type(wire) is not dict:
        raise ContractError("invalid-document", f"{place} is an object, received {abridge(wire)}")
    members = cast("dict[object, object]", wire)
    for known in required:
        if known not in members:
            raise ContractError("invalid-document", f"{place}.{known} is missing")
    for name in members:
        if name not in required and name not in optional:
            raise ContractError(
                "invalid-document", f"{place} has the unknown member {abridge(name)}"
            )
    return cast("dict[str, object]", members.copy())


def refuse_null(members: Mapping[str, object], place: str) -> None:
    """Refuse null as the value of a member; whoever has nothing to say leaves it out.

    Raises:
        ContractError: `invalid-document`, naming the member.
    """
    for name, value in members.items():
        if value is None:
            raise ContractError(
                "invalid-document", f"{place}.{name} is null; a member without a value is left out"
            )


def _read(wire: object, place: str, above: tuple[int, ...]) -> DocumentNode:
    """Read a node below the objects whose ids are *above*."""
    if type(wire) is not dict:
        raise ContractError("invalid-document", f"{place} is an object, received {abridge(wire)}")
    members = cast("dict[str, object]", wire)
    if id(members) in above:
        raise ContractError("invalid-document", f"{place[:80]} is one of its own ancestors")
    if len(above) >= DEEPEST:
        raise LimitError(
            "document-depth-exceeded", f"{place[:80]}... is deeper than {DEEPEST} levels"
        )
    kind = members.get("kind")
    if kind == "result":
        return _read_result(members, place, (*above, id(members)))
    if not isinstance(kind, str) or kind not in _SHAPES:
        raise ContractError(
            "invalid-document",
            f"{place}.kind is one of result, {', '.join(_SHAPES)}, received {abridge(kind)}",
        )
    return _read_leaf(kind, members, place)


def _read_result(wire: dict[str, object], place: str, above: tuple[int, ...]) -> ResultNode:
    members = read_members(wire, place, required=("kind", "children"), optional=("metadata",))
    metadata = Json.of(members["metadata"], f"{place}.metadata") if "metadata" in members else None
    if type(members["children"]) not in _LISTS:
        raise ContractError(
            "invalid-document",
            f"{place}.children is a list, received {abridge(members['children'])}",
        )
    items = cast("list[object]", members["children"])
    children: list[DocumentNode] = []
    # A loop for the sake of its frames: see `vocabulary.result`.
    for index, item in enumerate(items):
        children.append(_read(item, f"{place}.children[{index}]", above))
    return ResultNode.of(children, metadata)


def _read_leaf(kind: str, wire: dict[str, object], place: str) -> LeafNode:
    make, required, optional = _SHAPES[kind]
    members = read_members(wire, place, required=("kind", *required), optional=optional)
    del members["kind"]
    if kind == "json":
        members["value"] = Json.of(members["value"], f"{place}.value")
    refuse_null(members, place)
    try:
        if "annotations" in members:
            members["annotations"] = _read_annotations(members["annotations"])
        return make(**{_PYTHON_NAMES.get(name, name): members[name] for name in members})
    except ContractError as error:
        # The classes name the kind and the field; only where the node stands is not theirs.
        raise ContractError("invalid-document", f"{place}: {error.message}") from None


def _read_annotations(wire: object) -> Annotations:
    members = read_members(wire, "annotations", optional=("audience", "priority", "lastModified"))
    refuse_null(members, "annotations")
    audience = members.get("audience", ())
    if type(audience) not in _LISTS:
        refuse("annotations audience", "a list", audience)
    return Annotations(
        audience=tuple(cast("list[Audience]", audience)),
        # The class checks the other two.
        priority=cast("float | None", members.get("priority")),
        last_modified=cast("str | None", members.get("lastModified")),
    )


class _LeafClass(Protocol):
    """A leaf's class while its fields are not known to be right: it checks them itself."""

    def __call__(self, **fields: object) -> LeafNode: ...


_LISTS: Final = frozenset({list, tuple})
_NOTES: Final = ("annotations",)
_MEDIA: Final = ("alt", "annotations")
_SHAPES: Final = cast(
    "Mapping[str, tuple[_LeafClass, tuple[str, ...], tuple[str, ...]]]",
    {
        "markdown": (MarkdownNode, ("text",), _NOTES),
        "text": (TextNode, ("text",), _NOTES),
        "context": (ContextNode, ("text",), _NOTES),
        "json": (JsonNode, ("value",), _NOTES),
        "progress": (ProgressNode, ("completed",), ("total", "message")),
        "image": (ImageNode, ("data", "mimeType"), _MEDIA),
        "audio": (AudioNode, ("data", "mimeType"), _MEDIA),
        "resource": (
            ResourceNode,
            ("uri", "name"),
            ("mimeType", "title", "size", "text", "blob", *_MEDIA),
        ),
        "error": (ErrorNode, ("code", "message"), ()),
    },
)
"""Per kind: its class, the members it has besides `kind`, and those it may have."""

_PYTHON_NAMES: Final = {"mimeType": "mime_type", "size": "byte_size"}
