"""Render events: what a stream of one invocation says, in order.

    {"type": "shell",    "sequence", "document"}
    {"type": "progress", "sequence", "completed", "total"?, "message"?, "source"?}
    {"type": "replace",  "sequence", "boundaryId", "document"}
    {"type": "error",    "sequence", "boundaryId"?, "error": {"code", "message", "data"?}}
    {"type": "complete", "sequence", "document"}

Rules of a stream, kept by `protocol.gate` and the decoder:
* `sequence` counts 0, 1, 2 ... without gaps;
* `shell` comes first, unless the invocation failed before it; `complete` last and once;
* `replace` carries the whole new document, structurally shared with the one before;
* an `error` without `boundaryId` ends a failed stream; nothing comes after it.

In Python an `error` of a boundary carries the new document too, since the error node is in it;
the wire form does not.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final, Literal, TypeAlias, cast, final

import attrs

from trio_agent.shown import shown
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.field import (
    check_not_blank,
    check_progress,
    check_text,
    refuse,
    text_member,
)
from trio_agent.vocabulary.json import SAFE_INTEGER, Json, quote, utf8_size
from trio_agent.vocabulary.leaf import progress_members
from trio_agent.vocabulary.wire import read_members, refuse_null


def _head(kind: str, sequence: int) -> str:
    return f'{{"type":"{kind}","sequence":{sequence}'


@final
@attrs.frozen
class ShellEvent:
    """The first snapshot: everything outside boundaries is there."""

    type: ClassVar[Literal["shell"]] = "shell"
    sequence: int
    document: AgentDocument

    __repr__ = shown

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return f'{_head("shell", self.sequence)},"document":{self.document.wire_text()}}}'

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python, a fresh copy."""
        return _parsed(self.wire_text())


