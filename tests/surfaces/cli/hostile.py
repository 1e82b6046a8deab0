"""Data that tries to be obeyed, and what a terminal may be told."""

import re

from hypothesis import strategies as st

PIECES = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\text\x1b]8;;\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "\x1bPq#0\x1b\\",
    "\x1b_Ga=T;AAAA\x1b\\",
    "\x1bc",
    "\x9b31m",
    "\x9d0;x\x9c",
    "\x90",
    "\u202e",
    "\u2066",
    "\u2069",
    "\r",
    "\x07",
    "\x08",
    "\x00",
    "\x7f",
    "&#27;[2J",
    "&#x9b;2J",
    "&#x202e;",
    "&#13;",
    "&#7;",
    "&#8;",
    "[red]",
    "[/x]",
    ":smile:",
    "[a](http://x.example/)",
    "[\x1b[2J](http://x\x1b[2J)",
    "[b](<http://x&#27;[2J&#x202e;>)",
    "[c](http://x%1b%5b2J%e2%80%ae)",
    "[d](javascript:alert%281%29)",
    "[e](file:///etc/passwd)",
    "![f](http://x.example/f.png)",
    "![g](data:image/png;base64,AAAA)",
    "<http://x.example>",
    "<mailto:a@b.example>",
    "<b onclick='x'>",
    "<!-- -->",
    "**",
    "`",
    "~~",
    "\n",
    "\n\n",
    "\n```py\x1b[2J\nx\x1b[2J = 1\n```\n",
    "\n| a | b\x1b[2J |\n|-|:-:|\n| 1 | [x](http://y&#27;) |\n| &#x202e; | \x9b |\n",
    "\n" + "|x" * 12 + "|\n" + "|-" * 12 + "|\n" + "|word" * 12 + "|\n",
    "> ",
    "> " * 12,
    "* ",
    "* " * 12,
    "1. ",
    "999999999. ",
    "# ",
    "---\n",
    "    ",
    "\t",
    "漢字",
    "🎉",
    "👩\u200d👩\u200d👧",
    "┏━┓",
    "e\u0301",
    "word " * 20,
    "w" * 90,
    "\ud800",
]

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), min_size=1, max_size=9).map("".join)

_OURS = re.compile(
    r"\x1b\[[0-9;]*m"  # colour
    r"|\x1b\]8;(?:id=[0-9]+;[!-~]+|;)\x1b\\"  # a link, and its end
)
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def obeyed(text: str) -> list[str]:
    """What a terminal would obey in *text* that is none of our sequences."""
    return _OBEYED.findall(_OURS.sub("", text))
