"""Documents as the results of `resources/read` and `prompts/get`."""

import mcp_types
import pytest
from hypothesis import given, strategies as st

from tests import strategies
from tests.trees import Gates, boom, single
from trio_agent import Agent, AgentDocument, Node, Runtime
from trio_agent.errors import ContractError, StreamError
from trio_agent.surfaces.mcp.results.content import ProjectionError
from trio_agent.surfaces.mcp.results.documents import prompt_result, resource_result
from trio_agent.surfaces.mcp.results.policy import NATIVE, ToolPolicy
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.surfaces.mcp.results.projection import PromptProjection, ResourceProjection
from trio_agent.surfaces.mcp.rpc import JsonObject
from trio_agent.testing import SingleTree, make_invocation
from trio_agent.vocabulary.event import ShellEvent
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
from trio_agent.vocabulary.result import DocumentNode, ResultNode

URI = "catalog://root"


def document(
    *children: DocumentNode, value: object = None, metadata: object = None
) -> AgentDocument:
    return AgentDocument.build(
        ResultNode.of(children, None if metadata is None else Json.of(metadata)),
        value=None if value is None else Json.of(value),
    )


async def project(
    tree: Node, projection: ResourceProjection | PromptProjection
) -> tuple[JsonObject, list[ProgressReport]]:
    reports: list[ProgressReport] = []

    async def take(report: ProgressReport) -> None:
        reports.append(report)

    result = await Runtime(SingleTree(tree)).invoke(make_invocation(), projection, take)
    return result, reports


# ---------------------------------------------------------------- resources


@pytest.mark.parametrize(
    ("leaf", "declared", "contents"),
    [
        (TextNode("a"), None, {"mimeType": "text/plain", "text": "a"}),
        (ContextNode("a"), None, {"mimeType": "text/plain", "text": "a"}),
        (MarkdownNode("# a"), None, {"mimeType": "text/markdown", "text": "# a"}),
        (MarkdownNode("a,b"), "text/csv", {"mimeType": "text/csv", "text": "a,b"}),
        (JsonNode(Json.of([1])), None, {"mimeType": "application/json", "text": "[1]"}),
        (JsonNode(Json.of([1])), "a/b+json", {"mimeType": "a/b+json", "text": "[1]"}),
        (ErrorNode("E_X", "no"), "text/csv", {"mimeType": "text/plain", "text": "[E_X] no"}),
        (
            ImageNode(data="aGk=", mime_type="image/png"),
            "text/csv",
            {"mimeType": "image/png", "blob": "aGk="},
        ),
        (
            AudioNode(data="aGk=", mime_type="audio/wav"),
            None,
            {"mimeType": "audio/wav", "blob": "aGk="},
        ),
    ],
)
def test_a_leaf_is_one_content_of_the_resource(
    leaf: DocumentNode, declared: str | None, contents: JsonObject
) -> None:
    assert resource_result(document(leaf), URI, declared) == {
        "contents": [{"uri": URI, **contents}]
    }


def test_an_embedded_resource_says_itself_what_it_is() -> None:
    text = ResourceNode(uri="file:///a", name="a", text="a")
    blob = ResourceNode(uri="file:///b", name="b", blob="aGk=", mime_type="a/b")

    assert resource_result(document(text, blob), URI, "text/csv")["contents"] == [
        {"uri": "file:///a", "text": "a"},
        {"uri": "file:///b", "mimeType": "a/b", "blob": "aGk="},
    ]


def test_a_link_is_a_list_of_one_uri() -> None:
    link = ResourceNode(uri="file:///a", name="a")

    assert resource_result(document(link), URI, "text/csv")["contents"] == [
        {"uri": URI, "mimeType": "text/uri-list", "text": "file:///a\r\n"}
    ]


def test_leaves_come_in_order_progress_left_out_and_metadata_as_meta() -> None:
    inner = ResultNode.of([TextNode("b"), ProgressNode()])
    shown = document(TextNode("a"), inner, TextNode("c"), metadata={"layout": "root"})
    result = resource_result(shown, URI, None)

    assert [one["text"] for one in contents_of(result)] == ["a", "b", "c"]
    assert result["_meta"] == {"layout": "root"}


def contents_of(result: JsonObject) -> list[JsonObject]:
    contents = result["contents"]
    assert isinstance(contents, list)
    return contents


def test_an_empty_resource_has_no_contents() -> None:
    assert resource_result(document(), URI, None) == {"contents": []}


async def test_a_boundary_that_fails_in_a_resource_is_a_text_of_it() -> None:
    gates = Gates()
    gates.a.set()
    result, _ = await project(boom(gates), ResourceProjection(URI, "text/markdown"))

    assert result == {
        "contents": [
            {"uri": URI, "mimeType": "text/markdown", "text": "# Shell"},
            {"uri": URI, "mimeType": "text/plain", "text": "[boundary] boundary failed"},
        ]
    }


