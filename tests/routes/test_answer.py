"""Answers: nodes or data, by the return annotation alone."""

import datetime as dt
import enum
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, Optional, cast

import attrs
import pytest
from hypothesis import given, strategies as st

import trio_agent
from trio_agent import Agent, Node
from trio_agent.errors import ContractError
from trio_agent.routes.answer import Answer, read_answer
from trio_agent.routes.plugin import PluginError
from trio_agent.vocabulary.element import AnyElement, Element, ResultElement
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import JsonNode, TextNode
from trio_agent.vocabulary.node import LeafNode


@attrs.frozen
class Receipt:
    files: int
    root: Path = Path("x")


class Colour(enum.Enum):
    RED = "red"


def returning(annotation: object) -> FunctionType:
    def run() -> object: ...

    run.__annotations__["return"] = annotation
    return cast("FunctionType", run)


def read(annotation: object, result: object = None) -> Answer:
    return read_answer(returning(annotation), "run", result)


@pytest.mark.parametrize(
    "annotation",
    [
        Node,
        AnyElement,
        LeafNode,
        Element,
        TextNode,
        TextNode | None,
        Element | TextNode,
        list[Node],
        Sequence[Node],
        tuple[Node, ...],
        Optional[Node],  # noqa: UP045  # the spelling under test
        Annotated[Node, "a note"],
        "Node",
        "Node | None",
        "list[Node]",
        "trio_agent.Node",
        "ResultElement",
        "AnyElement | TextNode",
        "only_for_checkers.Node",
    ],
)
def test_node_annotations_mean_nodes_and_result_names_the_value(annotation: object) -> None:
    assert trio_agent.Node is Node
    assert read(annotation) == Answer(is_nodes=True, declared=None)
    assert read(annotation, Receipt) == Answer(is_nodes=True, declared=Receipt)


@pytest.mark.parametrize(
    ("annotation", "declared"),
    [
        (str, str),
        ("int", int),
        (Receipt, Receipt),
        ("list[Receipt]", list[Receipt]),
        (str | None, str | None),
        (dict[str, int], dict[str, int]),
        (None, type(None)),
        ("type(None)", type(None)),
        (object, object),
        (Any, Any),
        (tuple[()], tuple[()]),
        (list, list),
        (Annotated[int, "a note"], Annotated[int, "a note"]),
    ],
)
def test_any_other_annotation_means_data_of_that_type(annotation: object, declared: object) -> None:
    assert read(annotation) == Answer(is_nodes=False, declared=declared)


@pytest.mark.parametrize("annotation", ["Node | int", TextNode | Receipt, "list[Node | int]"])
def test_nodes_and_data_together_are_refused(annotation: object) -> None:
    with pytest.raises(PluginError, match="run returns either nodes or data, received ->"):
        read(annotation)


def test_a_function_without_return_annotation_is_named() -> None:
    def run():  # type: ignore[no-untyped-def]  # wrong on purpose
        ...

    with pytest.raises(PluginError, match="greet has no return annotation: write -> Node"):
        read_answer(cast("FunctionType", run), "greet", None)


@pytest.mark.parametrize(
    ("annotation", "error"), [("Missing", "NameError"), ("1 +", "SyntaxError")]
)
def test_an_annotation_that_cannot_be_resolved_is_shown(annotation: str, error: str) -> None:
    with pytest.raises(PluginError, match=f"{error}: ") as caught:
        read(annotation)
    assert f"run has the return annotation {annotation!r}" in caught.value.message
    assert ("TYPE_CHECKING" in caught.value.message) == (error == "NameError")


def test_result_beside_data_is_refused() -> None:
    with pytest.raises(PluginError, match="result= is for handlers that return nodes"):
        read(str, Receipt)


# ------------------------------------------------------------------------------ to_node


def test_nodes_are_rendered_as_they_are() -> None:
    node = [Agent.Text("a"), None]
    assert read(Node).to_node(node) is node


@pytest.mark.parametrize(
    ("annotation", "data", "content", "value"),
    [
        (str, "a *b*", TextNode("a *b*"), '"a *b*"'),
        (Path, Path("a"), TextNode("a"), '"a"'),
        (Colour, Colour.RED, TextNode("red"), '"red"'),
        (uuid.UUID, uuid.UUID(int=0), TextNode(str(uuid.UUID(int=0))), f'"{uuid.UUID(int=0)}"'),
        (list[dt.date], [dt.date(2026, 1, 31)], None, '["2026-01-31"]'),
        (int, 3, None, "3"),
        (bool, False, None, "false"),
        (Receipt, Receipt(2), None, '{"files":2,"root":"x"}'),
        (dict[str, object], {"a": (1, None)}, None, '{"a":[1,null]}'),
        (str | None, None, None, "null"),
    ],
)
def test_data_becomes_a_result_with_its_value_and_content(
    annotation: object, data: object, content: TextNode | None, value: str
) -> None:
    json = Json.parse(value)
    node = cast("ResultElement", read(annotation).to_node(data))
    assert (node.children, node.value) == ((content or JsonNode(json),), json)


def test_a_handler_that_returns_nothing_has_a_null_value_and_no_content() -> None:
    node = cast("ResultElement", read(None).to_node(None))
    assert (node.children, node.value) == ((), Json.of(None))


@pytest.mark.parametrize("data", [{1, 2}, b"bytes", float("nan"), 2**60, {1: {2}}, object()])
def test_data_without_a_json_form_is_refused_with_its_path(data: object) -> None:
    with pytest.raises(ContractError, match=r"^value") as caught:
        read(object).to_node(data)
    assert caught.value.code == "invalid-document"


def scalars() -> st.SearchStrategy[object]:
    return st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3)


@given(
    data=st.recursive(scalars(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_any_json_is_its_own_value(data: object) -> None:
    node = cast("ResultElement", read(object).to_node(data))
    assert node.value == Json.of(data)
    (content,) = node.children
    assert isinstance(content, TextNode) == isinstance(data, str)
