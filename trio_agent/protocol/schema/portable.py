r"""Regular expressions for two readers: `re` here, ECMA-262 (`new RegExp(text, "u")`) elsewhere.

JSON Schema means ECMA-262, and a client that cannot compile one `pattern` may drop the whole
catalogue.  So an expression is rewritten for it where that changes nothing, and is not published
at all where it cannot be: inline flags, comments, conditions, possessive and atomic groups,
backreferences, `\N{...}`, `\U...`, octal escapes.

In both readings `$` is the end of the string; the `$` of `re` alone would also stand before a
final line break.  What still differs: `\d`, `\w`, `\s`, `\b` know Unicode here and ASCII there
(`\s` the other way round for a few), and `.` stops at `\r`, U+2028 and U+2029 there.

Deliberately no parser: it walks over tokens and knows just enough to leave the rest alone.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN: Final = re.compile(
    r"""
      (?P<escape> \\ (?: x[0-9A-Fa-f]{2} | u[0-9A-Fa-f]{4} | [\s\S] ) )
    | (?P<set>    \[ \^? \]? (?: \\[\s\S] | [^\]\\] )* \] )
    | (?P<group>  \( \? (?: P<\w+> | <[=!] | [:=!] )? )
    | (?P<repeat> (?: [*+?] | \{ \d* (?: , \d* )? \} ) \+? )
    | (?P<other>  [\s\S] )
    """,
    re.VERBOSE,
)
_IN_SET: Final = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[\s\S])|[\s\S]")

_MULTILINE: Final = re.compile(r"\(\?[a-zA-Z]*m")

_SYNTAX: Final = frozenset(r"^$\.*+?()[]{}|/")
"""What ECMA-262 lets a backslash stand before in Unicode mode, beside letters."""

_SHARED_LETTERS: Final = frozenset("dDwWsSfnrtvxu")


class _NotPortableError(Exception):
    """Private: there is no expression that means the same elsewhere."""


@final
@attrs.frozen
class Portable:
    """One expression in two spellings.

    Attributes:
        python: for `re.search`.
        ecma: for a JSON Schema, which `re` reads too; None when there is none.
    """

    python: str
    ecma: str | None

    __repr__ = shown


@functools.lru_cache(maxsize=256)
def portable(regex: str) -> Portable:
    """The two spellings of *regex*, which `re` can compile."""
    tokens = [(found.lastgroup or "", found.group()) for found in _TOKEN.finditer(regex)]
    python = regex
    if _MULTILINE.search(regex) is None:
        python = "".join(r"\Z" if text == "$" else text for _, text in tokens)
    try:
        return Portable(python, "".join(_ecma(kind, text) for kind, text in tokens))
    except _NotPortableError:
        return Portable(python, None)


def _ecma(kind: str, text: str) -> str:
    match kind:
        case "escape":
            return _anchor(text) or _escape(text, kept="bB")
        case "set":
            return "".join(_set(text))
        case "group":
            return _group(text)
        case "repeat":
            return _repeat(text)
        case _:
            return f"\\{text}" if text in "{}]" else text


def _anchor(text: str) -> str:
    return {r"\A": "^", r"\Z": "$"}.get(text, "")


def _escape(text: str, *, kept: str) -> str:
    char = text[1]
    if char in _SHARED_LETTERS or char in _SYNTAX or char in kept:
        return text
    if char.isalnum():
        raise _NotPortableError
    return char


def _set(text: str) -> Iterator[str]:
    opening = "[^" if text.startswith("[^") else "["
    yield opening
    for found in _IN_SET.finditer(text[len(opening) : -1]):
        part = found.group()
        if len(part) > 1:
            yield _escape(part, kept="b-")
        else:
            # First in a set it is itself for `re` and the end of the set for ECMA-262.
            yield r"\]" if part == "]" else part
    yield "]"


def _group(text: str) -> str:
    if text == "(?":
        raise _NotPortableError
    return "(" if text.startswith("(?P<") else text


def _repeat(text: str) -> str:
    if text in {"{}", "{}+"}:
        return r"\{\}" + text[2:]
    if len(text) > 1 and text.endswith("+"):
        raise _NotPortableError
    return text.replace("{,", "{0,")
