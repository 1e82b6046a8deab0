"""Fields that several nodes share, and the checks that every malformed one fails with.

Plain functions: a check returns nothing or raises `ContractError` with the place, what was
expected and what was received.  Values that nodes are made of, not nodes.  Above: `leaf`,
`media`, `event`.
"""

from __future__ import annotations

import binascii
import math
import re
from typing import Final, Literal, Never, TypeAlias, final

import attrs

from trio_agent.errors import ContractError, abridge
from trio_agent.shown import shown
from trio_agent.vocabulary.json import SAFE_INTEGER, Json, quote

Audience: TypeAlias = Literal["user", "assistant"]

_MIME_TYPE: Final = re.compile(
    r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:\s*;\s*[A-Za-z0-9!#$&^_.+-]+=(?:[^\s;\"]+|\"[^\"]*\"))*"
)
"""`type/subtype` with optional parameters (RFC 6838 names, RFC 2045 parameters)."""


def refuse(where: str, expected: str, received: object) -> Never:
    """Raise the one error every malformed node gives.

    Raises:
        ContractError: `invalid-document`, always.
    """
    raise ContractError("invalid-document", f"{where} is {expected}, received {abridge(received)}")


def check_text(where: str, value: object) -> None:
    """Any string passes; not its subclasses, which a surface might spell in another way."""
    if type(value) is not str:
        refuse(where, "a string", value)


def check_not_blank(where: str, value: object) -> None:
    """A string whose trimmed form is not empty; it is stored as it came."""
    if type(value) is not str or not value.strip():
        refuse(where, "a string that is not blank", value)


def check_count(where: str, value: object) -> None:
    """A finite number that is not negative; an integer is one that JavaScript holds exactly."""
    if type(value) is int:
        if not 0 <= value <= SAFE_INTEGER:
            refuse(where, "an integer from 0 to 2**53 - 1", value)
    elif type(value) is not float or not math.isfinite(value) or value < 0:
        refuse(where, "a finite number that is not negative", value)


def check_progress(where: str, completed: float, total: float | None, message: str | None) -> None:
    """The rules that a `progress` node, event and report share.

    Raises:
        ContractError: `invalid-document`, naming *where* and the field.
    """
    check_count(f"{where} completed", completed)
    if total is not None:
        check_count(f"{where} total", total)
        if completed > total:
            refuse(f"{where} completed", f"at most its total {total}", completed)
    if message is not None:
        check_not_blank(f"{where} message", message)


def check_base64(where: str, value: str) -> None:
    """Base64 of at least one byte, padded, without line breaks (RFC 4648, section 4)."""
    check_not_blank(where, value)
    try:
        binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        refuse(where, "base64 without line breaks", value)


def check_mime_type(where: str, value: str) -> None:
    """A MIME type, parameters allowed."""
    check_not_blank(where, value)
    if _MIME_TYPE.fullmatch(value.strip()) is None:
        refuse(where, "a MIME type such as image/png", value)


@final
@attrs.frozen(kw_only=True)
class Annotations:
    """Hints about a content node for the host that shows it (the fields of MCP's annotations).

    Attributes:
        audience: whom the content is for; empty when not said.
        priority: 0.0 (optional) to 1.0 (required).
        last_modified: ISO 8601.
    """

    audience: tuple[Audience, ...] = ()
    priority: float | None = None
    last_modified: str | None = None

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        if type(self.audience) is not tuple:
            refuse("annotations audience", "a tuple", self.audience)
        for one in self.audience:
            # Not a set: what was given may not be hashable.
            if one not in ("user", "assistant"):
                refuse("annotations audience", "user or assistant", one)
        if self.priority is not None:
            check_count("annotations priority", self.priority)
            if self.priority > 1:
                refuse("annotations priority", "between 0 and 1", self.priority)
        if self.last_modified is not None:
            check_not_blank("annotations lastModified", self.last_modified)

    def to_wire(self) -> dict[str, object]:
        """The wire form; absent fields are not written."""
        wire: dict[str, object] = {}
        if self.audience:
            wire["audience"] = list(self.audience)
        if self.priority is not None:
            wire["priority"] = self.priority
        if self.last_modified is not None:
            wire["lastModified"] = self.last_modified
        return wire


def annotations_member(annotations: Annotations | None) -> str:
    """The `annotations` member of a node as compact JSON, or nothing.

    Raises:
        ContractError: `invalid-document`, they are something else than `Annotations`.
    """
    if annotations is None:
        return ""
    if type(annotations) is not Annotations:
        refuse("annotations", "an instance of Annotations", annotations)
    return f',"annotations":{Json.of(annotations.to_wire(), "annotations").text}'


def text_member(name: str, text: str | None) -> str:
    """An optional string member as compact JSON, or nothing."""
    return "" if text is None else f',"{name}":{quote(text)}'
