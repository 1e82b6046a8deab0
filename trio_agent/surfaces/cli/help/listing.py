"""The layout of help: tables, paragraphs, and the two pages that list commands.

Pure.  Everything is wrapped to the columns it is told, and nothing is cut: what is typed must
stay in one piece, or it cannot be copied.  Apart from `usage`, which describes one command with
values of its own: a list of commands is printed in less time than it takes to make those, so
this imports neither attrs nor typing.  Above: `usage`, `quick`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Final, TypeAlias

    Pair: TypeAlias = tuple[str, str]
    """A term, printed as it is, and what it means; the text is wrapped, and may be empty."""

NARROWEST: Final = 20
"""Columns below which wrapping does more harm than long lines do; a terminal beside an editor
may have no more."""

_INDENT: Final = "  "
_GAP: Final = 3
_WIDEST_TERM: Final = 0.4
"""Part of the line that terms may take before their text goes to the next line."""

_TITLES: Final = frozenset({"Commands:", "Arguments:", "Options:"})
_BOLD: Final = "\x1b[1m"
_PLAIN: Final = "\x1b[0m"

HELP_ROW: Final = ("-h, --help", "Print this help.")
VERSION_ROW: Final = ("--version", "Print the version.")
COMPLETION_ROW: Final = (
    "--completion <shell>",
    "Print a script that completes in bash, fish, zsh.",
)


def root_page(  # noqa: PLR0913  # a page has that many parts
    name: str,
    version: str,
    words: str,
    *,
    description: str,
    commands: Iterable[Pair],
    options: Sequence[Pair],
    columns: int,
) -> str:
    """The help of a program; also what a call without words prints.

    Args:
        name: of the program or the plugin.
        version: printed after the name; empty when there is none.
        words: what is typed to get there.
        description: paragraphs, or empty.
        commands: in any order.
        options: beside `--help` and `--version`, which are always there.
        columns: what it is wrapped to.
    """
    return join(
        f"{name} {version}".rstrip(),
        paragraphs(description, columns),
        usage(f"{words} <command> [argument...] [options]", columns),
        table("Commands", sorted(commands), columns),
        table("Options", (*options, HELP_ROW, VERSION_ROW), columns),
        wrap(f"`{words} <command> --help` tells more about a command.", columns),
    )


def group_page(words: str, *, description: str, commands: Iterable[Pair], columns: int) -> str:
    """The help of a group of commands; see `root_page`."""
    return join(
        paragraphs(description, columns),
        usage(f"{words} <command> [argument...] [options]", columns),
        table("Commands", sorted(commands), columns),
        table("Options", (HELP_ROW,), columns),
    )


def with_headings(text: str) -> str:
    """A page whose headings a terminal shows in bold."""
    lines = text.split("\n")
    return "\n".join(
        f"{_BOLD}{line}{_PLAIN}"
        if line in _TITLES
        else line.replace("Usage:", f"{_BOLD}Usage:{_PLAIN}", 1)
        if line.startswith("Usage: ")
        else line
        for line in lines
    )


def join(*blocks: str) -> str:
    """Blocks with an empty line between them; those that are empty do not count."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def usage(synopsis: str, columns: int) -> str:
    """The block that says how it is called."""
    return wrap(f"Usage: {synopsis}", columns, subsequent="       ")


def paragraphs(text: str, columns: int) -> str:
    """Text of an author: one paragraph where there was an empty line."""
    return "\n\n".join(
        wrap(part, columns) for part in text.split("\n\n") if part and not part.isspace()
    )


def wrap(text: str, columns: int, *, first: str = "", subsequent: str = "") -> str:
    """One paragraph, each line as long as it may be.

    Args:
        text: every white space counts as one blank.
        columns: how long a line may be; a longer word has one of its own.
        first: what the first line begins with.
        subsequent: what every other line begins with.
    """
    width = max(columns, NARROWEST)
    lines: list[str] = []
    line = ""
    for word in text.split():
        begin = subsequent if lines else first
        if line and len(begin) + len(line) + 1 + len(word) > width:
            lines.append(begin + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join((*lines, (subsequent if lines else first) + line))


def table(title: str, rows: Iterable[Pair], columns: int) -> str:
    """A title and a line or more for each row; empty without rows."""
    listed = list(rows)
    if not listed:
        return ""
    widest = int(max(columns, NARROWEST) * _WIDEST_TERM)
    width = max((len(term) for term, _ in listed if len(term) <= widest), default=0)
    margin = " " * (len(_INDENT) + width + _GAP)
    return "\n".join((f"{title}:", *(_row(*row, margin, columns) for row in listed)))


def _row(term: str, text: str, margin: str, columns: int) -> str:
    begin = f"{_INDENT}{term}"
    if not text or text.isspace():
        return begin
    if len(begin) + _GAP > len(margin):
        return begin + "\n" + wrap(text, columns, first=margin, subsequent=margin)
    return wrap(text, columns, first=begin.ljust(len(margin)), subsequent=margin)
