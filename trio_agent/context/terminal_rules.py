"""What the environment says of a terminal: how wide it is, and how much colour it gets.

Pure, and a part of the terminal axis; `terminal` is the rest.  Apart, because help is printed in
less time than it takes to make that module's classes: this imports neither attrs nor typing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, Literal, TypeAlias

    # The same as in `terminal`, which is above.
    StreamKind: TypeAlias = Literal["tty", "pipe", "none"]
    ColorDepth: TypeAlias = Literal["none", "basic", "256", "truecolor"]

_FORCED: Final[dict[str, ColorDepth]] = {
    "0": "none",
    "false": "none",
    "2": "256",
    "3": "truecolor",
}

_MOST_DIGITS: Final = 6
"""`COLUMNS=99999` is how people say "never wrap"; a longer number is not a width, and Python
refuses to convert one of several thousand digits."""


def decide_color(kind: StreamKind, environ: Mapping[str, str]) -> ColorDepth:
    """Decide how much colour a stream gets.  The first rule that applies wins.

    1. No stream: none.
    2. `FORCE_COLOR` is set: `0` and `false` none, `2` 256, `3` truecolor, anything else basic.
    3. `CLICOLOR_FORCE` is on: the depth the terminal advertises, even for a pipe.
    4. `NO_COLOR` is not empty, `CLICOLOR=0`, or `TERM=dumb`: none.
    5. A terminal: the depth it advertises.  A pipe: none.

    Values are compared as written; they are not trimmed, and capitals matter.
    """
    if kind == "none":
        return "none"
    forced = environ.get("FORCE_COLOR")
    if forced is not None:
        return _FORCED.get(forced, "basic")
    if is_on(environ, "CLICOLOR_FORCE"):
        return _advertised_depth(environ)
    if kind == "pipe" or _refuses_color(environ):
        return "none"
    return _advertised_depth(environ)


def is_on(environ: Mapping[str, str], name: str) -> bool:
    """Whether a variable is set, and to nothing that means no."""
    return environ.get(name, "") not in ("", "0", "false")


def _refuses_color(environ: Mapping[str, str]) -> bool:
    return (
        environ.get("NO_COLOR", "") != ""
        or environ.get("CLICOLOR") == "0"
        or environ.get("TERM") == "dumb"
    )


def _advertised_depth(environ: Mapping[str, str]) -> ColorDepth:
    if environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "truecolor"
    if environ.get("TERM", "").endswith(("-256", "-256color")):
        return "256"
    return "basic"


def stated_extent(environ: Mapping[str, str], name: str) -> int | None:
    """The number of cells that a variable says; None when it says none."""
    stated = environ.get(name, "")
    # `isdigit` alone also accepts digits of other scripts, and superscripts that `int` refuses.
    if not (stated.isascii() and stated.isdigit()) or len(stated) > _MOST_DIGITS:
        return None
    return int(stated)
