r"""Which way of showing pictures a terminal knows, decided from what it says of itself.  Pure.

1. A multiplexer (tmux, screen) shows none: it would have to pass them on, and to know where they
   are when it scrolls.
2. What the environment names is believed; the terminal is not asked.
3. Anything else is asked once, by `QUESTION`: for kitty's graphics, and for its device
   attributes.  The second every terminal answers, so it says when the first has no answer.

The question is put, and the answer waited for, by `asking`; pictures are made by `images`.
Above: `watching`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

Protocol: TypeAlias = Literal["kitty", "iterm2", "sixel"]

QUESTION: Final = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"
"""Would you take a picture of one pixel?  And what are you?"""

_KITTY_OK: Final = re.compile(rb"\x1b_Gi=31;OK\x1b\\")
_ATTRIBUTES: Final = re.compile(rb"\x1b\[\?([0-9;]*)c")
_SIXEL: Final = b"4"
"""The device attribute of terminals that draw sixels."""

_MULTIPLEXED: Final = ("tmux", "screen")
_NAMED_TERMS: Final[Mapping[str, Protocol]] = {
    "xterm-kitty": "kitty",
    "xterm-ghostty": "kitty",
    "foot": "sixel",
    "foot-extra": "sixel",
    "mlterm": "sixel",
    "yaft-256color": "sixel",
}
_NAMED_PROGRAMS: Final[Mapping[str, Protocol]] = {
    "ghostty": "kitty",
    "iTerm.app": "iterm2",
    "WezTerm": "iterm2",
    "mintty": "iterm2",
}
_BLIND_TERMS: Final = frozenset({"", "dumb", "linux", "vt100", "vt220"})
_BLIND_PROGRAMS: Final = frozenset({"Apple_Terminal"})
"""They show none, and some print what they are asked."""


@final
@attrs.frozen
class Named:
    """What the environment says.

    Attributes:
        protocol: the way of this terminal, if it has a known one.
        must_ask: nothing is known, so the terminal has to be asked.
    """

    protocol: Protocol | None = None
    must_ask: bool = False

    __repr__ = shown


def named_protocol(environ: Mapping[str, str]) -> Named:
    """What the environment says about pictures."""
    term = environ.get("TERM", "")
    program = environ.get("TERM_PROGRAM", "")
    is_multiplexed = environ.get("TMUX") or environ.get("STY") or term.startswith(_MULTIPLEXED)
    if is_multiplexed or term in _BLIND_TERMS or program in _BLIND_PROGRAMS:
        return Named()
    protocol = _NAMED_TERMS.get(term) or _NAMED_PROGRAMS.get(program)
    if protocol is None and environ.get("LC_TERMINAL") == "iTerm2":
        # What an iTerm2 passes on to the other end of `ssh`.
        protocol = "iterm2"
    if protocol is None and environ.get("KITTY_WINDOW_ID"):
        protocol = "kitty"
    return Named(protocol, must_ask=protocol is None)


def is_answered(received: bytes) -> bool:
    """Whether the terminal has said everything that it will say."""
    return _ATTRIBUTES.search(received) is not None


def answered_protocol(received: bytes) -> Protocol | None:
    """What the answer to `QUESTION` says about pictures; None as well while there is none."""
    attributes = _ATTRIBUTES.search(received)
    if attributes is None:
        return None
    if _KITTY_OK.search(received):
        return "kitty"
    # The first number is the class of the terminal.
    return "sixel" if _SIXEL in attributes[1].split(b";")[1:] else None
