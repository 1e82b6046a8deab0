"""Tables of Markdown that have more columns than a terminal has room for.  Pure.

A table fits while each of its columns can keep its longest word: rich narrows the widest columns
until all fit, and cuts off the words that are left without room.  One that does not fit is read
row by row instead: each row a paragraph, each of its cells a line that begins with the name of
its column.  Nothing is cut off either way.

    **name** Bohemian Rhapsody
    **length** 5:55

Works on tokens of markdown-it, as `prose` does, which is above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markdown_it.token import Token

from trio_agent.surfaces.cli.terminal.screen import cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GAP: Final = 2
"""Cells between two columns."""


def fits(table: Sequence[Token], columns: int) -> bool:
    """Whether *table* can be laid out as one in *columns*."""
    words: dict[int, int] = {}
    wholes: dict[int, int] = {}
    for row in _rows(table):
        for place, cell in enumerate(row):
            text = "".join([child.content or " " for child in cell.children or ()])
            longest = max(map(cells, text.split()), default=0)
            words[place] = max(words.get(place, 0), longest)
            wholes[place] = max(wholes.get(place, 0), cells(text))
    room = columns - _GAP * len(wholes)
    # The width of the widest columns, once they have been narrowed.
    level = min(max(wholes.values()), max(room, 0))
    while sum(min(whole, level) for whole in wholes.values()) > room and level > 0:
        level -= 1
    return max(words.values()) <= level and level > 0


def as_rows(table: Sequence[Token]) -> Iterator[Token]:
    """*table* row by row."""
    head, *body = _rows(table)
    for row in body or [head]:
        names = head if body else [None] * len(row)
        lines = [_line(name, cell) for name, cell in zip(names, row, strict=True)]
        children: list[Token] = []
        for line in lines:
            if children:
                children.append(Token("hardbreak", "br", 0))
            children.extend(line)
        yield Token("paragraph_open", "p", 1, block=True)
        yield Token("inline", "", 0, children=children)
        yield Token("paragraph_close", "p", -1, block=True)


def _line(name: Token | None, cell: Token) -> Sequence[Token]:
    value = list(cell.children or ())
    if name is None or not name.content:
        return value
    return [
        Token("strong_open", "strong", 1),
        *(name.children or ()),
        Token("strong_close", "strong", -1),
        Token("text", "", 0, content=" "),
        *value,
    ]


def _rows(table: Sequence[Token]) -> Sequence[Sequence[Token]]:
    """The inline token of each cell, by row; the first row is the head."""
    rows: list[list[Token]] = []
    for token in table:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token)
    return rows
