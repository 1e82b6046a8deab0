r"""What rich has laid out, as text for a terminal: colour, links, and nothing else.

The only place where the document's escape sequences are written.  rich would write links of its
own, with numbers that it draws at random: here the same page is the same bytes every time.
Spaces up to the edge are left out, since whoever copies a line gets them.

Every text that comes here has been made `printable` before it was laid out, so whatever the
terminal obeys is ours.  Above: `page`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.color import ColorSystem
from rich.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.segment import Segment

    from trio_agent.context.terminal import ColorDepth

_SYSTEMS: Final[Mapping[ColorDepth, ColorSystem | None]] = {
    "none": None,
    "basic": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
}


def inked(lines: Iterable[Sequence[Segment]], color: ColorDepth) -> str:
    """The lines as one text, without blank lines at its edges.

    Args:
        lines: as rich laid them out.
        color: with `none` there are no sequences at all, links included.
    """
    system = _SYSTEMS[color]
    numbers: dict[str, int] = {}
    return "\n".join([_line(_trimmed(line), system, numbers) for line in lines]).strip("\n")


def _trimmed(line: Sequence[Segment]) -> Sequence[Segment]:
    end = len(line)
    while end and not line[end - 1].text.strip(" "):
        end -= 1
    if not end:
        return ()
    last = line[end - 1]
    return [*line[: end - 1], last._replace(text=last.text.rstrip(" "))]


def _line(line: Sequence[Segment], system: ColorSystem | None, numbers: dict[str, int]) -> str:
    if system is None:
        return "".join([segment.text for segment in line])
    written = ""
    open_link: str | None = None
    for segment in line:
        style = segment.style or Style.null()
        if style.link != open_link:
            written += _link(open_link, style.link, numbers)
            open_link = style.link
        written += style.update_link(None).render(segment.text, color_system=system)
    return written + _link(open_link, None, numbers)


def _link(before: str | None, after: str | None, numbers: dict[str, int]) -> str:
    """From one link to another; the number lets a terminal light up all lines of one."""
    if after:
        number = numbers.setdefault(after, len(numbers) + 1)
        return f"\x1b]8;id={number};{after}\x1b\\"
    return "\x1b]8;;\x1b\\" if before else ""
