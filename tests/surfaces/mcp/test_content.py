"""Leaves as content blocks; the blocks are the ones that the official SDK reads."""

import mcp_types
import pytest
from hypothesis import given, strategies as st

from tests import strategies
from trio_agent.routes.settings import EVERY_CLIENT, ClientPolicy, MediaRule
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.results.content import ProjectionError, block_of, blocks_of
from trio_agent.surfaces.mcp.results.policy import NATIVE, ToolPolicy
from trio_agent.vocabulary.field import Annotations
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

IMAGE = ImageNode(data="aGk=", mime_type="image/png")
AUDIO = AudioNode(data="aGk=", mime_type="audio/wav")
LINK = ResourceNode(uri="catalog://root", name="Catalog")
EMBEDDED = ResourceNode(uri="catalog://root", name="Catalog", text="twelve books")

AS_TEXT = ToolPolicy(image="text", audio="text", resource="text")
REFUSING = ToolPolicy(image="refuse", audio="refuse", resource="refuse")


@pytest.mark.parametrize("leaf", [MarkdownNode("*a*\n"), TextNode("*a*\n"), ContextNode("*a*\n")])
def test_text_goes_out_as_it_is(leaf: LeafNode) -> None:
    assert block_of(leaf, NATIVE) == {"type": "text", "text": "*a*\n"}


def test_json_is_text_that_holds_compact_json() -> None:
    node = JsonNode(Json.of({"a": [1, None], "é": "\ud800"}))

    assert block_of(node, NATIVE) == {"type": "text", "text": '{"a":[1,null],"é":"\\ud800"}'}


def test_an_error_is_its_code_in_brackets_and_its_message() -> None:
    assert block_of(ErrorNode("E_NOTE", "represented"), NATIVE) == {
        "type": "text",
        "text": "[E_NOTE] represented",
    }
    assert block_of(ErrorNode("E_NOTE", ""), NATIVE) == {"type": "text", "text": "[E_NOTE]"}


def test_progress_is_never_content() -> None:
    assert block_of(ProgressNode(1, 2, "half"), NATIVE) is None
    assert blocks_of(ResultNode.of([ProgressNode(), TextNode("a")]), NATIVE) == [
        {"type": "text", "text": "a"}
    ]


