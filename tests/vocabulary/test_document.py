"""Documents: built by hand, held against limits, written and read."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given

from tests.strategies import documents
from trio_agent.errors import ContractError, LimitError
from trio_agent.limits import Limits
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
from trio_agent.vocabulary.result import DocumentNode, ResultNode

TEXT = TextNode("a")
WIRE: dict[str, object] = {
    "version": 1,
    "status": "success",
    "root": {"kind": "text", "text": "a"},
}


def refusal(call: Any, *args: object, **kwargs: object) -> str:
    with pytest.raises(ContractError) as caught:
        call(*args, **kwargs)
    assert caught.value.code == "invalid-document"
    return caught.value.message


# ---------------------------------------------------------------- building


def test_a_document_holds_every_kind_and_none_of_what_its_author_changes_later() -> None:
    value = {"nested": ["stable"]}
    children: list[DocumentNode] = [
        MarkdownNode("# A"),
        TextNode("t"),
        ContextNode("c"),
        JsonNode(Json.of(value)),
        ProgressNode(1, 2, "half"),
        ImageNode(data="QQ==", mime_type="image/png"),
        AudioNode(data="QQ==", mime_type="audio/wav"),
        ResourceNode(uri="u", name="n"),
        ErrorNode("E", ""),
        ResultNode.of([], Json.of(None)),
    ]
    document = AgentDocument.build(
        ResultNode.of(children, Json.of({"m": value})),
        status="represented-error",
        value=Json.of(value),
    )
    before = document.to_wire()
    children.append(TEXT)
    value["nested"].append("changed")

    assert document.to_wire() == before
    assert document == AgentDocument.from_wire(before)
    root: Any = before["root"]
    assert [child["kind"] for child in root["children"]] == [node.kind for node in children[:-1]]
    assert before["value"] == root["metadata"]["m"] == {"nested": ["stable"]}


@pytest.mark.parametrize(
    ("root", "status"),
    [
        (TEXT, "success"),
        (ErrorNode("E", ""), "represented-error"),
        (ResultNode.of([TEXT]), "success"),
        (ResultNode.of([ResultNode.of([ErrorNode("E", "")])]), "represented-error"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.wire_text(),
)
def test_the_nodes_say_which_status_it_is(root: DocumentNode, status: str) -> None:
    assert AgentDocument.build(root).status == status


def test_a_status_that_is_given_is_not_held_against_the_nodes() -> None:
    assert AgentDocument.build(TEXT, status="failed").status == "failed"
    assert AgentDocument.build(ErrorNode("E", ""), status="success").status == "success"


@pytest.mark.parametrize("status", ["ok", "", 3, ["success"]], ids=repr)
def test_an_unknown_status_is_refused(status: object) -> None:
    expected = f"status is one of success, represented-error, failed, received {status!r}"

    assert refusal(AgentDocument.build, TEXT, status=status) == expected
    assert refusal(AgentDocument.from_wire, WIRE | {"status": status}) == expected


@pytest.mark.parametrize("root", [None, "text", {"kind": "text"}, TextNode], ids=repr)
def test_a_root_is_a_node(root: object) -> None:
    assert refusal(AgentDocument.build, root) == f"root is a node, received {root!r}"


def test_a_value_comes_through_the_gate() -> None:
    assert refusal(AgentDocument.build, TEXT, value={"a": 1}) == (
        "value is an instance of Json, received {'a': 1}"
    )


def test_a_value_that_is_absent_differs_from_null() -> None:
    assert "value" not in AgentDocument.build(TEXT).to_wire()
    assert AgentDocument.build(TEXT, value=Json.of(None)).to_wire()["value"] is None
    assert AgentDocument.from_wire(WIRE).value is None
    assert AgentDocument.from_wire(WIRE | {"value": None}).value == Json.of(None)


# ---------------------------------------------------------------- wire form


@given(documents())
def test_the_totals_of_a_document_are_those_of_its_text(document: AgentDocument) -> None:
    assert document.size + document.root.media == len(document.wire_text().encode())


@given(documents())
def test_a_document_comes_back_from_its_wire_form(document: AgentDocument) -> None:
    again = AgentDocument.from_wire(document.to_wire())

    assert again == document
    assert hash(again) == hash(document)
    assert again.wire_text() == document.wire_text()


def test_the_wire_form_is_a_fresh_copy() -> None:
    document = AgentDocument.from_wire(WIRE)
    document.to_wire().clear()

    assert document.to_wire() == WIRE


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (None, "document is an object, received None"),
        ([], "document is an object, received []"),
        ({}, "document.version is missing"),
        ({"version": 1, "status": "success"}, "document.root is missing"),
        ({"version": 1, "root": WIRE["root"]}, "document.status is missing"),
        (WIRE | {"version": 2}, "version is 1, received 2"),
        (WIRE | {"version": True}, "version is 1, received True"),
        (WIRE | {"version": 1.0}, "version is 1, received 1.0"),
        (WIRE | {"title": "a"}, "document has the unknown member 'title'"),
        (WIRE | {"root": None}, "root is an object, received None"),
        (WIRE | {"value": {"a": {1}}}, "value.a is an instance of builtins.set, which is not JSON"),
    ],
    ids=repr,
)
def test_reading_is_strict(wire: object, expected: str) -> None:
    assert refusal(AgentDocument.from_wire, wire) == expected


# ---------------------------------------------------------------- limits

NESTED = ResultNode.of([ResultNode.of([ResultNode.of([])])])
PICTURE = ResultNode.of([ImageNode(data="QUFB", mime_type="image/png")])


@pytest.mark.parametrize(
    ("root", "value", "name", "has"),
    [
        (TEXT, None, "max_document_bytes", 66),
        (TEXT, [1], "max_document_bytes", 78),
        (PICTURE, None, "max_media_bytes", 4),
        (NESTED, None, "max_document_depth", 3),
        (NESTED, [[[]]], "max_document_depth", 3),
        (TEXT, {"a": [1]}, "max_document_depth", 3),
        (NESTED, None, "max_document_nodes", 3),
        (NESTED, {"a": [1, 2]}, "max_document_nodes", 7),
    ],
)
def test_exactly_at_a_limit_is_fine_and_one_more_is_not(
    root: DocumentNode, value: object, name: str, has: int
) -> None:
    code = {
        "max_document_bytes": "document-bytes-exceeded",
        "max_media_bytes": "media-bytes-exceeded",
        "max_document_depth": "document-depth-exceeded",
        "max_document_nodes": "document-node-count-exceeded",
    }[name]
    frozen = None if value is None else Json.of(value)
    at_most: dict[str, Any] = {name: has}
    one_less: dict[str, Any] = {name: has - 1}
    document = AgentDocument.build(root, value=frozen, limits=Limits(**at_most))

    for refused in (
        lambda: AgentDocument.build(root, value=frozen, limits=Limits(**one_less)),
        lambda: AgentDocument.from_wire(document.to_wire(), limits=Limits(**one_less)),
        lambda: document.check(Limits(**one_less)),
    ):
        with pytest.raises(LimitError) as caught:
            refused()
        assert caught.value.code == code
        assert caught.value.message == f"the document has {has}, {name} is {has - 1}"


def test_the_size_of_a_document_is_that_of_its_text() -> None:
    assert AgentDocument.build(TEXT).size == len(
        '{"version":1,"status":"success","root":{"kind":"text","text":"a"}}'
    )


def test_the_default_limits_apply_when_none_are_given() -> None:
    with pytest.raises(LimitError) as caught:
        AgentDocument.build(TextNode("x" * 1_048_576))

    assert caught.value.code == "document-bytes-exceeded"


@pytest.mark.parametrize("name", ["version", "status", "root", "value", "size", "new"])
def test_a_document_is_frozen(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(AgentDocument.build(TEXT), name, None)


def test_documents_are_equal_by_their_fields() -> None:
    document = AgentDocument.build(TEXT, value=Json.of(1))

    assert attrs.evolve(document) == document
    assert attrs.evolve(document, status="failed") != document
    assert attrs.evolve(document, value=None) != document
