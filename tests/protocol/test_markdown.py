"""The Markdown of a document: one table of nodes, and what hostile data cannot do to it.

Escaping is judged by a CommonMark parser (the one that rich brings along), with tables and
strikethrough switched on: what it reads back must be what went in, and nothing more.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, strategies as st
from markdown_it import MarkdownIt

from trio_agent.limits import DEEPEST
from trio_agent.protocol.markdown import blocks_of, document_markdown
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode

PIXEL = "iVBORw0KGgo="

reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])

# Text that means something in Markdown more often than not.
WORDS = [
    "```",
    "~~~",
    "---",
    "1.",
    "1)",
    "&amp;",
    "&#35;",
    "<b>",
    "<!--",
    "](x)",
    "[a]:b",
    "==",
    "__",
    "**",
    "|-|",
    ":-",
]
marks = st.sampled_from(
    [*"\\`*_[]()<>~&#+-=:|!.\"' \t\n\r0aé", *WORDS, "\r\n", "\n\n", "    ", "- ", "# "]
)
hostile = st.lists(marks, max_size=14).map("".join) | st.text(max_size=30)
readable = hostile.map(lambda text: text.replace("\0", "0"))
"""A reader of Markdown replaces NUL, whatever stands around it."""

not_blank = readable.filter(lambda text: bool(text.strip()))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-1e9, 1e9) | hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile, inner, max_size=3),
    max_leaves=6,
)
texts = st.builds(MarkdownNode, hostile) | st.builds(TextNode, hostile)
guarded = (
    st.builds(ContextNode, readable)
    | st.builds(JsonNode, json_values.map(Json.of))
    | st.builds(ErrorNode, not_blank, readable)
    | st.builds(
        ResourceNode, uri=not_blank, name=not_blank, text=st.none() | readable, alt=readable
    )
    | st.builds(ResourceNode, uri=not_blank, name=not_blank, blob=st.just(PIXEL), alt=readable)
    | st.builds(ImageNode, data=st.just(PIXEL), mime_type=st.just("image/png"), alt=readable)
    | st.builds(AudioNode, data=st.just(PIXEL), mime_type=st.just("audio/wav"), alt=readable)
    | st.just(ProgressNode(1, 2, "moving"))
)


def markdown_of(*nodes: DocumentNode) -> str:
    return document_markdown(AgentDocument.build(ResultNode.of(nodes)))


def outline(markdown: str) -> list[tuple[str, str]]:
    """What a reader sees at the top level: kind and content of each block."""
    tokens = reader.parse(markdown)
    return [
        (token.type, token.content) for token in tokens if token.level < 2 and token.nesting >= 0
    ]


def shown(markdown: str) -> str:
    """The text of the one paragraph that *markdown* is, with `*`, `!` and ` ` for what it holds."""
    opening, inline, closing = reader.parse(markdown)
    assert (opening.type, inline.type, closing.type) == (
        "paragraph_open",
        "inline",
        "paragraph_close",
    )
    names = {"strong_open": "*", "strong_close": "*", "softbreak": "\n", "link_open": "<"}
    names |= {"link_close": ">", "image": "!"}
    return "".join(
        child.content if child.type == "text" else names[child.type]
        for child in inline.children or ()
    )


def attribute(markdown: str, name: str) -> str:
    """An attribute of the first link or image."""
    _, inline, _ = reader.parse(markdown)
    found = [child.attrs[name] for child in inline.children or () if name in child.attrs]
    return str(found[0])


@pytest.mark.parametrize(
    ("node", "markdown"),
    [
        (MarkdownNode("# A *b*\n\n- c"), "# A *b*\n\n- c\n"),
        (TextNode("1 < 2 & *3*"), "1 < 2 & *3*\n"),
        (TextNode(" \n\t\n    code\n\nmore  \n\n \n"), "    code\n\nmore\n"),
        (TextNode("\r\n\r\n  one\r\ntwo\r\n"), "  one\r\ntwo\n"),
        (ContextNode("one\n\ntwo"), "> one\n> \n> two\n"),
        (ContextNode("\none\rtwo\r\nthree\n"), "> one\n> two\n> three\n"),
        (
            JsonNode(Json.of({"a": [1, "é"]})),
            '```json\n{\n  "a": [\n    1,\n    "é"\n  ]\n}\n```\n',
        ),
        (JsonNode(Json.of(None)), "```json\nnull\n```\n"),
        (JsonNode(Json.of("```")), '````json\n"```"\n````\n'),
        (JsonNode(Json.of("\ud800")), '```json\n"\\ud800"\n```\n'),
        (ImageNode(data=PIXEL, mime_type="image/png"), f"![](data:image/png;base64,{PIXEL})\n"),
        (
            ImageNode(data=PIXEL, mime_type="image/png", alt="A [dot]\non top"),
            f"![A \\[dot\\] on top](data:image/png;base64,{PIXEL})\n",
        ),
        (AudioNode(data=PIXEL, mime_type="audio/wav"), f"[audio](data:audio/wav;base64,{PIXEL})\n"),
        (
            AudioNode(data=PIXEL, mime_type="audio/wav", alt="Bells"),
            f"[Bells](data:audio/wav;base64,{PIXEL})\n",
        ),
        (
            AudioNode(data=PIXEL, mime_type=' audio/l16; rate="8 (0),1" ', alt=" "),
            f"[audio](data:audio/l16;rate=%228%280%29%2C1%22;base64,{PIXEL})\n",
        ),
        (
            ResourceNode(uri="https://a.example/b_c?d=1&e=2", name="snake_case_name"),
            "[snake_case_name](https://a.example/b_c?d=1&e=2)\n",
        ),
        (
            ResourceNode(uri=" file:///a b(1)\\<é>&lt;\n ", name="a\n\nb"),
            "[a b](file:///a%20b\\(1\\)\\\\\\<é\\>\\&lt;)\n",
        ),
        (
            ResourceNode(uri="a:b", name="c", text="```\n\n\nx\n"),
            "[c](a:b)\n\n````\n```\n\n\nx\n````\n",
        ),
        (ResourceNode(uri="a:b", name="c", text="", alt="unused"), "[c](a:b)\n"),
        (
            ResourceNode(uri="a:b", name="c", blob=PIXEL),
            f"[c](a:b)\n\n[blob](data:application/octet-stream;base64,{PIXEL})\n",
        ),
        (
            ResourceNode(uri="a:b", name="c", blob=PIXEL, mime_type="a/b", alt="d"),
            f"[c](a:b)\n\n[d](data:a/b;base64,{PIXEL})\n",
        ),
        (ErrorNode("E_NOT_FOUND", "no snake_case here"), "**[E_NOT_FOUND]** no snake_case here\n"),
        (ErrorNode("boundary", ""), "**[boundary]**\n"),
        (
            ErrorNode("a]** b\n", "one\n\n# two\r- three\n4. four\n    five_\n-6\n7.5"),
            "**[a\\]\\*\\* b]** one\n\\# two\n\\- three\n4\\. four\nfive\\_\n-6\n7.5\n",
        ),
        (ProgressNode(1, 2, "moving"), ""),
    ],
)
def test_each_kind_of_node_has_its_markdown(node: LeafNode, markdown: str) -> None:
    assert markdown_of(node) == markdown


def test_blocks_are_joined_by_a_blank_line_and_blank_ones_are_left_out() -> None:
    blank: list[LeafNode] = [
        TextNode(""),
        MarkdownNode(" \n\t "),
        ContextNode("\n"),
        TextNode("\u2003\u00a0"),
    ]
    nodes = [MarkdownNode("# A\n"), *blank, ProgressNode(), TextNode("\nb"), ContextNode("c")]
    assert markdown_of(*nodes) == "# A\n\nb\n\n> c\n"


def test_an_empty_document_is_the_empty_string() -> None:
    assert markdown_of() == ""
    assert markdown_of(ResultNode.of([ProgressNode(), TextNode(" ")])) == ""


def test_nested_results_are_their_blocks_in_place() -> None:
    inner = ResultNode.of([TextNode("b"), ResultNode.of([TextNode("c")]), TextNode("d")])
    assert markdown_of(TextNode("a"), inner, TextNode("e")) == "a\n\nb\n\nc\n\nd\n\ne\n"


def test_a_document_need_not_have_a_result_as_its_root() -> None:
    assert document_markdown(AgentDocument.build(TextNode("a"))) == "a\n"


def test_nesting_costs_no_stack() -> None:
    root: DocumentNode = TextNode("deep")
    for _ in range(20 * DEEPEST):
        root = ResultNode.of([root])
    assert document_markdown(AgentDocument(status="success", root=root)) == "deep\n"


def test_the_deepest_json_is_written() -> None:
    value: object = 1
    for _ in range(DEEPEST - 1):
        value = [value]
    assert markdown_of(JsonNode(Json.of(1)), TextNode("x")).endswith("x\n")
    document = AgentDocument(status="success", root=JsonNode(Json.of(value)))
    assert document_markdown(document).count("[") == DEEPEST - 1


def test_blocks_name_the_leaf_that_they_stand_for() -> None:
    error = ErrorNode("a", "b")
    root = ResultNode.of([ProgressNode(), ResultNode.of([error]), JsonNode(Json.of(1))])
    blocks = list(blocks_of(AgentDocument.build(root)))
    assert [(block.kind, block.text) for block in blocks] == [
        ("error", "**[a]** b"),
        ("json", "```json\n1\n```"),
    ]
    assert blocks[0].node is error


@given(nodes=st.lists(texts | guarded, max_size=6))
def test_a_document_ends_with_one_line_feed_and_starts_with_no_blank_line(
    nodes: list[LeafNode],
) -> None:
    markdown = markdown_of(*nodes)
    assert markdown == "" or re.fullmatch(r"(?s).*[^ \t\r\n]\n", markdown)
    assert not re.match(r"[ \t]*[\r\n]", markdown)


@given(nodes=st.lists(guarded, min_size=1, max_size=6))
def test_blocks_that_are_not_the_author_s_own_markdown_do_not_touch_each_other(
    nodes: list[LeafNode],
) -> None:
    """A reader finds in the whole exactly what it finds in the parts."""
    together = outline(markdown_of(*nodes))
    assert together == [block for node in nodes for block in outline(markdown_of(node))]


@given(value=json_values)
@example(value="```")
@example(value={"`````": ["~~~", "``"]})
def test_json_comes_back_out_of_its_fence(value: object) -> None:
    frozen = Json.of(value)
    (block,) = reader.parse(markdown_of(JsonNode(frozen)))
    assert (block.type, block.info) == ("fence", "json")
    assert json.loads(block.content.replace("\ufffd", "?")) == json.loads(
        frozen.text.replace("\ufffd", "?")
    )


@given(text=readable.filter(bool))
@example(text="```\n")
@example(text="a\n````\n`````\n")
def test_an_embedded_text_comes_back_out_of_its_fence(text: str) -> None:
    *link, block = reader.parse(markdown_of(ResourceNode(uri="a:b", name="c", text=text)))
    assert [token.type for token in link] == ["paragraph_open", "inline", "paragraph_close"]
    assert block.type == "fence"
    expected = re.sub(r"\r\n?", "\n", text)
    assert block.content == (expected if expected.endswith("\n") else f"{expected}\n")


@given(code=not_blank, message=readable)
@example(code="a", message="x | y\n-|-")
@example(code="a", message="x | y\n-:|-")
@example(code="a", message="x | y\n:-|-")
@example(code="a", message="x | y\n|-|-|")
@example(code="a", message="b\n===\n---\n- - -\n+\n***\n> q\n#\n1)\n~~~\n|-|")
def test_an_error_is_one_paragraph_that_says_what_it_says(code: str, message: str) -> None:
    markdown = markdown_of(ErrorNode(code, message))
    lines = [line.strip() for line in re.split(r"[\r\n]", message)]
    told = "\n".join(line for line in lines if line)
    assert shown(markdown) == f"*[{' '.join(code.split())}]* {told}".rstrip()


@given(uri=not_blank, name=not_blank)
@example(uri="x)](y", name="](z)")
@example(uri="<a>", name="![b](c)")
def test_a_link_shows_its_name_and_leads_to_its_uri(uri: str, name: str) -> None:
    markdown = markdown_of(ResourceNode(uri=uri, name=name))
    assert shown(markdown) == f"<{' '.join(name.split())}>"
    # The parser percent-encodes what is not ASCII, as a browser would.
    assert attribute(markdown, "href") == reader.normalizeLink(
        re.sub(r"[\x00-\x20\x7f]", lambda found: f"%{ord(found[0]):02X}", uri.strip())
    )


@given(alt=readable)
def test_an_alternative_text_stays_in_its_brackets(alt: str) -> None:
    markdown = markdown_of(ImageNode(data=PIXEL, mime_type="image/png", alt=alt))
    assert shown(markdown) == "!"
    assert attribute(markdown, "src") == f"data:image/png;base64,{PIXEL}"


@given(text=readable.filter(lambda text: bool(text.strip())))
def test_context_stays_behind_its_mark(text: str) -> None:
    markdown = markdown_of(ContextNode(text))
    assert all(line.startswith("> ") for line in markdown.removesuffix("\n").split("\n"))
    assert {kind for kind, _ in outline(markdown)[:1]} == {"blockquote_open"}
    assert [token.type for token in reader.parse(markdown) if token.level == 0] == [
        "blockquote_open",
        "blockquote_close",
    ]
