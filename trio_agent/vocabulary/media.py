"""Leaves that carry media, or point to it: image, audio, resource.

    image, audio   {"kind", "data", "mimeType", "alt"?, "annotations"?}
    resource       {"kind", "uri", "name", "mimeType"?, "title"?, "size"?, "text"? | "blob"?,
                    "alt"?, "annotations"?}

`data` and `blob` are base64 and are checked; their characters count in `media`, against a
budget of their own, and not in `size`.  `alt` is the declared text for a reader that cannot show
the thing.  The other leaves, and what totals a node carries, are told in `vocabulary.leaf`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal, final

import attrs

from trio_agent.errors import abridge
from trio_agent.shown import shown
from trio_agent.vocabulary.field import (
    Annotations,
    annotations_member,
    check_base64,
    check_count,
    check_mime_type,
    check_not_blank,
    check_text,
    refuse,
    text_member,
)
from trio_agent.vocabulary.json import quote, utf8_size

_set_once: Final = object.__setattr__


@final
@attrs.frozen(kw_only=True)
class ImageNode:
    """A picture: base64 `data` and its MIME type; `alt` is the text shown where it cannot be."""

    kind: ClassVar[Literal["image"]] = "image"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    errors: ClassVar[int] = 0

    data: str
    mime_type: str
    alt: str | None = None
    annotations: Annotations | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        _check_media("image", self.data, self.mime_type, self.alt)
        _set_once(self, "size", utf8_size(self.wire_text()) - len(self.data))

    @property
    def media(self) -> int:
        """Base64 characters, counted apart from the document."""
        return len(self.data)

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return _media_wire("image", self)


@final
@attrs.frozen(kw_only=True)
class AudioNode:
    """A sound: base64 `data` and its MIME type; `alt` is the text shown where it cannot be."""

    kind: ClassVar[Literal["audio"]] = "audio"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    errors: ClassVar[int] = 0

    data: str
    mime_type: str
    alt: str | None = None
    annotations: Annotations | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        _check_media("audio", self.data, self.mime_type, self.alt)
        _set_once(self, "size", utf8_size(self.wire_text()) - len(self.data))

    @property
    def media(self) -> int:
        """Base64 characters, counted apart from the document."""
        return len(self.data)

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        return _media_wire("audio", self)


def _check_media(kind: str, data: str, mime_type: str, alt: str | None) -> None:
    check_base64(f"{kind} data", data)
    check_mime_type(f"{kind} mimeType", mime_type)
    if alt is not None:
        check_text(f"{kind} alt", alt)


def _media_wire(kind: str, node: ImageNode | AudioNode) -> str:
    # base64 needs no escaping, and escaping megabytes takes milliseconds.
    return (
        f'{{"kind":"{kind}","data":"{node.data}","mimeType":{quote(node.mime_type)}'
        f"{text_member('alt', node.alt)}{annotations_member(node.annotations)}}}"
    )


@final
@attrs.frozen(kw_only=True)
class ResourceNode:
    """A link to a resource, or with `text` or `blob` the resource itself.

    Attributes:
        uri: not blank.
        name: not blank.
        mime_type: of what the uri names.
        title: for people, where `name` is for programs.
        byte_size: bytes of the resource, if known; `size` on the wire.
        text: the content, when it is text and embedded.
        blob: the content in base64, when it is not.
    """

    kind: ClassVar[Literal["resource"]] = "resource"
    nodes: ClassVar[int] = 1
    height: ClassVar[int] = 1
    errors: ClassVar[int] = 0

    uri: str
    name: str
    mime_type: str | None = None
    title: str | None = None
    byte_size: int | None = None
    text: str | None = None
    blob: str | None = None
    alt: str | None = None
    annotations: Annotations | None = None
    size: int = attrs.field(init=False, eq=False, repr=False)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        check_not_blank("resource uri", self.uri)
        check_not_blank("resource name", self.name)
        if self.mime_type is not None:
            check_mime_type("resource mimeType", self.mime_type)
        for field, text in (("title", self.title), ("text", self.text), ("alt", self.alt)):
            if text is not None:
                check_text(f"resource {field}", text)
        self._check_content()
        _set_once(self, "size", utf8_size(self.wire_text()) - self.media)

    def _check_content(self) -> None:
        if self.byte_size is not None:
            if type(self.byte_size) is not int:
                refuse("resource size", "a number of bytes", self.byte_size)
            check_count("resource size", self.byte_size)
        if self.blob is not None:
            if self.text is not None:
                refuse(f"resource content of {abridge(self.uri)}", "text or blob", "both")
            check_base64("resource blob", self.blob)

    @property
    def media(self) -> int:
        """Base64 characters, counted apart from the document."""
        return 0 if self.blob is None else len(self.blob)

    def wire_text(self) -> str:
        """Compact JSON of the wire form."""
        size = "" if self.byte_size is None else f',"size":{self.byte_size}'
        blob = "" if self.blob is None else f',"blob":"{self.blob}"'
        return (
            f'{{"kind":"resource","uri":{quote(self.uri)},"name":{quote(self.name)}'
            f"{text_member('mimeType', self.mime_type)}{text_member('title', self.title)}{size}"
            f"{text_member('text', self.text)}{blob}{text_member('alt', self.alt)}"
            f"{annotations_member(self.annotations)}}}"
        )
