r"""File names as text that can be shown anywhere and turned back into the name.

A file name is a string of bytes; only by custom is it UTF-8 without control characters. The
printable form keeps what can be printed and writes everything else as the bytes on disk:

* `\xNN` is the byte NN, whether it is not UTF-8 or part of a character that does not print;
* `\\` is a backslash;
* `\...` marks what `shorten` left out, and is the only form that does not lead back.

No other use of the backslash exists, so two names never look the same. Above: walk, hashing,
naming, receipt. Below: the operating system's own encoding of names.
"""

import json
import os
import re
from bisect import bisect_right
from itertools import accumulate
from typing import Final

_ESCAPE: Final = re.compile(rb"\\(?:\\|x([0-9a-f]{2}))")
_UNIT: Final = re.compile(r"\\\\|\\x[0-9a-f]{2}|.", re.DOTALL)
_GAP: Final = r"\..."
_GAP_JSON_BYTES: Final = 5


def to_printable(name: str) -> str:
    """Show `name`, which came from the operating system; a path keeps its slashes."""
    if name.isprintable() and "\\" not in name:
        return name
    return "".join(map(_show, name))


def from_printable(text: str) -> str:
    """Give back the name that `to_printable` showed as `text`."""
    if "\\" not in text:
        return text
    return os.fsdecode(_ESCAPE.sub(_read, os.fsencode(text)))


def shorten(text: str, *, max_json_bytes: int) -> str:
    r"""Leave out the middle of a printable text that would be too long as ASCII JSON.

    A third of the room goes to the beginning and the rest to the end, where a path is most telling.
    An escape is kept or dropped as a whole.
    """
    if len(json.dumps(text)) - 2 <= max_json_bytes:
        return text
    units: list[str] = _UNIT.findall(text)
    room = max_json_bytes - _GAP_JSON_BYTES
    head = _count_within(room // 3, units)
    tail = _count_within(room - room // 3, units[::-1])
    return "".join((*units[:head], _GAP, *units[len(units) - tail :]))


def _show(character: str) -> str:
    if character == "\\":
        return r"\\"
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))


def _read(escape: re.Match[bytes]) -> bytes:
    digits = escape[1]
    return b"\\" if digits is None else bytes.fromhex(digits.decode())


def _count_within(room: int, units: list[str]) -> int:
    """Count how many of the first `units` fit into `room` together; none costs nothing."""
    costs = (len(json.dumps(unit)) - 2 for unit in units[:room])
    return bisect_right(list(accumulate(costs)), room)
