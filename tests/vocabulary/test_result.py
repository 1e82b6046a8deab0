"""The rope: children in chunks, totals that add up, texts that are not made twice."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from tests.strategies import leaves, nodes, optional_jsons, results
from trio_agent.errors import ContractError
from trio_agent.limits import DEEPEST
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, JsonNode, TextNode
from trio_agent.vocabulary.media import ImageNode
from trio_agent.vocabulary.result import Chunk, DocumentNode, ResultNode

A, B, C = TextNode("a"), TextNode("b"), TextNode("c")


def rope(*chunks: Chunk, metadata: Json | None = None) -> ResultNode:
    """The result of these chunks, as an assembler makes it."""
    totals = ResultNode.of([node for chunk in chunks for node in chunk.nodes], metadata)
    return ResultNode(chunks, metadata, size=totals.size, media=totals.media, errors=totals.errors)


def deep(levels: int) -> ResultNode:
    node = ResultNode.of([])
    for _ in range(levels - 1):
        node = ResultNode.of([node, A])
    return node


# ---------------------------------------------------------------- totals


@given(nodes(max_leaves=20))
def test_the_totals_of_a_node_are_those_of_its_text(node: DocumentNode) -> None:
    assert node.size + node.media == len(node.wire_text().encode())


@given(st.lists(leaves(), max_size=4), optional_jsons())
def test_a_result_adds_up_what_is_in_it(
    children: list[DocumentNode], metadata: Json | None
) -> None:
    outer = ResultNode.of([ResultNode.of(children, metadata), A])

    assert outer.media == sum(child.media for child in children)
    assert outer.errors == sum(child.errors for child in children)
    own = 0 if metadata is None else metadata.nodes
    assert outer.nodes == 3 + own + sum(child.nodes for child in children)


def test_errors_are_counted_at_any_depth() -> None:
    error = ErrorNode("E", "")

    assert ResultNode.of([error, ResultNode.of([ResultNode.of([error]), A])]).errors == 2


@pytest.mark.parametrize(
    ("node", "height"),
    [
        (ResultNode.of([]), 1),
        (ResultNode.of([A, B]), 2),
        (ResultNode.of([A, ResultNode.of([B]), C]), 3),
        (ResultNode.of([JsonNode(Json.of([[1]]))]), 4),
        (ResultNode.of([], Json.of(1)), 1),
        (ResultNode.of([], Json.of({"a": 1})), 2),
        (ResultNode.of([A], Json.of({"a": [1]})), 3),
        (ResultNode.of([ResultNode.of([A])], Json.of([1])), 3),
    ],
    ids=lambda value: value.wire_text() if isinstance(value, ResultNode) else None,
)
def test_json_nests_on_where_it_hangs(node: ResultNode, height: int) -> None:
    assert node.height == height


# ---------------------------------------------------------------- wire form


def test_metadata_that_is_absent_differs_from_null() -> None:
    without, null = ResultNode.of([A]), ResultNode.of([A], Json.of(None))

    assert without != null
    assert json.loads(without.wire_text()) == {
        "kind": "result",
        "children": [{"kind": "text", "text": "a"}],
    }
    assert json.loads(null.wire_text())["metadata"] is None


@given(results(nodes()))
def test_how_the_children_are_cut_is_not_seen(cut: ResultNode) -> None:
    whole = ResultNode.of(cut.children, cut.metadata)

    assert cut == whole
    assert hash(cut) == hash(whole)
    assert cut.wire_text() == whole.wire_text()
    assert (cut.size, cut.nodes, cut.height) == (whole.size, whole.nodes, whole.height)


def test_chunks_without_nodes_leave_no_comma() -> None:
    empty = Chunk(())

    assert rope(empty, Chunk((A, B)), empty, Chunk((C,)), empty).wire_text() == (
        ResultNode.of([A, B, C]).wire_text()
    )
    assert rope(empty).wire_text() == '{"kind":"result","children":[]}'


# ---------------------------------------------------------------- the rope


def test_the_text_of_a_chunk_is_made_once() -> None:
    chunk = Chunk((A, B))

    assert chunk.wire_text() is chunk.wire_text()
    assert chunk.wire_text() == f"{A.wire_text()},{B.wire_text()}"


def test_a_chunk_that_stays_is_not_written_again() -> None:
    class Counted:
        asked = 0

        def wire_text(self) -> str:
            self.asked += 1
            return "{}"

    counted: Any = Counted()
    stays = Chunk((counted,))
    for fresh in (A, B, C):
        ResultNode((stays, Chunk((fresh,))), None, size=0, media=0, errors=0).wire_text()

    assert counted.asked == 1


def test_the_children_of_several_chunks_are_one_tuple_made_once() -> None:
    node = rope(Chunk((A, B)), Chunk((C,)))

    assert node.children == (A, B, C)
    assert node.children is node.children


def test_the_children_of_one_chunk_are_its_nodes() -> None:
    chunk = Chunk((A, B))

    assert rope(chunk).children is chunk.nodes


def test_children_are_detached_from_what_they_came_in() -> None:
    given_: list[DocumentNode] = [A]
    node = ResultNode.of(given_)
    given_.append(B)

    assert node.children == (A,)
    assert ResultNode.of(iter([A, B])).children == (A, B)


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize(
    "child", [None, "text", 3, {"kind": "text", "text": "a"}, [A], TextNode], ids=repr
)
def test_a_child_is_a_node(child: Any) -> None:
    with pytest.raises(ContractError) as caught:
        ResultNode.of([A, child])

    assert caught.value.code == "invalid-document"
    assert caught.value.message.startswith("result children[1] is a node, received ")


def test_metadata_comes_through_the_gate() -> None:
    metadata: Any = {"a": 1}
    with pytest.raises(ContractError) as caught:
        ResultNode.of([], metadata)

    assert caught.value.message == ("result metadata is an instance of Json, received {'a': 1}")


@pytest.mark.parametrize("name", ["kind", "children", "metadata", "size", "_chunks", "new"])
def test_a_result_is_frozen(name: str) -> None:
    node = ResultNode.of([A])
    with pytest.raises(AttributeError, match=f"a document is frozen; {name} cannot be set"):
        setattr(node, name, ())
    with pytest.raises(AttributeError, match=f"a document is frozen; {name} cannot be deleted"):
        delattr(node, name)


@given(results(leaves()), results(leaves()))
def test_results_are_equal_when_their_wire_forms_are(one: ResultNode, two: ResultNode) -> None:
    if one.wire_text() == two.wire_text():
        assert one == two
        assert hash(one) == hash(two)
    assert one != one.wire_text()
    assert one != ResultNode.of([*one.children, A], one.metadata)
    assert one != ResultNode.of(one.children, Json.of([one.wire_text()]))


def test_a_result_shows_what_is_in_it() -> None:
    assert repr(ResultNode.of([A], Json.of(1))) == (
        "ResultNode(children=(TextNode(text='a', annotations=None),), metadata=Json(text='1'))"
    )


def test_a_tree_may_be_as_deep_as_the_deepest_limit() -> None:
    node, again = deep(DEEPEST), deep(DEEPEST)

    assert node.height == DEEPEST
    assert node.nodes == 2 * DEEPEST - 1
    assert node.size == len(node.wire_text())
    assert node == again
    assert hash(node) == hash(again)


def test_media_is_left_out_of_the_size_of_a_result() -> None:
    image = ImageNode(data="QUFB" * 10, mime_type="image/png")
    node = ResultNode.of([image, A])

    assert node.media == 40
    assert node.size == len(node.wire_text()) - 40
    assert attrs.fields_dict(ImageNode)["size"].eq is False
