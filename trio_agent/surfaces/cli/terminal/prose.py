"""Markdown as rich shall lay it out: read here, made safe and made to fit, then handed over.

rich reads Markdown well and lays it out well, but in between it

* takes what an entity stands for as it is: `&#x202e;` turns the line round,
* leaves out HTML, so `List<int>` would be `List`, and whatever is nested too deeply,
* hides the address of a picture, and writes that of an autolink twice,
* cuts the cells of a table off, down to nothing, where there are more columns than room.

So the tokens between are ours.  Every text in them is `printable` and can be encoded, links are
decided by `links`, what is nested deeper than there is room for is as deep as there is, and a
table that does not fit becomes a list of its rows.  Above: `page`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, final

import attrs
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.markdown import Markdown, MarkdownElement, TableDataElement

from trio_agent.shown import shown
from trio_agent.surfaces.cli.terminal.links import may_be_link, misleads, tells_address
from trio_agent.surfaces.cli.terminal.tables import as_rows, fits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CODE_THEME: Final = "ansi_dark"
"""The theme without a background, in the sixteen colours that the terminal's owner chose."""

LEAST_COLUMNS: Final = 10
"""What rich can lay anything out in."""

_LEAST_ROOM: Final = 6
"""Columns that what is nested is left with."""

_QUOTE: Final = 4
"""Columns that rich takes for the bar of a quote, and its margin."""

_DEEPEST: Final = 8
"""Levels of nesting that a reader can tell apart."""

_MOST_NESTED: Final = 100
"""Levels that are read, a list and its item being two; the reader calls itself for each."""

_CONTAINERS: Final = frozenset({"blockquote", "bullet_list", "ordered_list"})
_INLINE_DATA: Final = "data:"


@final
class _Cell:
    """A cell whose text is broken and not cut: rich miscounts a line that ends in `漢 `."""

    @staticmethod
    def create(markdown: Markdown, token: Token) -> MarkdownElement:
        cell = TableDataElement.create(markdown, token)
        if isinstance(cell, TableDataElement):
            cell.content.overflow = "fold"
        return cell


_ELEMENTS: Final = {**Markdown.elements, "td_open": _Cell, "th_open": _Cell}


def _any_address(_: str) -> bool:
    return True


@functools.cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": _MOST_NESTED})
    # What may be a link is decided by `links`; here a link is whatever Markdown calls one.
    # It is meant to be replaced, and to type checkers it is a method.
    vars(reader)["validateLink"] = _any_address
    return reader.enable(["strikethrough", "table"])


@final
@attrs.frozen(kw_only=True)
class Prose:
    """How Markdown is prepared.

    Attributes:
        columns: that there are.
        has_links: an address may hide behind its text.
        visible: what a text looks like on the terminal.
    """

    columns: int
    has_links: bool
    visible: Callable[[str], str]

    __repr__ = shown

    def laid_out(self, text: str) -> Markdown:
        """What rich prints."""
        markdown = Markdown("", code_theme=CODE_THEME)
        vars(markdown)["elements"] = _ELEMENTS
        markdown.parsed = list(self._fitted(_reader().parse(text)))
        return markdown

    def _fitted(self, tokens: Sequence[Token]) -> Iterator[Token]:
        for part in _tables_apart(_levelled(tokens, self.columns)):
            clean = [self._clean(token) for token in part]
            if part[0].type == "table_open" and not fits(clean, self.columns):
                yield from as_rows(clean)
            else:
                yield from clean

    def _clean(self, token: Token) -> Token:
        children = None if token.children is None else list(self._linked(token.children))
        return token.copy(content=self.visible(token.content), children=children)

    def _linked(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """Inline tokens with each address either hidden or beside its text."""
        begun: tuple[str, int] | None = None
        passed: list[str] = []
        for token in tokens:
            if token.type == "image":
                yield from self._image(token, within_link=begun is not None)
                continue
            passed.append(token.content)
            if token.type == "link_open":
                address = str(token.attrs.get("href", ""))
                begun = address, len(passed)
                yield token.copy(attrs={"href": address if self._hides(address) else ""})
            elif token.type == "link_close" and begun is not None:
                address, start = begun
                begun = None
                yield token
                yield from self._beside("".join(passed[start:]), address)
            else:
                yield token.copy(content=self.visible(token.content))

    def _hides(self, address: str) -> bool:
        return self.has_links and may_be_link(address)

    def _beside(self, text: str, address: str) -> Iterator[Token]:
        """The address, where it must be read."""
        hidden = self._hides(address) and not misleads(text, address)
        if address and not hidden and not tells_address(text, address):
            yield _text(self.visible(f" ({address})"))

    def _image(self, token: Token, *, within_link: bool) -> Iterator[Token]:
        """A picture that is somewhere else: its text, as a link to it."""
        address = str(token.attrs.get("src", ""))
        if address.startswith(_INLINE_DATA):
            # The picture itself, in base64; nobody reads that.
            address = ""
        label = self.visible(token.content or "image")
        if within_link or not address:
            yield _text(f"[{label}]")
            return
        yield Token("link_open", "a", 1, attrs={"href": address if self._hides(address) else ""})
        yield _text(f"[{label}]")
        yield Token("link_close", "a", -1)
        yield from self._beside(label, address)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _levelled(tokens: Sequence[Token], columns: int) -> Iterator[Token]:
    """Tokens without the containers that there is no room for; what is in them stays."""
    taken: list[int] = []
    for token in tokens:
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name == "list_item":
            is_kept = taken[-1] > 0
        elif name not in _CONTAINERS:
            is_kept = True
        elif token.nesting < 0:
            is_kept = taken.pop() > 0
        else:
            wanted = _columns_of(token, len(tokens))
            levels = sum(map(bool, taken))
            is_kept = levels < _DEEPEST and sum(taken) + wanted + _LEAST_ROOM <= columns
            taken.append(wanted if is_kept else 0)
        if is_kept:
            yield token


def _columns_of(token: Token, most_items: int) -> int:
    """The columns that a container takes from what is in it, at most."""
    if token.type == "blockquote_open":
        return _QUOTE
    last = int(token.attrs.get("start", 1)) + most_items if token.type == "ordered_list_open" else 0
    return len(str(last)) + 2


def _tables_apart(tokens: Iterator[Token]) -> Iterator[list[Token]]:
    """Each table as one piece, and each other token as another."""
    table: list[Token] = []
    for token in tokens:
        if table or token.type == "table_open":
            table.append(token)
        if not table:
            yield [token]
        elif token.type == "table_close":
            yield table
            table = []
