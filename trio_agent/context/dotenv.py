r"""`.env` files as text: names and values, and the lines that are neither.

    # a comment
    NAME=value                up to the end of the line, or to a # after a blank; trimmed
    NAME='as it is'           may go over several lines
    NAME="with \n and \""     \n \r \t \\ \" \$ are read as in a shell; several lines too
    export NAME=value         the same

Nothing is interpolated: `$` and `${...}` stay as they are.  Sans-I/O, and no value is ever shown:
a fault is a line number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEAD: Final = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=")
_QUOTED: Final = re.compile(
    r"""[ \t]*(?:'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)")[ \t]*(?:\#[^\n]*)?(?=\n|\Z)""",
    re.DOTALL,
)
_IDLE: Final = re.compile(r"[ \t]*(?:#.*)?")
_COMMENT: Final = re.compile(r"[ \t]#")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "$": "$"}


@final
@attrs.frozen
class EnvText:
    """What a file says.

    Attributes:
        values: by name; of a name that comes twice, the last.
        faults: numbers of the lines that could not be read, from 1.
    """

    values: Mapping[str, str]
    faults: tuple[int, ...] = ()

    __repr__ = shown


def parse_env(text: str) -> EnvText:
    """Read the text of a file; never raises."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    values: dict[str, str] = {}
    faults: list[int] = []
    position = 0
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        head = _HEAD.match(text, position, end)
        if head is None:
            entry = None
            if not _IDLE.fullmatch(text, position, end):
                faults.append(_line_at(text, position))
        else:
            entry = _value(text, head.end(), end)
            if entry is None:
                faults.append(_line_at(text, position))
            else:
                values[head[1]], end = entry
        position = end + 1
    return EnvText(values, tuple(faults))


def _value(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The value that begins at *start*, and where its last line ends; None when there is none.

    Args:
        text: of the file.
        start: just after the `=`.
        end: of the line.
    """
    quoted = _QUOTED.match(text, start)
    if quoted is not None:
        single = quoted["single"]
        value = single if single is not None else _ESCAPED.sub(_unescape, quoted["double"])
        end = quoted.end()
    else:
        value = _COMMENT.split(text[start:end], maxsplit=1)[0].strip()
        if value.startswith(("'", '"')):
            return None
    # No environment can hold it.
    return None if "\0" in value else (value, end)


def _unescape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[1], found[0])


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