@final
@attrs.frozen
class ProgressEvent:
    """How far a source is.  The rules of the numbers are those of the `progress` node.

    Attributes:
        source: the name given to `progress.named`, None for the invocation's own reporter.
        is_numbered: whether the report named a number; otherwise `completed` repeats the last one
            of its source.  Not in the wire form, so it does not count for equality either.
    """

    type: ClassVar[Literal["progress"]] = "progress"
    sequence: int
    completed: float
    total: float | None = None
    message: str | None = None
    source: str | None = None
    is_numbered: bool = attrs.field(default=True, kw_only=True, eq=False, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        check_progress("progress", self.completed, self.total, self.message)
        if self.source is not None:
            check_not_blank("progress source", self.source)

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        members = progress_members(self.completed, self.total, self.message)
        source = text_member("source", self.source)
        return f"{_head('progress', self.sequence)},{members}{source}}}"

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python, a fresh copy."""
        return _parsed(self.wire_text())


@final
@attrs.frozen
class ReplaceEvent:
    """A boundary that showed its fallback shows its content now; `document` is the whole new one."""

    type: ClassVar[Literal["replace"]] = "replace"
    sequence: int
    boundary_id: str
    document: AgentDocument

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        check_not_blank("replace boundaryId", self.boundary_id)

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return (
            f'{_head("replace", self.sequence)},"boundaryId":{quote(self.boundary_id)}'
            f',"document":{self.document.wire_text()}}}'
        )

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python, a fresh copy."""
        return _parsed(self.wire_text())


@final
@attrs.frozen
class Failure:
    """What an `error` event tells.

    Attributes:
        code: not blank.
        message: for people; may be empty.
        data: any JSON, or None when there is none.
    """

    code: str
    message: str
    data: Json | None = None

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        check_not_blank("error code", self.code)
        check_text("error message", self.message)
        if self.data is not None and type(self.data) is not Json:
            refuse("error data", "an instance of Json", self.data)

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        data = "" if self.data is None else f',"data":{self.data.text}'
        return f'{{"code":{quote(self.code)},"message":{quote(self.message)}{data}}}'


@final
@attrs.frozen
class ErrorEvent:
    """A boundary failed; or, without a boundary, the whole invocation did.

    Attributes:
        boundary_id: None for the terminal error of a failed stream.
        document: the snapshot with the error node in it; None for the terminal error.
    """

    type: ClassVar[Literal["error"]] = "error"
    sequence: int
    error: Failure
    boundary_id: str | None = None
    document: AgentDocument | None = attrs.field(default=None, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        if self.boundary_id is not None:
            check_not_blank("error boundaryId", self.boundary_id)

    def wire_text(self) -> str:
        """Compact JSON of the wire form, which has no document."""
        boundary = text_member("boundaryId", self.boundary_id)
        return f'{_head("error", self.sequence)}{boundary},"error":{self.error.wire_text()}}}'

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python, a fresh copy."""
        return _parsed(self.wire_text())


@final
@attrs.frozen
class CompleteEvent:
    """The last event: the final document."""

    type: ClassVar[Literal["complete"]] = "complete"
    sequence: int
    document: AgentDocument

    __repr__ = shown

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return f'{_head("complete", self.sequence)},"document":{self.document.wire_text()}}}'

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python, a fresh copy."""
        return _parsed(self.wire_text())


RenderEvent: TypeAlias = ShellEvent | ProgressEvent | ReplaceEvent | ErrorEvent | CompleteEvent

_SNAPSHOT_ENVELOPE: Final = len('{"type":"complete","sequence":,"document":}')
_SEQUENCE_DIGITS: Final = 20


def snapshot_size(document: AgentDocument, boundary_id: str = "") -> int:
    """Bytes, at most, of an event with this document, media left out; needs no serialising."""
    boundary = len(',"boundaryId":') + utf8_size(quote(boundary_id)) if boundary_id else 0
    return _SNAPSHOT_ENVELOPE + _SEQUENCE_DIGITS + boundary + document.size


def event_size(event: ProgressEvent | ErrorEvent) -> int:
    """Bytes of a small event."""
    return utf8_size(event.wire_text())


def _parsed(text: str) -> dict[str, object]:
    wire: dict[str, object] = json.loads(text)
    return wire


def event_from_wire(wire: object) -> RenderEvent:
    """Read one event, strictly.  Limits of the documents in it are the defaults.

    Raises:
        ContractError: `invalid-document`, with the place.
        LimitError: a document in it is too large.
    """
    if type(wire) is not dict:
        refuse("event", "an object", wire)
    members = cast("dict[str, object]", wire)
    kind = members.get("type")
    if not isinstance(kind, str) or kind not in _MEMBERS:
        refuse("event.type", f"one of {', '.join(_MEMBERS)}", kind)
    required, optional = _MEMBERS[kind]
    members = read_members(
        members,
        f"{kind} event",
        required=("type", "sequence", *required),
        optional=optional,
    )
    refuse_null(members, f"{kind} event")
    del members["type"]
    sequence = members.pop("sequence")
    if type(sequence) is not int or not 0 <= sequence <= SAFE_INTEGER:
        refuse(f"{kind} event sequence", "an integer that counts from 0", sequence)
    return _read_event(kind, sequence, members)


_MEMBERS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "shell": (("document",), ()),
    "progress": (("completed",), ("total", "message", "source")),
    "replace": (("boundaryId", "document"), ()),
    "error": (("error",), ("boundaryId",)),
    "complete": (("document",), ()),
}
"""Per type: the members it has besides `type` and `sequence`, and those it may have."""


def _read_event(kind: str, sequence: int, members: dict[str, object]) -> RenderEvent:
    if kind == "progress":
        return ProgressEvent(sequence, **members)  # type: ignore[arg-type]  # checked by the class
    boundary_id = cast("str", members.get("boundaryId"))  # checked by the classes
    if kind == "error":
        return ErrorEvent(sequence, _read_failure(members["error"]), boundary_id)
    document = AgentDocument.from_wire(members["document"])
    if kind == "replace":
        return ReplaceEvent(sequence, boundary_id, document)
    return ShellEvent(sequence, document) if kind == "shell" else CompleteEvent(sequence, document)


def _read_failure(wire: object) -> Failure:
    members = read_members(wire, "error", required=("code", "message"), optional=("data",))
    return Failure(
        cast("str", members["code"]),  # checked by the class, like the message
        cast("str", members["message"]),
        Json.of(members["data"], "error.data") if "data" in members else None,
    )
