"""Leaves without media: their rules, their wire form and their totals."""

from __future__ import annotations

import json
from typing import Any, get_args

import attrs
import pytest
from hypothesis import given

from tests.strategies import jsons, leaves, progress, texts
from trio_agent.errors import ContractError
from trio_agent.vocabulary.field import Annotations
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextKind,
    TextNode,
    progress_members,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode
from trio_agent.vocabulary.node import LEAVES, LeafNode

TEXT_NODES = [MarkdownNode, TextNode, ContextNode]
NOTES = Annotations(audience=("user", "assistant"), priority=1)
NODES: list[tuple[LeafNode, dict[str, object]]] = [
    (MarkdownNode("# A"), {"kind": "markdown", "text": "# A"}),
    (TextNode(""), {"kind": "text", "text": ""}),
    (
        ContextNode("c", NOTES),
        {
            "kind": "context",
            "text": "c",
            "annotations": {"audience": ["user", "assistant"], "priority": 1},
        },
    ),
    (JsonNode(Json.of({"a": [1]})), {"kind": "json", "value": {"a": [1]}}),
    (
        JsonNode(Json.of(None), Annotations()),
        {"kind": "json", "value": None, "annotations": {}},
    ),
    (ProgressNode(), {"kind": "progress", "completed": 0}),
    (
        ProgressNode(2, 2, "done"),
        {"kind": "progress", "completed": 2, "total": 2, "message": "done"},
    ),
    (ErrorNode("E_GONE", ""), {"kind": "error", "code": "E_GONE", "message": ""}),
]


def refusal(make: Any, *args: object) -> str:
    with pytest.raises(ContractError) as caught:
        make(*args)
    assert caught.value.code == "invalid-document"
    return caught.value.message


def test_the_union_and_the_set_of_leaves_are_one_list() -> None:
    assert set(get_args(LeafNode)) == LEAVES
    assert len(LEAVES) == 9


def test_every_leaf_has_a_kind_of_its_own() -> None:
    kinds = {str(getattr(leaf, "kind", None)) for leaf in LEAVES}

    assert kinds == {
        "markdown",
        "text",
        "context",
        "json",
        "progress",
        "image",
        "audio",
        "resource",
        "error",
    }
    assert {str(getattr(one, "kind", None)) for one in TEXT_NODES} == set(get_args(TextKind))


@pytest.mark.parametrize(("node", "wire"), NODES, ids=[repr(node) for node, _ in NODES])
def test_a_leaf_writes_its_members_kind_first_and_absent_ones_not_at_all(
    node: LeafNode, wire: dict[str, object]
) -> None:
    assert node.wire_text() == json.dumps(wire, separators=(",", ":"))


@given(leaves())
def test_the_totals_of_a_leaf_are_those_of_its_text(leaf: LeafNode) -> None:
    assert leaf.size + leaf.media == len(leaf.wire_text().encode())


@given(leaves())
def test_a_leaf_is_one_node_on_one_level_unless_json_hangs_on_it(leaf: LeafNode) -> None:
    if isinstance(leaf, JsonNode):
        assert leaf.nodes == 1 + leaf.value.nodes
        assert leaf.height == leaf.value.depth
    else:
        assert (leaf.nodes, leaf.height) == (1, 1)
    assert leaf.errors == (1 if isinstance(leaf, ErrorNode) else 0)
    assert (leaf.media > 0) == (
        isinstance(leaf, (ImageNode, AudioNode))
        or (isinstance(leaf, ResourceNode) and leaf.blob is not None)
    )


@given(leaves())
def test_leaves_are_equal_by_their_fields(leaf: LeafNode) -> None:
    again = attrs.evolve(leaf)

    assert again is not leaf
    assert again == leaf
    assert hash(again) == hash(leaf)


def test_leaves_of_different_kinds_are_different() -> None:
    assert len({MarkdownNode("a"), TextNode("a"), ContextNode("a"), TextNode("a", NOTES)}) == 4


@pytest.mark.parametrize("leaf", [node for node, _ in NODES], ids=repr)
@pytest.mark.parametrize("name", ["kind", "text", "value", "size", "completed", "new"])
def test_a_leaf_is_frozen(leaf: LeafNode, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(leaf, name, "other")


@pytest.mark.parametrize("make", TEXT_NODES)
@pytest.mark.parametrize("value", [None, 3, b"a", ["a"]], ids=repr)
def test_text_is_a_string(make: Any, value: object) -> None:
    assert refusal(make, value) == f"{make.kind} text is a string, received {value!r}"


@pytest.mark.parametrize("make", [*TEXT_NODES, JsonNode])
def test_annotations_are_of_their_class(make: Any) -> None:
    text = Json.of(1) if make is JsonNode else "a"

    assert refusal(make, text, {"priority": 1}) == (
        "annotations is an instance of Annotations, received {'priority': 1}"
    )


@given(texts())
def test_the_size_of_text_needs_no_wire_text(text: str) -> None:
    for make in (MarkdownNode, TextNode, ContextNode):
        node = make(text, NOTES)
        assert node.size == len(node.wire_text().encode())


def test_json_comes_through_the_gate() -> None:
    assert refusal(JsonNode, {"a": 1}) == "json value is an instance of Json, received {'a': 1}"


@given(jsons())
def test_json_stands_in_the_node_as_it_is(value: Json) -> None:
    assert JsonNode(value).wire_text() == f'{{"kind":"json","value":{value.text}}}'


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((3, 2), "progress completed is at most its total 2, received 3"),
        (("3",), "progress completed is a finite number that is not negative, received '3'"),
        ((0, None, "  "), "progress message is a string that is not blank, received '  '"),
    ],
)
def test_progress_keeps_its_rules(args: tuple[object, ...], expected: str) -> None:
    assert refusal(ProgressNode, *args) == expected


@given(progress())
def test_progress_is_written_as_json_reads_it(
    fields: tuple[float, float | None, str | None],
) -> None:
    names = ("completed", "total", "message")
    present = {k: v for k, v in zip(names, fields, strict=True) if v is not None}

    assert json.loads(f"{{{progress_members(*fields)}}}") == present


@pytest.mark.parametrize("code", ["", " ", None, 404], ids=repr)
def test_an_error_has_a_code_that_is_not_blank(code: object) -> None:
    assert refusal(ErrorNode, code, "gone") == (
        f"error code is a string that is not blank, received {code!r}"
    )


@pytest.mark.parametrize("message", [None, ValueError("x")], ids=repr)
def test_an_error_has_a_message_which_may_be_empty(message: object) -> None:
    assert ErrorNode("E", "").message == ""
    assert refusal(ErrorNode, "E", message) == (f"error message is a string, received {message!r}")


def test_an_error_keeps_its_code_untrimmed() -> None:
    assert ErrorNode(" E ", "").code == " E "
