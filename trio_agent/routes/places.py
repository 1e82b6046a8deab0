"""Where a key and its value stand in a TOML file.

The parser of the standard library forgets positions.  This walks over a text that it has
accepted, and therefore checks nothing itself; a property compares the keys of the two.

A path is the keys that lead to a value: `("servers", "curator", "args", 0)`.  It is used only
when there is something to complain about, and knows nothing of what keys mean.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

Path: TypeAlias = tuple[str | int, ...]

_BLANK: Final = re.compile(r"[ \t]*")
_FILLER: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR: Final = re.compile(r"[^,\]}#\r\n]*")
_STRINGS: Final = (
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL),
    re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)


@final
@attrs.frozen
class Place:
    """Offsets, in characters, of a key and of its value; the same for a table's header."""

    key: int
    value: int

    __repr__ = shown


def find_places(text: str) -> Mapping[Path, Place]:
    """The first place of every key and every item; none of what is nested too deep to follow.

    Args:
        text: TOML that `tomllib` accepts.
    """
    scanner = _Scanner(text)
    try:
        scanner.scan()
    except RecursionError:
        # The parser had more of the stack left than is left here.
        return {}
    return scanner.places


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both from 1; the column in characters."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


@final
class _Scanner:
    """One walk over one text."""

    def __init__(self, text: str) -> None:
        self._text: Final = text
        self._at = 0
        self._items: Final[dict[Path, int]] = {}
        self.places: Final[dict[Path, Place]] = {}

    def scan(self) -> None:
        """Walk to the end."""
        table: Path = ()
        self._skip(_FILLER)
        while self._at < len(self._text):
            table = self._header() if self._is("[") else self._member(table)
            self._skip(_FILLER)

    def _header(self) -> Path:
        is_item = self._text.startswith("[[", self._at)
        self._at += 2 if is_item else 1
        path: Path = ()
        for key, start in self._keys():
            path = (*self._current(path), key)
            self.places.setdefault(path, Place(start, start))
        self._at += 2 if is_item else 1
        if is_item:
            self._items[path] = self._items.get(path, -1) + 1
        return self._current(path)

    def _current(self, path: Path) -> Path:
        """The item that is being written, where the path is an array of tables."""
        return (*path, self._items[path]) if path in self._items else path

    def _member(self, table: Path) -> Path:
        path = table
        start = self._at
        for key, start in self._keys():
            path = (*path, key)
            self.places.setdefault(path, Place(start, start))
        self._at += 1
        self._skip(_BLANK)
        self.places[path] = Place(start, self._at)
        self._value(path)
        return table

    def _keys(self) -> list[tuple[str, int]]:
        """The dotted key here; stops at what follows it."""
        keys: list[tuple[str, int]] = []
        while True:
            self._skip(_BLANK)
            start = self._at
            keys.append((self._key(), start))
            self._skip(_BLANK)
            if not self._is("."):
                return keys
            self._at += 1

    def _key(self) -> str:
        start = self._at
        if self._skip(_BARE):
            return self._text[start : self._at]
        self._string()
        key: str = tomllib.loads(f"key = {self._text[start : self._at]}")["key"]
        return key

    def _value(self, path: Path) -> None:
        if self._is("["):
            self._array(path)
        elif self._is("{"):
            self._inline_table(path)
        elif not self._string():
            self._skip(_SCALAR)

    def _array(self, path: Path) -> None:
        self._at += 1
        self._skip(_FILLER)
        index = 0
        while not self._is("]"):
            self.places[*path, index] = Place(self._at, self._at)
            self._value((*path, index))
            self._skip_comma()
            index += 1
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        self._skip(_FILLER)
        while not self._is("}"):
            self._member(path)
            self._skip_comma()
        self._at += 1

    def _skip_comma(self) -> None:
        self._skip(_FILLER)
        if self._is(","):
            self._at += 1
            self._skip(_FILLER)

    def _string(self) -> bool:
        return any(self._skip(pattern) for pattern in _STRINGS)

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Go past what matches here; whether that was anything."""
        found = pattern.match(self._text, self._at)
        start = self._at
        self._at = start if found is None else found.end()
        return self._at > start

    def _is(self, character: str) -> bool:
        return self._text.startswith(character, self._at)
