"""A document as Markdown: what a pipe, a file or a reader without a protocol gets.

Writes Markdown, never reads any.  What an author gave as Markdown or text goes out as it came,
so an author who leaves a code fence open swallows what follows; everything else is escaped
(GitHub-flavoured rules) and stays where it is put.  Bytes, colours and terminals are told in
`protocol.output` and on the command line above; below is only the vocabulary.

    markdown, text   as it is
    context          every line behind `> `
    json             a fenced `json` block, indented by two
    progress         nothing
    image            `![alt](data:...)`
    audio            `[alt](data:...)`, `audio` when there is no alt
    resource         `[name](uri)`, then an embedded text in a fence, or an embedded blob as
                     `[alt](data:...)`, `blob` when there is no alt
    error            `**[code]** message`

Rules kept here:
* Blocks are joined by one blank line; a blank block is left out; a nested result is its blocks,
  in place.  Blank lines at the edges of a block, and spaces at its end, go.
* A document ends with one line feed, and an empty one is the empty string.
* No data, whatever is in it, ends its fence, its link or its paragraph.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, assert_never, final

import attrs

from trio_agent.shown import shown
from trio_agent.vocabulary.json import escape_surrogates
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.node import LeafNode
    from trio_agent.vocabulary.result import DocumentNode

_BLANKS: Final = " \t\r\n"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_BACKTICKS: Final = re.compile("`+")
_LEAST_FENCE: Final = 3

_SPECIAL: Final = re.compile(
    r"[\\`*\[\]<~]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # between two letters or digits it never means emphasis
    r"|&(?=#?\w+;)"
)
_BLOCK_START: Final = re.compile(
    r"(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|-[-:|]|=+\s*$"  # heading, quote, list, rule, underline
    r"|:-|\|)"  # the second line of a table
)
_ORDINAL: Final = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))")
_NO_DESTINATION: Final = re.compile(r"[\x00-\x20\x7f]")
_DESTINATION_SPECIAL: Final = re.compile(r"[()<>\\]|&(?=#?\w+;)")
_NO_MEDIA_TYPE: Final = re.compile(r"[^\w!$&^.+/;=-]", re.ASCII)


@final
@attrs.frozen
class Block:
    """One leaf and the Markdown that stands for it, not blank, without a line feed at its end."""

    node: LeafNode
    text: str

    __repr__ = shown

    @property
    def kind(self) -> str:
        """The kind of the leaf."""
        return self.node.kind


def blocks_of(document: AgentDocument) -> Iterator[Block]:
    """What there is to read in the document, in order: no progress, nothing blank.

    It flattens every result, so ask it of the snapshots that are shown, not of each.
    """
    for node in _leaves(document.root):
        text = _block_text(node)
        if text:
            yield Block(node, text)


def document_markdown(document: AgentDocument) -> str:
    """The whole document as Markdown; the rules are those of this module."""
    text = "\n\n".join([block.text for block in blocks_of(document)])
    return f"{text}\n" if text else ""


def _leaves(root: DocumentNode) -> Iterator[LeafNode]:
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ResultNode):
            pending.extend(reversed(node.children))
        else:
            yield node


def _block_text(node: LeafNode) -> str:
    match node:
        case MarkdownNode() | TextNode():
            text = _trimmed(node.text)
        case ContextNode():
            text = _quoted(_trimmed(node.text))
        case JsonNode():
            text = _fenced(_pretty(node), "json")
        case ProgressNode():
            text = ""
        case ErrorNode():
            text = f"**[{_one_line(node.code)}]** {_paragraph(node.message)}".rstrip()
        case ImageNode() | AudioNode() | ResourceNode():
            text = _media_text(node)
        case _:
            assert_never(node)
    return text


def _media_text(node: ImageNode | AudioNode | ResourceNode) -> str:
    match node:
        case ImageNode():
            text = "!" + _data_link(_label(node.alt, ""), node.mime_type, node.data)
        case AudioNode():
            text = _data_link(_label(node.alt, "audio"), node.mime_type, node.data)
        case ResourceNode():
            text = f"[{_one_line(node.name)}]({_destination(node.uri)})"
            if node.text:
                text += "\n\n" + _fenced(node.text)
            if node.blob is not None:
                mime_type = node.mime_type or "application/octet-stream"
                text += "\n\n" + _data_link(_label(node.alt, "blob"), mime_type, node.blob)
        case _:
            assert_never(node)
    return text


def _trimmed(text: str) -> str:
    """Without blank lines at the edges; the first line keeps its indentation."""
    if not text.strip():
        return ""
    body = text.lstrip(_BLANKS)
    blank = text[: len(text) - len(body)]
    indentation = blank[max(blank.rfind("\n"), blank.rfind("\r")) + 1 :]
    return (indentation + body).rstrip(_BLANKS)


def _quoted(text: str) -> str:
    # A carriage return ends a line in Markdown too; unquoted, what follows would step outside.
    return "\n".join([f"> {line}" for line in _LINE_END.split(text)]) if text else ""


def _pretty(node: JsonNode) -> str:
    return escape_surrogates(json.dumps(node.value.value, indent=2, ensure_ascii=False))


def _fenced(text: str, language: str = "") -> str:
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(_LEAST_FENCE, longest + 1)
    return f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _one_line(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _label(alt: str | None, otherwise: str) -> str:
    return _one_line(alt or "") or otherwise


def _paragraph(text: str) -> str:
    """Lines that stay one paragraph: none blank, none that starts a block of its own."""
    lines = (line.strip() for line in _LINE_END.split(text))
    first, *rest = [_escaped(line) for line in lines if line] or [""]
    return "\n".join([first, *[_inside_paragraph(line) for line in rest]])


def _inside_paragraph(line: str) -> str:
    if _BLOCK_START.match(line):
        return "\\" + line
    ordinal = _ORDINAL.match(line)
    return line if ordinal is None else f"{ordinal[1]}\\{line[ordinal.end() :]}"


def _destination(uri: str) -> str:
    """A URI as the destination of a link; what no URI may hold is percent-encoded."""
    return _DESTINATION_SPECIAL.sub(r"\\\g<0>", _NO_DESTINATION.sub(_percent, uri.strip()))


def _data_link(label: str, mime_type: str, data: str) -> str:
    # Only the head needs care: base64 does not, and it may be megabytes.
    head = _NO_MEDIA_TYPE.sub(_percent, "".join(mime_type.split()))
    return f"[{label}](data:{_destination(head)};base64,{data})"


def _percent(found: re.Match[str]) -> str:
    return "".join([f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass")])
