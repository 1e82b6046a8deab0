"""Documents as results, and events as progress; the numbered cases of the reference.

Cases `runtime` E (94-116) and `surfaces` B and C, as far as they are about what a document
becomes.  Those about rules of progress alone are in `test_progress`, those about a throw in
`test_failure`.
"""

from collections.abc import Callable

import mcp_types
import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from tests import strategies
from tests.trees import Gates, boom, dual, nested, ready, single
from trio_agent import Agent, AgentDocument, InvocationError, Node, Runtime, Suspense, component
from trio_agent.errors import ContractError, StreamError
from trio_agent.routes.record import ScalarRule
from trio_agent.surfaces.mcp.results.content import ProjectionError
from trio_agent.surfaces.mcp.results.documents import tool_result
from trio_agent.surfaces.mcp.results.policy import ToolPolicy
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.surfaces.mcp.results.projection import ToolProjection
from trio_agent.surfaces.mcp.rpc import JsonObject
from trio_agent.testing import SingleTree, make_invocation
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    Failure,
    ProgressEvent,
    ReplaceEvent,
    ShellEvent,
)
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, JsonNode, ProgressNode, TextNode
from trio_agent.vocabulary.media import ImageNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode

PLAIN = ToolPolicy()


def document(
    *children: DocumentNode, value: object = None, metadata: object = None
) -> AgentDocument:
    return AgentDocument.build(
        ResultNode.of(children, None if metadata is None else Json.of(metadata)),
        value=None if value is None else Json.of(value),
    )


def result_of(*children: DocumentNode, value: object = None, metadata: object = None) -> JsonObject:
    return tool_result(document(*children, value=value, metadata=metadata), PLAIN)


class Caller:
    """A client that wants progress; its sink keeps what it gets."""

    def __init__(self, tree: Node, *, policy: ToolPolicy = PLAIN, reports: bool = True) -> None:
        self.reports: list[ProgressReport] = []
        self.projection = ToolProjection(policy, reports=reports)
        self.runtime = Runtime(SingleTree(tree))

    async def take(self, report: ProgressReport) -> None:
        self.reports.append(report)

    async def call(self) -> JsonObject:
        return await self.runtime.invoke(make_invocation(), self.projection, self.take)


# ---------------------------------------------------------------- the fields of a result


def test_a_success_has_content_and_nothing_it_does_not_need() -> None:
    assert result_of(TextNode("a")) == {"content": [{"type": "text", "text": "a"}]}


def test_case_112_an_empty_document_has_an_empty_list_of_content() -> None:
    assert result_of() == {"content": []}


def test_case_113_nested_results_are_their_children_in_place() -> None:
    inner = ResultNode.of([TextNode("b"), ResultNode.of([TextNode("c")])])

    assert result_of(TextNode("a"), inner, TextNode("d"))["content"] == [
        {"type": "text", "text": text} for text in "abcd"
    ]


def test_case_101_and_28_progress_that_is_still_there_is_no_content() -> None:
    assert result_of(ProgressNode(1, 2, "half"))["content"] == []


@pytest.mark.parametrize("status", ["represented-error", "failed"])
def test_any_status_but_success_is_an_error(status: str) -> None:
    shown = AgentDocument.build(TextNode("a"), status=status)  # type: ignore[arg-type]  # two of three

    assert tool_result(shown, PLAIN)["isError"] is True


def test_case_23_a_represented_error_keeps_value_and_metadata() -> None:
    node = ErrorNode("E_NOT_FOUND", "No entry is named x.")

    assert result_of(node, value={"found": False}, metadata={"layout": "root"}) == {
        "content": [{"type": "text", "text": "[E_NOT_FOUND] No entry is named x."}],
        "structuredContent": {"found": False},
        "isError": True,
        "_meta": {"layout": "root"},
    }


@pytest.mark.parametrize("metadata", ["x", [1], 3, False])
def test_case_106_and_26_metadata_that_is_no_object_fails(metadata: object) -> None:
    with pytest.raises(ProjectionError, match="metadata of the root result is an object") as caught:
        result_of(metadata=metadata)

    assert caught.value.code == "invalid-result-metadata"


def test_case_106_null_metadata_is_metadata_and_fails_too() -> None:
    shown = AgentDocument.build(ResultNode.of([], Json.of(None)))

    with pytest.raises(ProjectionError):
        tool_result(shown, PLAIN)


