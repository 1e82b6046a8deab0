"""The Agent Document: what an invocation comes to, whoever asked.

    {"version": 1, "status": ..., "root": node, "value"?: any JSON}

A document is immutable and detached from everything its author passed in.  The decoder makes
documents with a `result` root and the status `success` or `represented-error`; `failed` exists
for documents that are built by hand.  Budgets are not this module's business, except that
`from_wire` and `build` check the document limits, since nothing before them has.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, cast, final, get_args

import attrs

from trio_agent.errors import LimitError
from trio_agent.limits import Limits
from trio_agent.shown import shown
from trio_agent.vocabulary.field import refuse
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.node import LEAVES
from trio_agent.vocabulary.result import DocumentNode, ResultNode
from trio_agent.vocabulary.wire import node_from_wire, read_members

if TYPE_CHECKING:
    from trio_agent.errors import LimitCode

Status: TypeAlias = Literal["success", "represented-error", "failed"]

_STATUSES: Final[tuple[Status, ...]] = get_args(Status)
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

    __repr__ = shown

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
            refuse("root", "a node", root)
        if value is not None and type(value) is not Json:
            refuse("value", "an instance of Json", value)
        if status is None:
            status = "represented-error" if root.errors else "success"
        _check_status(status)
        document = cls(status=status, root=root, value=value)
        document.check(Limits() if limits is None else limits)
        return document

    def check(self, limits: Limits) -> None:
        """Hold the finished document against the document limits.

        Raises:
            LimitError: names the limit, its number, and what the document has.
        """
        value = self.value
        depth = max(self.root.height, 0 if value is None else value.depth)
        nodes = self.root.nodes + (0 if value is None else value.nodes)
        checks: tuple[tuple[LimitCode, str, int], ...] = (
            ("document-bytes-exceeded", "max_document_bytes", self.size),
            ("media-bytes-exceeded", "max_media_bytes", self.root.media),
            ("document-depth-exceeded", "max_document_depth", depth),
            ("document-node-count-exceeded", "max_document_nodes", nodes),
        )
        for code, name, has in checks:
            limit: int = getattr(limits, name)
            if has > limit:
                raise LimitError(code, f"the document has {has}, {name} is {limit}")

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
        members = read_members(
            wire, "document", required=("version", "status", "root"), optional=("value",)
        )
        version = members["version"]
        if type(version) is not int or version != 1:
            refuse("version", "1", version)
        status = members["status"]
        _check_status(status)
        return cls.build(
            node_from_wire(members["root"]),
            status=cast("Status", status),
            value=Json.of(members["value"]) if "value" in members else None,
            limits=limits,
        )


def _check_status(status: object) -> None:
    # A tuple, not a set: what was given may not be hashable.
    if status not in _STATUSES:
        refuse("status", f"one of {', '.join(_STATUSES)}", status)


_ENVELOPE: Final[dict[Status, int]] = {status: _envelope(status) for status in _STATUSES}
