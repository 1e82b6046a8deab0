"""What each kind of finding means, and what to do about it: the text that `curator://rules` is."""

from collections.abc import Mapping
from typing import Final

from curator.library.values import FindingKind

RULES: Final[Mapping[FindingKind, str]] = {
    "empty-file": "It has no content. Often the trace of a copy that failed.",
    "broken-symlink": "The link leads to something that does not exist. Mend or remove the link.",
    "symlink-loop": "The link never ends, or leads to a directory that contains it. Remove it.",
    "special-file": "A socket, a pipe or a device. It has no content that could be kept.",
    "reserved-name": "Windows keeps this name to itself, whatever its ending. Rename it.",
    "reserved-character": "Windows refuses a character of the name. Replace the character.",
    "control-character": "A character of the name does not print. Replace it.",
    "trailing-dot-or-space": "Windows drops the end of the name. Remove the dot or space.",
    "name-too-long": "Longer than the 255 units that most file systems allow. Shorten it.",
    "not-utf-8": "The name is not UTF-8, which macOS refuses. Rename it.",
    "case-collision": "Differs from a neighbour in case only; elsewhere one replaces the other.",
    "unicode-collision": "Differs from a neighbour in composition only, which some file systems undo.",
}


def rules_page() -> str:
    """All of them as Markdown."""
    return "# Findings\n\n" + "\n".join(f"- `{kind}`: {rule}" for kind, rule in RULES.items())