def test_case_107_metadata_of_nested_results_is_not_told() -> None:
    assert result_of(ResultNode.of([], Json.of("never shown"))) == {"content": []}


def test_a_root_that_is_a_leaf_has_no_metadata() -> None:
    assert tool_result(AgentDocument.build(TextNode("a")), PLAIN) == {
        "content": [{"type": "text", "text": "a"}]
    }


# ---------------------------------------------------------------- structured content


def test_an_object_is_structured_content() -> None:
    assert result_of(value={"a": {"b": [1]}})["structuredContent"] == {"a": {"b": [1]}}


@pytest.mark.parametrize("value", [[1, 2], "x", 1, 1.5, True])
def test_case_22_any_other_value_is_not_and_is_never_wrapped_unasked(value: object) -> None:
    assert result_of(value=value) == {"content": []}


@pytest.mark.parametrize("value", [[1, 2], "x", None])
def test_a_tool_may_wrap_what_is_no_object(value: object) -> None:
    shown = AgentDocument.build(ResultNode.of([]), value=Json.of(value))
    wrapping = ToolPolicy(scalar="wrap")

    assert tool_result(shown, wrapping)["structuredContent"] == {"result": value}
    assert tool_result(document(value={"a": 1}), wrapping)["structuredContent"] == {"a": 1}


def test_a_tool_whose_objects_are_one_case_of_several_wraps_them_too() -> None:
    wrapping = ToolPolicy(scalar="wrap", wraps=True)
    for value in ({"a": 1}, [1]):
        assert tool_result(document(value=value), wrapping)["structuredContent"] == {
            "result": value
        }


def test_a_tool_may_reject_what_is_no_object() -> None:
    rejecting = ToolPolicy(scalar="reject")

    with pytest.raises(ContractError, match=r"is an object, received \[1, 2\]") as caught:
        tool_result(document(value=[1, 2]), rejecting)

    assert caught.value.code == "invalid-document"
    assert tool_result(document(value={"a": 1}), rejecting)["structuredContent"] == {"a": 1}
    assert tool_result(document(), rejecting) == {"content": []}


@pytest.mark.parametrize("scalar", ["text", "wrap"])
@pytest.mark.parametrize("value", [{"a": 1}, [1]])
def test_never_means_never(scalar: ScalarRule, value: object) -> None:
    never = ToolPolicy(structured=False, scalar=scalar)

    assert "structuredContent" not in tool_result(document(value=value), never)


def test_what_is_handed_out_is_a_copy() -> None:
    shown = document(value={"a": []}, metadata={"b": []})
    first = tool_result(shown, PLAIN)
    first["structuredContent"]["a"].append(1)  # type: ignore[index]  # it is an object
    first["_meta"]["b"].append(1)  # type: ignore[index]  # it is an object

    assert tool_result(shown, PLAIN) == {
        "content": [],
        "structuredContent": {"a": []},
        "_meta": {"b": []},
    }


READERS: dict[str, Callable[[JsonObject], object]] = {
    "structured only": lambda result: result.get("structuredContent", result["content"]),
    "text only": lambda result: result["content"],
    "both": lambda result: (result["content"], result.get("structuredContent")),
}


@pytest.mark.parametrize("reader", READERS)
def test_br_12_a_tool_that_says_never_is_read_by_every_kind_of_host(reader: str) -> None:
    shown = document(TextNode("A"), JsonNode(Json.of({"b": 1})), value={"b": 1})
    result = tool_result(shown, ToolPolicy(structured=False))
    seen = str(READERS[reader](result))

    assert "A" in seen
    assert '{"b":1}' in seen


@pytest.mark.parametrize("reader", READERS)
def test_br_12_by_default_every_reader_has_the_facts_that_are_in_both(reader: str) -> None:
    seen = str(READERS[reader](result_of(TextNode("b is 1"), value={"note": "b is 1"})))

    assert "b is 1" in seen


def test_br_12_no_fact_is_written_twice_unasked() -> None:
    assert "A" not in str(result_of(TextNode("A"), value={"b": 1})["structuredContent"])
    assert "b" not in str(result_of(TextNode("A"), value={"b": 1})["content"])


# ---------------------------------------------------------------- any document


def metadata_of(root: DocumentNode) -> object:
    metadata = root.metadata if isinstance(root, ResultNode) else None
    return {} if metadata is None else metadata.value