async def test_resources_report_progress_when_they_are_asked_to() -> None:
    gates = Gates()
    gates.a.set()
    gates.b.set()

    _, silent = await project(single(gates), ResourceProjection(URI))
    _, reported = await project(single(gates), ResourceProjection(URI, reports=True))
    _, prompted = await project(
        single(gates), PromptProjection(None, has_messages=False, reports=True)
    )

    assert silent == []
    assert reported == prompted == [ProgressReport(0, None, "loading-a")]


@given(strategies.documents(), st.none() | strategies.mime_types())
def test_every_document_is_a_resource_that_the_sdk_reads(
    shown: AgentDocument, declared: str | None
) -> None:
    try:
        result = resource_result(shown, URI, declared)
    except ProjectionError:
        return
    read = mcp_types.ReadResourceResult.model_validate(result)

    assert [one.model_dump(by_alias=True, exclude_none=True) for one in read.contents] == result[
        "contents"
    ]


# ---------------------------------------------------------------- prompts


def test_nodes_are_one_message_of_the_user_for_each_leaf() -> None:
    shown = document(MarkdownNode("a"), ProgressNode(), JsonNode(Json.of({"b": 1})))

    assert prompt_result(shown, "Say it.", NATIVE, has_messages=False) == {
        "description": "Say it.",
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "a"}},
            {"role": "user", "content": {"type": "text", "text": '{"b":1}'}},
        ],
    }


def test_stated_messages_are_the_value() -> None:
    image = ImageNode(data="aGk=", mime_type="image/png", annotations=Annotations(priority=1))
    stated = [
        {"role": "user", "content": "What is this?"},
        {"role": "user", "content": Json.parse(image.wire_text())},
        {"role": "assistant", "content": {"kind": "markdown", "text": "A cat."}},
    ]
    shown = document(TextNode("not this"), value={"messages": stated})

    assert prompt_result(shown, None, NATIVE, has_messages=True) == {
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "What is this?"}},
            {
                "role": "user",
                "content": {
                    "type": "image",
                    "data": "aGk=",
                    "mimeType": "image/png",
                    "annotations": {"priority": 1},
                },
            },
            {"role": "assistant", "content": {"type": "text", "text": "A cat."}},
        ]
    }


def test_a_prompt_that_represents_an_error_says_so_also_where_messages_were_due() -> None:
    shown = document(ErrorNode("E_X", "no"))

    assert prompt_result(shown, None, NATIVE, has_messages=True)["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "[E_X] no"}}
    ]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "value is an object, received"),
        ({}, "value.messages is missing"),
        ({"messages": {}}, "value.messages is a list, received {}"),
        ({"messages": [1]}, r"value.messages\[0\] is an object, received 1"),
        ({"messages": [{"role": "user"}]}, r"value.messages\[0\].content is missing"),
        (
            {"messages": [{"role": "system", "content": "a"}]},
            r"value.messages\[0\].role is user or assistant, received 'system'",
        ),
        (
            {"messages": [{"role": "user", "content": 1}]},
            r"value.messages\[0\].content is an object, received 1",
        ),
        (
            {"messages": [{"role": "user", "content": {"kind": "progress", "completed": 1}}]},
            r"value.messages\[0\].content is a leaf with something to read, received 'progress'",
        ),
        (
            {"messages": [{"role": "user", "content": {"kind": "result", "children": []}}]},
            r"value.messages\[0\].content is a leaf with something to read, received 'result'",
        ),
    ],
    ids=str,
)
def test_messages_of_another_form_are_refused_with_their_place(
    value: object, complaint: str
) -> None:
    with pytest.raises(ContractError, match=complaint):
        prompt_result(document(value=value), None, NATIVE, has_messages=True)


def test_media_that_the_client_does_not_take_are_gated_in_prompts_too() -> None:
    shown = document(ImageNode(data="aGk=", mime_type="image/png"))

    with pytest.raises(ProjectionError):
        prompt_result(shown, None, ToolPolicy(image="refuse"), has_messages=False)


async def test_a_prompt_goes_through_and_has_the_metadata_of_its_root() -> None:
    tree = Agent.Result(Agent.Text("Hello"), metadata={"layout": "root"})
    result, _ = await project(tree, PromptProjection("Greet.", has_messages=False))

    assert result == {
        "description": "Greet.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}],
        "_meta": {"layout": "root"},
    }


@pytest.mark.parametrize(
    "projection", [ResourceProjection(URI), PromptProjection(None, has_messages=True)]
)
def test_without_complete_there_is_no_result(
    projection: ResourceProjection | PromptProjection,
) -> None:
    projection.feed(ShellEvent(0, document()))

    with pytest.raises(StreamError):
        projection.finish()


@given(strategies.documents(), st.none() | strategies.texts())
def test_every_document_is_a_prompt_that_the_sdk_reads(
    shown: AgentDocument, description: str | None
) -> None:
    try:
        result = prompt_result(shown, description, NATIVE, has_messages=False)
    except ProjectionError:
        return
    read = mcp_types.GetPromptResult.model_validate(result)

    assert read.description == description
    assert [one.model_dump(by_alias=True, exclude_none=True) for one in read.messages] == result[
        "messages"
    ]
