"""Tables of `plugin.toml`, read key by key, with a complaint for everything that is wrong.

A complaint says where the key or the value stands, what is expected and what was received.  A
value that is wrong is left out, so that the rest of the file can still be used.

What the keys mean is decided by `manifest`.  Below: `places`, `diagnostic`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar, cast, final

import attrs

from trio_agent.errors import abridge
from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.plugin import MANIFEST_NAME
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from trio_agent.routes.diagnostic import DiagnosticCode
    from trio_agent.routes.places import Path, Place

_SYNTAX_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_THE_END: Final = " (at end of document)"

T = TypeVar("T")

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


@final
@attrs.frozen
class Book:
    """The text of the file, and the complaints about it."""

    text: str
    complaints: list[Diagnostic] = attrs.field(factory=list[Diagnostic])

    __repr__ = shown

    @cached_property
    def _places(self) -> Mapping[Path, Place]:
        # lazy: most files have nothing wrong in them.
        from trio_agent.routes.places import find_places  # noqa: PLC0415

        return find_places(self.text)

    def complain(
        self, code: DiagnosticCode, path: Path, message: str, *, of_key: bool = False
    ) -> None:
        """Note what is wrong with a value, or with its key."""
        line, column = self.place(path, of_key=of_key)
        self.complaints.append(
            Diagnostic(code=code, file=MANIFEST_NAME, line=line, column=column, message=message)
        )

    def complain_of_syntax(self, message: str) -> None:
        """Note that the text is no TOML, in the words of the parser, which end in the place."""
        found = _SYNTAX_PLACE.search(message)
        line, column = (1, 1) if found is None else (int(found[1]), int(found[2]))
        reason = message if found is None else message[: found.start()]
        if reason.endswith(_AT_THE_END):
            reason = reason.removesuffix(_AT_THE_END)
            line = self.text.count("\n") + 1
            column = len(self.text) - self.text.rfind("\n")
        self.complaints.append(
            Diagnostic(
                code="TA4805",
                file=MANIFEST_NAME,
                line=line,
                column=column,
                message=f"is not TOML: {reason}",
            )
        )

    def place(self, path: Path, *, of_key: bool = False) -> tuple[int, int]:
        """Line and column of a value or its key; of what it is in when it has none itself."""
        # lazy: see above.
        from trio_agent.routes.places import line_and_column  # noqa: PLC0415

        for length in range(len(path), 0, -1):
            place = self._places.get(path[:length])
            if place is not None:
                is_key = of_key and length == len(path)
                return line_and_column(self.text, place.key if is_key else place.value)
        return 1, 1


@final
@attrs.frozen
class Table:
    """One table and where it is."""

    book: Book
    path: Path
    members: Mapping[str, object]

    __repr__ = shown

    @property
    def name(self) -> str:
        """As it stands in its header: `[servers.curator]`."""
        return f"[{spell(self.path)}]" if self.path else MANIFEST_NAME

    def refuse_others(self, known: Sequence[str]) -> None:
        """Complain about every key that is not in *known*."""
        for key in self.members:
            if key not in known:
                there = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
                message = f"{key!r} is not a key of {self.name}; {there}"
                self.book.complain("TA4805", (*self.path, key), message, of_key=True)

    def has(self, key: str) -> bool:
        """Whether the author wrote that key."""
        return key in self.members

    def refuse(self, key: str, expected: str, code: DiagnosticCode = "TA4805") -> None:
        """Complain about the value of *key*."""
        message = f"{key} is {expected}, received {abridge(self.members[key])}"
        self.book.complain(code, (*self.path, key), message)

    def text(self, key: str) -> str | None:
        """A string that is not blank."""
        value = self.members.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value is not None:
            self.refuse(key, "a string that is not blank")
        return None

    def one_of(self, key: str, words: tuple[T, ...], code: DiagnosticCode = "TA4805") -> T | None:
        """One of these strings."""
        value = self.members.get(key)
        for word in words:
            if word == value:
                return word
        if value is not None:
            *first, last = (repr(word) for word in words)
            self.refuse(key, f"{', '.join(first)} or {last}", code)
        return None

    def texts(
        self,
        key: str,
        expected: str = "a list of strings",
        fits: Callable[[str], bool] = lambda _: True,
        code: DiagnosticCode = "TA4805",
    ) -> tuple[str, ...] | None:
        """A list of strings that fit; None without the key."""
        value = self.members.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            self.refuse(key, expected, code)
            return ()
        kept: list[str] = []
        for index, item in enumerate(cast("list[object]", value)):
            if isinstance(item, str) and fits(item):
                kept.append(item)
            else:
                message = f"{key} is {expected}, received {abridge(item)}"
                self.book.complain(code, (*self.path, key, index), message)
        return tuple(kept)

    def named_texts(self, key: str) -> dict[str, str]:
        """A table of strings."""
        table = self.table(key)
        if table is None:
            return {}
        for name, value in table.members.items():
            if not isinstance(value, str):
                table.refuse(name, "a string")
        return {name: value for name, value in table.members.items() if isinstance(value, str)}

    def table(self, key: str) -> Table | None:
        """The table of that name."""
        value = self.members.get(key)
        if isinstance(value, dict):
            members = cast("Mapping[str, object]", value)
            return Table(self.book, (*self.path, key), members)
        if value is not None:
            self.refuse(key, "a table")
        return None

    def tables(self, key: str) -> Iterator[tuple[str, Table]]:
        """The tables in the table of that name, with their own."""
        outer = self.table(key)
        if outer is None:
            return
        for name in outer.members:
            inner = outer.table(name)
            if inner is not None:
                yield name, inner


def spell(path: Path) -> str:
    """A path as TOML writes it: `servers."a b"`."""
    return ".".join(part if _BARE.fullmatch(part) else f'"{part}"' for part in map(str, path))