@given(strategies.documents(), st.booleans(), st.sampled_from(("text", "wrap")))
def test_every_document_is_a_result_that_the_sdk_reads(
    shown: AgentDocument, structured: bool, scalar: ScalarRule
) -> None:
    policy = ToolPolicy(structured=structured, scalar=scalar)
    try:
        result = tool_result(shown, policy)
    except ProjectionError:
        assert not isinstance(metadata_of(shown.root), dict)
        return
    read = mcp_types.CallToolResult.model_validate(result)

    assert read.is_error is (shown.status != "success")
    assert read.structured_content == result.get("structuredContent")
    assert set(result) <= {"content", "structuredContent", "isError", "_meta"}


# ---------------------------------------------------------------- the stream


def test_only_complete_makes_the_result() -> None:
    projection = ToolProjection(PLAIN, reports=True)
    early, final = document(TextNode("early")), document(TextNode("final"))
    projection.feed(ShellEvent(0, early))
    projection.feed(ErrorEvent(1, Failure("boundary", "x"), "b:0", early))
    projection.feed(ReplaceEvent(2, "b:1", early))
    projection.feed(CompleteEvent(3, final))

    assert projection.finish() == {"content": [{"type": "text", "text": "final"}]}


def test_case_110_a_stream_without_complete_has_no_result() -> None:
    projection = ToolProjection(PLAIN, reports=True)
    projection.feed(ShellEvent(0, document()))

    with pytest.raises(StreamError) as caught:
        projection.finish()

    assert caught.value.code == "stream-incomplete"


def test_without_a_token_nothing_is_reported() -> None:
    projection = ToolProjection(PLAIN, reports=False)

    assert projection.feed(ShellEvent(0, document(ProgressNode()))) == ()
    assert projection.feed(ProgressEvent(1, 5)) == ()


async def test_case_41_a_fallback_makes_one_notification_and_then_comes_the_result() -> None:
    gates = Gates()
    gates.a.set()
    caller = Caller(single(gates))

    assert (await caller.call())["content"] == [
        {"type": "text", "text": "# Shell"},
        {"type": "text", "text": "A ready"},
    ]
    assert caller.reports == [ProgressReport(0, None, "loading-a")]


async def test_case_43_and_97_a_fallback_that_is_streamed_again_says_nothing() -> None:
    gates = Gates()
    gates.b.set()
    caller = Caller(dual(gates))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(caller.call)
        await trio.testing.wait_all_tasks_blocked()
        gates.a.set()

    assert caller.reports == [ProgressReport(0, None, "loading-a")]


async def test_no_document_is_ever_in_a_notification() -> None:
    gates = Gates()
    gates.a.set()
    gates.b.set()
    caller = Caller(nested(gates))
    await caller.call()

    assert {report.message for report in caller.reports} == {"loading-outer"}


async def test_a_fallback_that_comes_later_is_told_when_its_number_is_higher() -> None:
    @component
    async def Later(node: Node) -> Node:
        await trio.sleep(0)
        return node

    inner = Suspense(Later(Agent.Text("done")), fallback=Agent.Progress(2, 3, "second"))
    caller = Caller(Suspense(Later(inner), fallback=Agent.Progress(1, 3, "first")))
    await caller.call()

    assert caller.reports == [ProgressReport(1, 3, "first"), ProgressReport(2, 3, "second")]


async def test_case_25_and_115_a_boundary_that_fails_is_an_error_beside_the_rest() -> None:
    gates = Gates()
    gates.a.set()
    tree = Agent.Result(
        Agent.Result(boom(gates), value={"ready": False}), metadata={"layout": "root"}
    )

    assert await Caller(tree).call() == {
        "content": [
            {"type": "text", "text": "# Shell"},
            {"type": "text", "text": "[boundary] boundary failed"},
        ],
        "structuredContent": {"ready": False},
        "isError": True,
        "_meta": {"layout": "root"},
    }


async def test_a_document_that_cannot_be_told_fails_the_invocation_by_name() -> None:
    tree = Agent.Result(ImageNode(data="aGk=", mime_type="image/png"))
    caller = Caller(tree, policy=ToolPolicy(image="refuse"))

    with pytest.raises(InvocationError) as caught:
        await caller.call()

    assert caught.value.code == "unsupported-rich-content"


async def test_a_plain_document_goes_through() -> None:
    assert await Caller(ready(), reports=False).call() == {
        "content": [{"type": "text", "text": "# Ready"}],
        "structuredContent": {"ready": True},
    }
