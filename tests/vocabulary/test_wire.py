"""Reading nodes back: what was written comes back, and everything else is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, note, strategies as st

from tests.strategies import json_values, nodes
from trio_agent.errors import ContractError, LimitError
from trio_agent.limits import DEEPEST
from trio_agent.vocabulary.leaf import ErrorNode, JsonNode, ProgressNode, TextNode
from trio_agent.vocabulary.media import ResourceNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode
from trio_agent.vocabulary.wire import node_from_wire, node_to_wire, read_members, refuse_null

TEXT: dict[str, object] = {"kind": "text", "text": "a"}
IMAGE: dict[str, object] = {"kind": "image", "data": "QQ==", "mimeType": "image/png"}
LINK: dict[str, object] = {"kind": "resource", "uri": "u", "name": "n"}
KINDS = "result, markdown, text, context, json, progress, image, audio, resource, error"


def refusal(wire: object) -> str:
    with pytest.raises(ContractError) as caught:
        node_from_wire(wire)
    assert caught.value.code == "invalid-document"
    return caught.value.message


def result(*children: object, **members: object) -> dict[str, object]:
    return {"kind": "result", "children": list(children), **members}


def deep(levels: int) -> dict[str, object]:
    node = result()
    for _ in range(levels - 1):
        node = result(node)
    return node


# ---------------------------------------------------------------- round trips


@given(nodes(max_leaves=20))
def test_a_node_comes_back_from_its_wire_form(node: DocumentNode) -> None:
    again = node_from_wire(node_to_wire(node))

    assert again == node
    assert again.wire_text() == node.wire_text()
    assert (again.size, again.media, again.nodes, again.height, again.errors) == (
        node.size,
        node.media,
        node.nodes,
        node.height,
        node.errors,
    )


def test_the_wire_form_is_a_fresh_copy() -> None:
    node = TextNode("a")
    node_to_wire(node).clear()

    assert node_to_wire(node) == TEXT


@given(nodes())
def test_reading_changes_nothing_and_keeps_nothing(node: DocumentNode) -> None:
    wire = node_to_wire(node)
    again = node_from_wire(wire)

    assert wire == node_to_wire(node)
    wire.clear()
    assert again == node


def test_tuples_count_as_lists() -> None:
    assert node_from_wire({"kind": "result", "children": (TEXT,)}) == ResultNode.of([TextNode("a")])


def test_a_node_may_be_shared() -> None:
    shared = result(TEXT)

    assert node_from_wire(result(shared, shared)) == node_from_wire(
        result(result(TEXT), result(TEXT))
    )


# ---------------------------------------------------------------- what is refused


@given(
    st.sampled_from([TEXT, IMAGE, LINK]),
    st.dictionaries(st.sampled_from([*IMAGE, *LINK, "text", "size"]), json_values()),
)
def test_any_object_is_a_node_or_one_clear_error(
    good: dict[str, object], changes: dict[str, object]
) -> None:
    wire = good | changes
    try:
        node = node_from_wire(wire)
    except ContractError as error:
        note(error.message)
    else:
        assert node_to_wire(node) == wire


@pytest.mark.parametrize("wire", [None, 3, "text", [], [TEXT], TextNode("a")], ids=repr)
def test_a_node_is_an_object(wire: object) -> None:
    assert refusal(wire) == f"root is an object, received {wire!r}"
    assert refusal(result(TEXT, wire)) == f"root.children[1] is an object, received {wire!r}"


@pytest.mark.parametrize("kind", ["Text", "div", None, 3, ["text"], {}], ids=repr)
def test_a_kind_is_one_of_ten(kind: object) -> None:
    expected = f"kind is one of {KINDS}, received {kind!r}"

    assert refusal({"kind": kind, "text": "a"}) == f"root.{expected}"
    assert refusal(result(result({"kind": kind}))) == f"root.children[0].children[0].{expected}"


def test_a_kind_has_to_be_there() -> None:
    assert refusal({"text": "a"}) == f"root.kind is one of {KINDS}, received None"


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ({"kind": "markdown"}, "text"),
        ({"kind": "text"}, "text"),
        ({"kind": "context"}, "text"),
        ({"kind": "json"}, "value"),
        ({"kind": "progress", "total": 3}, "completed"),
        ({"kind": "image", "mimeType": "a/b"}, "data"),
        ({"kind": "audio", "data": "QQ=="}, "mimeType"),
        ({"kind": "resource", "name": "n"}, "uri"),
        ({"kind": "resource", "uri": "u"}, "name"),
        ({"kind": "error", "message": ""}, "code"),
        ({"kind": "error", "code": "E"}, "message"),
        ({"kind": "result"}, "children"),
    ],
    ids=repr,
)
def test_a_required_member_is_missed(wire: dict[str, object], name: str) -> None:
    assert refusal(result(wire)) == f"root.children[0].{name} is missing"


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        (TEXT | {"size": 3}, "size"),
        (TEXT | {"alt": "a"}, "alt"),
        (TEXT | {"self": 3}, "self"),
        (IMAGE | {"mime_type": "a/b"}, "mime_type"),
        (LINK | {"byte_size": 3}, "byte_size"),
        ({"kind": "error", "code": "E", "message": "", "annotations": {}}, "annotations"),
        ({"kind": "progress", "completed": 0, "source": "a"}, "source"),
        (result(value=3), "value"),
        (TEXT | {3: 4}, 3),
    ],
    ids=repr,
)
def test_an_unknown_member_is_refused(wire: dict[str, object], name: object) -> None:
    assert refusal(result(wire)) == f"root.children[0] has the unknown member {name!r}"


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        (TEXT | {"annotations": None}, "annotations"),
        (TEXT | {"text": None}, "text"),
        ({"kind": "progress", "completed": 0, "total": None}, "total"),
        (IMAGE | {"alt": None}, "alt"),
        (LINK | {"size": None}, "size"),
    ],
    ids=repr,
)
def test_null_is_not_absent(wire: dict[str, object], name: str) -> None:
    assert refusal(wire) == f"root.{name} is null; a member without a value is left out"


def test_json_and_metadata_may_be_null() -> None:
    node = node_from_wire(result({"kind": "json", "value": None}, metadata=None))

    assert isinstance(node, ResultNode)
    assert node.metadata is not None
    assert node.metadata.text == "null"
    assert isinstance(node.children[0], JsonNode)


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (TEXT | {"text": 3}, "root: text text is a string, received 3"),
        ({"kind": "error", "code": " ", "message": ""}, "root: error code is a string that is"),
        ({"kind": "progress", "completed": 3, "total": 2}, "root: progress completed is at most"),
        (IMAGE | {"data": "?"}, "root: image data is base64 without line breaks, received '?'"),
        (IMAGE | {"mimeType": "png"}, "root: image mimeType is a MIME type such as"),
        (LINK | {"size": -1}, "root: resource size is an integer from 0 to"),
        (LINK | {"text": "", "blob": "QQ=="}, "root: resource content of 'u' is text or blob"),
        ({"kind": "json", "value": {"a": {1}}}, "root.value.a is an instance of builtins.set"),
        ({"kind": "json", "value": [2**53]}, "root.value[0] is an integer beyond"),
        (result(metadata={"a": float("nan")}), "root.metadata.a is a non-finite number"),
        (result() | {"children": {}}, "root.children is a list, received {}"),
        (result() | {"children": "ab"}, "root.children is a list, received 'ab'"),
        (TEXT | {"annotations": []}, "root: annotations is an object, received []"),
        (
            TEXT | {"annotations": {"level": 3}},
            "root: annotations has the unknown member 'level'",
        ),
        (
            TEXT | {"annotations": {"priority": None}},
            "root: annotations.priority is null; a member",
        ),
        (TEXT | {"annotations": {"priority": 2}}, "root: annotations priority is between 0 and 1"),
        (
            TEXT | {"annotations": {"audience": "user"}},
            "root: annotations audience is a list, received 'user'",
        ),
        (
            TEXT | {"annotations": {"audience": [["user"]]}},
            "root: annotations audience is user or assistant, received ['user']",
        ),
        (
            TEXT | {"annotations": {"last_modified": "now"}},
            "root: annotations has the unknown member 'last_modified'",
        ),
    ],
    ids=repr,
)
def test_a_member_of_a_wrong_type_is_refused(wire: object, expected: str) -> None:
    assert refusal(wire).startswith(expected)
    assert refusal(result(TEXT, wire)).startswith(expected.replace("root", "root.children[1]", 1))


def test_members_have_their_wire_names() -> None:
    assert node_from_wire(LINK | {"mimeType": "a/b", "size": 3, "annotations": {}}) != (
        ResourceNode(uri="u", name="n", mime_type="a/b", byte_size=3)
    )
    assert node_from_wire(LINK | {"mimeType": "a/b", "size": 3}) == (
        ResourceNode(uri="u", name="n", mime_type="a/b", byte_size=3)
    )
    assert node_from_wire({"kind": "progress", "completed": 1}) == ProgressNode(1)
    assert node_from_wire({"kind": "error", "code": "E", "message": ""}) == ErrorNode("E", "")


def test_a_node_that_is_its_own_ancestor_is_refused() -> None:
    around = result(TEXT)
    children: Any = around["children"]
    children.append(result(around))

    assert refusal(around) == "root.children[1].children[0] is one of its own ancestors"


def test_a_tree_may_be_as_deep_as_the_deepest_limit_and_no_deeper() -> None:
    assert node_from_wire(deep(DEEPEST)).height == DEEPEST

    with pytest.raises(LimitError, match="is deeper than 256 levels") as caught:
        node_from_wire(deep(DEEPEST + 1))
    assert caught.value.code == "document-depth-exceeded"
    assert len(caught.value.message) < 200


def test_members_are_read_as_a_copy() -> None:
    wire = {"a": 1, "b": None}
    members = read_members(wire, "here", required=("a",), optional=("b",))
    members.clear()

    assert wire == {"a": 1, "b": None}


def test_null_is_refused_by_the_name_of_its_member() -> None:
    refuse_null({"a": 0, "b": ""}, "here")
    with pytest.raises(ContractError, match=r"^here\.b is null"):
        refuse_null({"a": 0, "b": None}, "here")