def test_images_and_sounds_have_blocks_of_their_own() -> None:
    assert block_of(IMAGE, NATIVE) == {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    assert block_of(AUDIO, NATIVE) == {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}


def test_a_resource_without_content_is_a_link() -> None:
    full = ResourceNode(
        uri="file:///a", name="a", mime_type="text/csv", title="A", byte_size=3, alt="a table"
    )

    assert block_of(LINK, NATIVE) == {
        "type": "resource_link",
        "uri": "catalog://root",
        "name": "Catalog",
    }
    assert block_of(full, NATIVE) == {
        "type": "resource_link",
        "uri": "file:///a",
        "name": "a",
        "title": "A",
        "mimeType": "text/csv",
        "size": 3,
    }


@pytest.mark.parametrize(
    ("content", "wire"),
    [
        ({"text": "a"}, {"text": "a"}),
        ({"text": ""}, {"text": ""}),
        ({"blob": "aGk=", "mime_type": "a/b"}, {"blob": "aGk=", "mimeType": "a/b"}),
    ],
)
def test_a_resource_with_content_is_embedded(content: dict[str, str], wire: dict[str, str]) -> None:
    node = ResourceNode(uri="file:///a", name="a", **content)  # type: ignore[arg-type]  # strings

    assert block_of(node, NATIVE) == {
        "type": "resource",
        "resource": {"uri": "file:///a", **wire},
    }


def test_annotations_go_with_the_block_also_where_text_stands_for_it() -> None:
    notes = Annotations(audience=("user",), priority=0.5, last_modified="2026-01-01T00:00:00Z")
    wire = {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"}
    image = ImageNode(data="aGk=", mime_type="image/png", annotations=notes)

    for node, policy in (
        (MarkdownNode("a", notes), NATIVE),
        (JsonNode(Json.of(1), notes), NATIVE),
        (image, NATIVE),
        (image, AS_TEXT),
    ):
        block = block_of(node, policy)
        assert block is not None
        assert block["annotations"] == wire


def test_empty_annotations_are_not_written() -> None:
    assert block_of(TextNode("a", Annotations()), NATIVE) == {"type": "text", "text": "a"}


# ---------------------------------------------------------------- what a client does not take


def test_case_103_an_image_that_a_client_does_not_take_fails_by_name_or_is_text() -> None:
    with pytest.raises(ProjectionError, match=r"\[image image/png\].*takes no image") as caught:
        block_of(IMAGE, ToolPolicy(image="refuse"))

    assert (caught.value.code, caught.value.kind) == ("unsupported-rich-content", "image")
    assert block_of(IMAGE, AS_TEXT) == {"type": "text", "text": "[image image/png]"}


def test_case_104_so_do_sounds_and_resources() -> None:
    assert block_of(AUDIO, AS_TEXT) == {"type": "text", "text": "[audio audio/wav]"}
    assert block_of(LINK, AS_TEXT) == {"type": "text", "text": "[resource Catalog catalog://root]"}
    for node, kind in ((AUDIO, "audio"), (LINK, "resource"), (EMBEDDED, "resource")):
        with pytest.raises(ProjectionError) as caught:
            block_of(node, REFUSING)
        assert caught.value.kind == kind


def test_the_declared_alt_stands_for_the_thing_unless_it_is_blank() -> None:
    shown = ImageNode(data="aGk=", mime_type="image/png", alt="a cat")
    blank = ImageNode(data="aGk=", mime_type="image/png", alt=" ")

    assert block_of(shown, AS_TEXT) == {"type": "text", "text": "a cat"}
    assert block_of(blank, AS_TEXT) == {"type": "text", "text": "[image image/png]"}


def test_the_text_of_an_embedded_resource_is_not_lost() -> None:
    assert block_of(EMBEDDED, AS_TEXT) == {
        "type": "text",
        "text": "[resource Catalog catalog://root]\n\ntwelve books",
    }


@pytest.mark.parametrize(
    ("version", "audio", "link", "structured"),
    [
        ("2024-11-05", "text", "text", False),
        ("2025-03-26", "audio", "text", False),
        ("2025-06-18", "audio", "resource_link", True),
        ("2026-07-28", "audio", "resource_link", True),
    ],
)
def test_what_a_revision_does_not_know_goes_out_as_text(
    version: str, audio: str, link: str, structured: bool
) -> None:
    policy = ToolPolicy.of(EVERY_CLIENT, Client(version_spoken=version))
    blocks = blocks_of(ResultNode.of([IMAGE, AUDIO, LINK, EMBEDDED]), policy)

    assert [block["type"] for block in blocks] == ["image", audio, link, "resource"]
    assert policy.structured is structured


def test_an_old_revision_takes_nothing_back_that_was_decided() -> None:
    old = Client(version_spoken="2024-11-05")
    refuse = ToolPolicy.of(ClientPolicy(audio="refuse", resource="refuse"), old)
    text = ToolPolicy.of(ClientPolicy(resource="text"), old)

    assert refuse.audio == "refuse"
    with pytest.raises(ProjectionError):
        block_of(LINK, refuse)
    assert block_of(EMBEDDED, text) == block_of(EMBEDDED, AS_TEXT)


def test_what_the_plugin_says_about_a_client_wins_over_what_the_tool_says() -> None:
    new = Client(version_spoken="2025-11-25")

    assert ToolPolicy.of(EVERY_CLIENT, new) == NATIVE
    assert not ToolPolicy.of(EVERY_CLIENT, new, structured="never").structured
    assert ToolPolicy.of(ClientPolicy(structured="always"), new, structured="never").structured
    assert not ToolPolicy.of(ClientPolicy(structured="never"), new).structured
    assert ToolPolicy.of(ClientPolicy(image="text"), new, scalar="wrap") == ToolPolicy(
        image="text", scalar="wrap"
    )


# ---------------------------------------------------------------- any document


def deliveries() -> st.SearchStrategy[MediaRule]:
    return st.sampled_from(("native", "text"))


@given(
    strategies.nodes(),
    st.builds(
        ToolPolicy,
        image=deliveries(),
        audio=deliveries(),
        resource=deliveries(),
        has_links=st.booleans(),
    ),
)
def test_every_document_becomes_blocks_that_the_sdk_reads(
    root: DocumentNode, policy: ToolPolicy
) -> None:
    blocks = blocks_of(root, policy)
    read = mcp_types.CallToolResult.model_validate({"content": blocks})

    assert read.model_dump(by_alias=True, exclude_none=True)["content"] == blocks


@given(strategies.nodes())
def test_refusing_fails_exactly_when_there_is_something_to_refuse(root: DocumentNode) -> None:
    is_rich = any(kind in root.wire_text() for kind in ('"image"', '"audio"', '"resource"'))
    try:
        blocks = blocks_of(root, REFUSING)
    except ProjectionError:
        assert is_rich
    else:
        assert all(block["type"] == "text" for block in blocks)


def test_a_tree_as_deep_as_there_may_be_needs_no_stack() -> None:
    node: DocumentNode = TextNode("deep")
    for _ in range(5000):
        node = ResultNode.of([node])

    assert blocks_of(node, NATIVE) == [{"type": "text", "text": "deep"}]
