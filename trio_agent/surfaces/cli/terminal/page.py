"""The final document as a terminal shows it: bytes with layout, and colour if there is any.

Lets rich lay it out.  rich reads the environment by rules of its own, so every decision is handed
to it: width, colour; its markup, emoji codes and guesses at what to highlight are off, because
data is never markup.

    markdown, context, error   laid out as Markdown
    json                       laid out, in colour
    text                       as it is, wrapped
    image                      itself, where the caller can draw it; otherwise as a sound
    audio                      a line that says what it is; nobody reads base64
    resource                   its name and address, then an embedded text

What a terminal would obey is shown instead, before rich sees it, and so is what the encoding
cannot carry, so that a table stays one.  Above: `watching`.  Below: `prose`, which prepares
Markdown; `ink`, which writes; `protocol.markdown`, which says what there is to read.
"""

from __future__ import annotations

import codecs
import functools
import io
from typing import TYPE_CHECKING, Final, final

import attrs
from rich.console import Console
from rich.style import Style
from rich.text import Text

from trio_agent.protocol.markdown import blocks_of
from trio_agent.protocol.output import encodable, printable
from trio_agent.shown import shown
from trio_agent.surfaces.cli.terminal.ink import inked
from trio_agent.surfaces.cli.terminal.links import may_be_link
from trio_agent.surfaces.cli.terminal.prose import LEAST_COLUMNS, Prose
from trio_agent.vocabulary.leaf import TextNode
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from rich.console import RenderableType

    from trio_agent.context.terminal import ColorDepth
    from trio_agent.protocol.markdown import Block
    from trio_agent.vocabulary.document import AgentDocument

_COLORS: Final[dict[ColorDepth, Literal["standard", "256", "truecolor"] | None]] = {
    "none": None,
    "basic": "standard",
    "256": "256",
    "truecolor": "truecolor",
}

_HEIGHT: Final = 25
"""Nothing is laid out to a height; without a number, rich would ask for one."""

_SIMPLER: Final = str.maketrans({"•": "*", "▌": "|", "─": "-", "━": "-", "…": "~"})
"""What rich draws with, for encodings that are not Unicode."""


def page(
    document: AgentDocument,
    *,
    width: int,
    color: ColorDepth,
    encoding: str,
    has_links: bool = False,
    draw: Callable[[ImageNode], str | None] = lambda _: None,
) -> bytes:
    """Lay the document out; empty if there is nothing to read.

    Args:
        document: the final one.
        width: columns of the terminal; below `LEAST_COLUMNS` the terminal wraps what is wider.
        color: what the terminal shows; `none` means no escape sequence at all.
        encoding: of the stream.
        has_links: an address may hide behind its text, by the rules of `links`.
        draw: makes what shows an image, in ASCII; None where its declared text is shown.
    """
    sheet = _Sheet(
        prose=Prose(
            columns=max(width, LEAST_COLUMNS),
            has_links=has_links and color != "none",
            visible=functools.partial(_shown, encoding=encoding),
        ),
        color=color,
        draw=draw,
    )
    # An empty table is a block, and nothing to see.
    texts = [text for text in map(sheet.drawn, blocks_of(document)) if text]
    if not texts:
        return b""
    text = "\n\n".join(texts) + "\n"
    if not codecs.lookup(encoding).name.startswith("utf"):
        text = text.translate(_SIMPLER)
    return encodable(text, encoding)


def _shown(text: str, encoding: str) -> str:
    return encodable(printable(text), encoding).decode(encoding)


@final
@attrs.frozen(kw_only=True)
class _Sheet:
    """What all blocks of one page have in common."""

    prose: Prose
    color: ColorDepth
    draw: Callable[[ImageNode], str | None]

    __repr__ = shown

    def drawn(self, block: Block) -> str:
        """One block, without a line feed at its end."""
        picture = self.draw(block.node) if isinstance(block.node, ImageNode) else None
        if picture is not None and self.color != "none":
            return picture
        console = self._console()
        return inked(console.render_lines(self._laid_out(block), pad=False), self.color)

    def _console(self) -> Console:
        return Console(
            file=io.StringIO(),
            width=self.prose.columns,
            height=_HEIGHT,
            color_system=_COLORS[self.color],
            no_color=self.color == "none",
            force_terminal=True,
            force_jupyter=False,
            force_interactive=False,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            _environ={},
        )

    def _laid_out(self, block: Block) -> RenderableType:
        node = block.node
        match node:
            case TextNode():
                return Text(self.prose.visible(block.text))
            case ImageNode() | AudioNode():
                mention = _mention(node.kind, node.mime_type, node.data, node.alt)
                return Text(self.prose.visible(mention))
            case ResourceNode():
                return self._resource(node)
            case _:
                return self.prose.laid_out(self.prose.visible(block.text))

    def _resource(self, node: ResourceNode) -> Text:
        # Not as Markdown: its address is an address, whatever is in it.
        shown = self.prose.visible
        lines = [f" ({node.uri})"]
        if node.text:
            lines += ["", node.text.rstrip()]
        if node.blob is not None:
            lines.append(_mention("blob", node.mime_type, node.blob, node.alt))
        name = Text(shown(node.name))
        if self.prose.has_links and may_be_link(node.uri):
            name.stylize(Style(link=node.uri))
        return name.append(shown("\n".join(lines)))


def _mention(kind: str, mime_type: str | None, data: str, alt: str | None) -> str:
    size = len(data) * 3 // 4 - data[-2:].count("=")
    what = " ".join(part for part in (kind, mime_type) if part)
    return f"[{what}, {size} bytes]" + (f" {alt}" if alt else "")
