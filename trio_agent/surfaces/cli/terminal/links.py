r"""Links on a terminal (OSC 8): where there are any, and which addresses may be one.  Pure.

A link hides its address behind a text, so it is written only where a terminal is known to show
where it leads, and only for what a person means by an address.  Everything else has its address
beside the text, readable:

* A terminal has links when it has colour, a person watches it, and it is none of those that
  would swallow the sequence and the address with it.
* An address may be a link when its scheme is one of `SCHEMES`, and when neither it nor what its
  percent signs stand for holds a control character, a character that reorders a line, a space or
  a backslash.
* A text that itself looks like another address has both: nobody is led elsewhere.

The sequences themselves are written by `ink`.  Above: `page`, `watching`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from trio_agent.context.terminal import is_watched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.context.terminal import TerminalStream

SCHEMES: Final = frozenset({"http", "https", "mailto", "file"})

MOST_CHARACTERS: Final = 2083
"""Where terminals cut an address off; half an address leads somewhere else."""

_ADDRESS: Final = re.compile(r"([a-z]+):[!-~]+", re.IGNORECASE)
_HIDDEN: Final = re.compile("[\x00-\x20\x7f-\x9f\\\\\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LOOKS_LIKE_ADDRESS: Final = re.compile(r"://|\bwww\.|\w@\w|\w\.[^\W\d_]{2,}\b")

_SWALLOWING: Final = ("linux", "screen", "tmux", "rxvt", "eterm", "vt")
"""Beginnings of `TERM`: consoles and multiplexers that drop the sequence, or may."""

_SWALLOWING_PROGRAMS: Final = frozenset({"Apple_Terminal"})
_SWALLOWING_MARKS: Final = ("TMUX", "STY", "XTERM_VERSION", "INSIDE_EMACS")


def decide_links(stdout: TerminalStream, environ: Mapping[str, str]) -> bool:
    """Whether links may be written to standard output."""
    return (
        stdout.kind == "tty"
        and stdout.color != "none"
        and is_watched(environ)
        and not environ.get("TERM", "").startswith(_SWALLOWING)
        and environ.get("TERM_PROGRAM") not in _SWALLOWING_PROGRAMS
        and not any(environ.get(name) for name in _SWALLOWING_MARKS)
    )


def may_be_link(address: str) -> bool:
    """Whether *address* may hide behind a text."""
    found = _ADDRESS.fullmatch(address)
    return (
        found is not None
        and found[1].lower() in SCHEMES
        and len(address) <= MOST_CHARACTERS
        and not _HIDDEN.search(address)
        and not _HIDDEN.search(unquote(address))
    )


def tells_address(text: str, address: str) -> bool:
    """Whether *text* already says where the link leads, as an autolink does."""
    said = text.strip()
    return address in (said, f"mailto:{said}")


def misleads(text: str, address: str) -> bool:
    """Whether *text* looks like an address, and another one than it leads to."""
    return bool(_LOOKS_LIKE_ADDRESS.search(text)) and not tells_address(text, address)
