"""The Agent Document: what an invocation comes to, whoever asked.

    {"version": 1, "status": ..., "root": node, "value"?: any JSON}

A document is immutable and detached from everything its author passed in.  The decoder makes
documents with a `result` root and the status `success` or `represented-error`; `failed` exists
for documents that are built by hand.  Budgets are not this module's business, except that
`from_wire` and `build` check the document limits, since nothing before them has.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final, Literal, TypeAlias, final

import attrs

from trio_agent.errors import ContractError, LimitError
from trio_agent.limits import Limits
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.node import LEAVES
from trio_agent.vocabulary.result import DocumentNode, ResultNode
from trio_agent.vocabulary.wire import node_from_wire, read_members

Status: TypeAlias = Literal["success", "represented-error", "failed"]

_STATUSES: Final = ("success", "represented-error", "failed")
_VALUE_ENVELOPE: Final = len(',"value":')


def _envelope(status: Status) -> int:
    return len(f'{{"version":1,"status":"{status}","root":}}')


@final
@attrs.frozen(kw_only=True)
class AgentDocument:
    """One snapshot of what was rendered.

    Attributes:
        status: `represented-error` when there is at least one error node in it.
        root: its nodes.
        value: the machine-readable answer, or None when there is none (JSON null is a `Json`).
    """

    version: ClassVar[Literal[1]] = 1

    status: Status
    root: DocumentNode
    value: Json | None = None

    @classmethod
    def build(
        cls,
        root: DocumentNode,
        *,
        status: Status | None = None,
        value: Json | None = None,
        limits: Limits | None = None,
    ) -> AgentDocument:
        """Build a document by hand, of any root.

        Args:
            root: any node, not only a result.
            status: by default what the nodes say.
            value: see the class.
            limits: the document limits that apply; the defaults if None.

        Raises:
            ContractError: `invalid-document`, a part is of the wrong class.
            LimitError: too large, too deep or too many nodes.
        """
        if type(root) not in LEAVES and type(root) is not ResultNode:
            raise ContractError("invalid-document", f"root is a node, received {root!r:.80}")
        if status is None:
            status = "represented-error" if root.errors else "success"
        if status not in _STATUSES:
            raise ContractError(
                "invalid-document", f"status is one of {', '.join(_STATUSES)}, received {status!r}"
            )
        document = cls(status=status, root=root, value=value)
        document.check(Limits() if limits is None else limits)
        return document

    def check(self, limits: Limits) -> None:
        """Hold the finished document against the document limits.

        Raises:
            LimitError: names the limit, its number, and what the document has.
        """
        value = self.value
        checks: tuple[tuple[_DocumentLimit, int, int], ...] = (
            ("document-bytes-exceeded", self.size, limits.max_document_bytes),
            ("media-bytes-exceeded", self.root.media, limits.max_media_bytes),
            (
                "document-depth-exceeded",
                max(self.root.height, 0 if value is None else value.depth),
                limits.max_document_depth,
            ),
            (
                "document-node-count-exceeded",
                self.root.nodes + (0 if value is None else value.nodes),
                limits.max_document_nodes,
            ),
        )
        for code, has, limit in checks:
            if has > limit:
                raise LimitError(code, f"the document has {has}, the limit is {limit}")

    @property
    def size(self) -> int:
        """Bytes of the compact JSON as UTF-8, media left out."""
        size = _ENVELOPE[self.status] + self.root.size
        return size if self.value is None else size + _VALUE_ENVELOPE + self.value.size

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        value = "" if self.value is None else f',"value":{self.value.text}'
        root = self.root.wire_text()
        return f'{{"version":1,"status":"{self.status}","root":{root}{value}}}'

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python, a fresh copy."""
        wire: dict[str, object] = json.loads(self.wire_text())
        return wire

    @classmethod
    def from_wire(cls, wire: object, *, limits: Limits | None = None) -> AgentDocument:
        """Read a document, strictly.

        Args:
            wire: what `json.loads` gives.
            limits: the document limits that apply; the defaults if None.

        Raises:
            ContractError: `invalid-document`, with the path.
            LimitError: too large, too deep or too many nodes.
        """
        members = read_members(wire, "document")
        version = members.pop("version", None)
        if type(version) is not int or version != 1:
            raise ContractError("invalid-document", f"version is 1, received {version!r}")
        status = members.pop("status", None)
        root = node_from_wire(members.pop("root", None))
        value = Json.of(members.pop("value")) if "value" in members else None
        if members:
            raise ContractError(
                "invalid-document", f"document has the unknown member {min(members)!r}"
            )
        if status not in _STATUSES:
            raise ContractError(
                "invalid-document", f"status is one of {', '.join(_STATUSES)}, received {status!r}"
            )
        return cls.build(root, status=status, value=value, limits=limits)


_DocumentLimit: TypeAlias = Literal[
    "document-bytes-exceeded",
    "media-bytes-exceeded",
    "document-depth-exceeded",
    "document-node-count-exceeded",
]
_ENVELOPE: Final[dict[Status, int]] = {
    status: _envelope(status) for status in ("success", "represented-error", "failed")
}
