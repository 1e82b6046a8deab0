"""Leaves without media: markdown, text, context, json, progress, error.

A leaf checks its fields when it is made, so an invalid one fails on the author's own line and
nothing later checks again.  Its wire form is one JSON object, `kind` first; an absent optional
field is not written:

    markdown, text, context   {"kind", "text", "annotations"?}
    json                      {"kind", "value", "annotations"?}
    progress                  {"kind", "completed", "total"?, "message"?}
    error                     {"kind", "code", "message"}

Every node, here and in `media` and `result`, carries its totals: `size` (bytes of its compact
JSON, media left out), `media` (base64 characters), `nodes` (itself and the JSON values that
hang on it), `height` (levels of depth it takes) and `errors` (error nodes in it).  Rule:
`size + media` is the length of `wire_text()` as UTF-8, always.

Authors make leaves through `vocabulary.element.Agent`.
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import ClassVar, Final, Literal, TypeAlias, final

import attrs

from trio_agent.shown import shown
from trio_agent.vocabulary.field import (
    Annotations,
    annotations_member,
    check_not_blank,
    check_progress,
    check_text,
    refuse,
    text_member,
)
from trio_agent.vocabulary.json import Json, quote, utf8_size

TextKind: TypeAlias = Literal["markdown", "text", "context"]


def _text_size(kind: TextKind, text: str, annotations: Annotations | None) -> int:
    """Size of a text leaf, without building its wire text twice: this is the hot path."""
    if type(text) is not str:
        refuse(f"{kind} text", "a string", text)
    quoted = encode_basestring(text)
    size = _ENVELOPE[kind] + (len(quoted) if quoted.isascii() else utf8_size(quoted))
    return size if annotations is None else size + utf8_size(annotations_member(annotations))


def _text_wire(kind: TextKind, text: str, annotations: Annotations | None) -> str:
    return f'{{"kind":"{kind}","text":{quote(text)}{annotations_member(annotations)}}}'


_ENVELOPE: Final[dict[TextKind, int]] = {
    kind: len(_text_wire(kind, "", None)) - len('""') for kind in ("markdown", "text", "context")
}
_set_once: Final = object.__setattr__


@final
@attrs.frozen(init=False)  # a document may have thousands: two calls less for each
class MarkdownNode:
    """GitHub-flavoured Markdown; any string, empty allowed."""

    kind: ClassVar[Literal["markdown"]] = "markdown"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    media: ClassVar[int] = 0
    errors: ClassVar[int] = 0

    text: str
    annotations: Annotations | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __init__(self, text: str, annotations: Annotations | None = None) -> None:
        _set_once(self, "text", text)
        _set_once(self, "annotations", annotations)
        _set_once(self, "size", _text_size("markdown", text, annotations))

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return _text_wire("markdown", self.text, self.annotations)


@final
@attrs.frozen(init=False)  # a document may have thousands: two calls less for each
class TextNode:
    """Plain text; any string, empty allowed."""

    kind: ClassVar[Literal["text"]] = "text"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    media: ClassVar[int] = 0
    errors: ClassVar[int] = 0

    text: str
    annotations: Annotations | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __init__(self, text: str, annotations: Annotations | None = None) -> None:
        _set_once(self, "text", text)
        _set_once(self, "annotations", annotations)
        _set_once(self, "size", _text_size("text", text, annotations))

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return _text_wire("text", self.text, self.annotations)


@final
@attrs.frozen(init=False)  # a document may have thousands: two calls less for each
class ContextNode:
    """Text for the slot where a host takes in extra context straight away."""

    kind: ClassVar[Literal["context"]] = "context"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    media: ClassVar[int] = 0
    errors: ClassVar[int] = 0

    text: str
    annotations: Annotations | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __init__(self, text: str, annotations: Annotations | None = None) -> None:
        _set_once(self, "text", text)
        _set_once(self, "annotations", annotations)
        _set_once(self, "size", _text_size("context", text, annotations))

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return _text_wire("context", self.text, self.annotations)


@final
@attrs.frozen
class JsonNode:
    """Any JSON value."""

    kind: ClassVar[Literal["json"]] = "json"
    media: ClassVar[int] = 0
    errors: ClassVar[int] = 0

    value: Json
    annotations: Annotations | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        if type(self.value) is not Json:
            refuse("json value", "an instance of Json", self.value)
        size = self.value.size + len('{"kind":"json","value":}')
        if self.annotations is not None:
            size += utf8_size(annotations_member(self.annotations))
        _set_once(self, "size", size)

    @property
    def nodes(self) -> int:
        """This node and the values of its JSON."""
        return self.value.nodes + 1

    @property
    def height(self) -> int:
        """The top value hangs at the node's own depth."""
        return self.value.depth

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return f'{{"kind":"json","value":{self.value.text}{annotations_member(self.annotations)}}}'


@final
@attrs.frozen
class ProgressNode:
    """How far something is: a placeholder, never part of the final content.

    `completed` and `total` are finite and not negative, `completed <= total`, and a message has
    at least one character that is not a space.
    """

    kind: ClassVar[Literal["progress"]] = "progress"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    media: ClassVar[int] = 0
    errors: ClassVar[int] = 0

    completed: float = 0
    total: float | None = None
    message: str | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        check_progress("progress", self.completed, self.total, self.message)
        _set_once(self, "size", utf8_size(self.wire_text()))

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return f'{{"kind":"progress",{progress_members(self.completed, self.total, self.message)}}}'


def progress_members(completed: float, total: float | None, message: str | None) -> str:
    """The members that a `progress` node and event share, as compact JSON without braces."""
    known = "" if total is None else f',"total":{total!r}'
    return f'"completed":{completed!r}{known}{text_member("message", message)}'


@final
@attrs.frozen
class ErrorNode:
    """A represented error: authored, or standing where a boundary failed.

    `code` is not blank; `message` may be empty.
    """

    kind: ClassVar[Literal["error"]] = "error"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    media: ClassVar[int] = 0
    errors: ClassVar[int] = 1

    code: str
    message: str
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        check_not_blank("error code", self.code)
        check_text("error message", self.message)
        _set_once(self, "size", utf8_size(self.wire_text()))

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return f'{{"kind":"error","code":{quote(self.code)},"message":{quote(self.message)}}}'
