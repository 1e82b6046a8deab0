"""The final document as a terminal shows it: bytes with layout, and colour if there is any.

The only module that lets rich write.  rich reads the environment by rules of its own, so every
decision is handed to it: width, colour, encoding; its markup, emoji codes and guesses at what to
highlight are off, because data is never markup.

    markdown, context, error   laid out as Markdown
    json                       laid out, in colour
    text                       as it is, wrapped
    image, audio               a line that says what it is; nobody reads base64
    resource                   its name and address, then an embedded text

What a terminal would obey is shown instead, before rich sees it, and the address of a link is
shown beside it.  Above: `run`.  Below:
`protocol.markdown`, which says what there is to read.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from trio_agent.protocol.markdown import blocks_of
from trio_agent.protocol.output import encodable, printable
from trio_agent.vocabulary.leaf import TextNode
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode

if TYPE_CHECKING:
    from typing import Literal

    from rich.console import RenderableType

    from trio_agent.context.terminal import ColorDepth
    from trio_agent.protocol.markdown import Block
    from trio_agent.vocabulary.document import AgentDocument

NARROWEST: Final = 10
"""Columns below which rich cannot lay out a list; the terminal wraps what is wider."""

_COLORS: Final[dict[ColorDepth, Literal["standard", "256", "truecolor"] | None]] = {
    "none": None,
    "basic": "standard",
    "256": "256",
    "truecolor": "truecolor",
}

_CODE_THEME: Final = "ansi_dark"
"""The theme without a background, in the sixteen colours that the terminal's owner chose."""

_HEIGHT: Final = 25
"""Nothing is laid out to a height; without a number, rich would ask for one."""

_SIMPLER: Final = str.maketrans({"•": "*", "▌": "|", "─": "-", "━": "-", "🌆": "-", "…": "~"})
"""What rich draws with, for encodings that are not Unicode."""

_PADDING: Final = re.compile(r" +$", re.MULTILINE)
"""Spaces up to the edge: rich fills every line, and whoever copies it gets them."""


def page(document: AgentDocument, *, width: int, color: ColorDepth, encoding: str) -> bytes:
    """Lay the document out; empty if there is nothing to read.

    Args:
        document: the final one.
        width: columns of the terminal.
        color: what the terminal shows; `none` means no escape sequence at all.
        encoding: of the stream.
    """
    texts = [_drawn(block, max(width, NARROWEST), color) for block in blocks_of(document)]
    if not texts:
        return b""
    text = "\n\n".join(texts) + "\n"
    if not codecs.lookup(encoding).name.startswith("utf"):
        text = text.translate(_SIMPLER)
    return encodable(text, encoding)


def _drawn(block: Block, width: int, color: ColorDepth) -> str:
    sheet = io.StringIO()
    _console(sheet, width, color).print(_laid_out(block))
    # The blank lines that rich leaves around code would add up between blocks.
    return _PADDING.sub("", sheet.getvalue()).strip("\n")


def _console(sheet: io.StringIO, width: int, color: ColorDepth) -> Console:
    return Console(
        file=sheet,
        width=width,
        height=_HEIGHT,
        color_system=_COLORS[color],
        no_color=color == "none",
        force_terminal=True,
        force_jupyter=False,
        force_interactive=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )


def _laid_out(block: Block) -> RenderableType:
    node = block.node
    match node:
        case TextNode():
            return Text(printable(block.text))
        case ImageNode() | AudioNode():
            return Text(printable(_mention(node.kind, node.mime_type, node.data, node.alt)))
        case ResourceNode():
            return Text(printable(_resource(node)))
        case _:
            return Markdown(printable(block.text), code_theme=_CODE_THEME, hyperlinks=False)


def _resource(node: ResourceNode) -> str:
    # Not as Markdown: it takes no link to a file for a link.
    lines = [f"{node.name} ({node.uri})"]
    if node.text:
        lines += ["", node.text.rstrip()]
    if node.blob is not None:
        lines.append(_mention("blob", node.mime_type, node.blob, node.alt))
    return "\n".join(lines)


def _mention(kind: str, mime_type: str | None, data: str, alt: str | None) -> str:
    size = len(data) * 3 // 4 - data[-2:].count("=")
    what = " ".join(part for part in (kind, mime_type) if part)
    return f"[{what}, {size} bytes]" + (f" {alt}" if alt else "")
