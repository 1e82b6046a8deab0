"""`Agent`: factories that return finished nodes, on the author's own line."""

from __future__ import annotations

import base64
import enum
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from tests.strategies import json_values, texts
from trio_agent.errors import ContractError
from trio_agent.vocabulary.agent import KINDS, UNSET, Agent, AgentNamespace
from trio_agent.vocabulary.element import ResultElement, component
from trio_agent.vocabulary.field import Annotations
from trio_agent.vocabulary.json import Json, JsonValue
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode

NOTES = Annotations(priority=1)
TEXTS: list[tuple[Any, Any]] = [
    (Agent.Markdown, MarkdownNode),
    (Agent.Text, TextNode),
    (Agent.Context, ContextNode),
]


class Color(str, enum.Enum):  # noqa: UP042  # a StrEnum is its value already
    RED = "red"


@attrs.frozen
class Receipt:
    files: int


def refusal(code: str, call: Any, *args: object, **kwargs: object) -> str:
    with pytest.raises(ContractError) as caught:
        call(*args, **kwargs)
    assert caught.value.code == code
    return caught.value.message


# ---------------------------------------------------------------- text


@pytest.mark.parametrize(("factory", "node"), TEXTS)
def test_text_joins_strings_and_numbers_and_the_rest_vanishes(factory: Any, node: Any) -> None:
    assert factory("# ", "a", 3, " ", 1.5, None, True, False, -1) == node("# a3 1.5-1")
    assert factory() == node("")
    assert factory(None) == node("")
    assert factory(3) == node("3")
    assert factory("a", annotations=NOTES) == node("a", NOTES)


@given(st.lists(texts()))
def test_text_is_nothing_but_the_parts_in_order(parts: list[str]) -> None:
    assert Agent.Text(*parts) == TextNode("".join(parts))


@pytest.mark.parametrize(("factory", "node"), TEXTS)
@pytest.mark.parametrize("part", [["a"], b"a", {"a": 1}, TextNode("a"), 1j, object], ids=repr)
def test_nothing_else_is_text(factory: Any, node: Any, part: object) -> None:
    name = f"Agent.{node.kind.title()}"

    assert refusal("invalid-element", factory, "a", part) == (
        f"{name} takes strings and numbers, received {part!r}"
    )


def test_a_component_in_text_is_refused() -> None:
    @component
    def shelf() -> None: ...

    element: Any = shelf()

    assert refusal("invalid-element", Agent.Text, element).startswith(
        "Agent.Text takes strings and numbers, received Element("
    )


def test_a_member_of_a_string_enum_is_its_value() -> None:
    for node in (Agent.Text(Color.RED), Agent.Text("", Color.RED)):
        assert type(node.text) is str
        assert node.text == "red"
    error = Agent.Error(Color.RED, Color.RED)
    assert (type(error.code), error.code, error.message) == (str, "red", "red")


# ---------------------------------------------------------------- result


def test_a_result_is_an_element_with_frozen_value_and_metadata() -> None:
    value: dict[str, object] = {"a": [1]}
    result = Agent.Result(None, [Agent.Text("a")], value=value, metadata=value)
    value["a"] = "changed"

    assert type(result) is ResultElement
    assert result.children == (None, [TextNode("a")])
    assert result.value == result.metadata == Json.of({"a": [1]})


def test_none_is_json_null_and_nothing_is_nothing() -> None:
    assert attrs.astuple(Agent.Result()) == ((), None, None)
    assert attrs.astuple(Agent.Result(value=None, metadata=None), recurse=False) == (
        (),
        Json.of(None),
        Json.of(None),
    )
    assert repr(UNSET) == "UNSET"


def test_a_result_may_be_an_instance_of_the_declared_type() -> None:
    assert Agent.Result(value=Receipt(3)).value == Json.of({"files": 3})


@pytest.mark.parametrize("name", ["value", "metadata"])
def test_what_is_not_json_is_refused_with_its_path(name: str) -> None:
    assert refusal("invalid-document", Agent.Result, **{name: {"a": [0, {1}]}}) == (
        f"{name}.a[1] is an instance of builtins.set, which is not JSON"
    )


# ---------------------------------------------------------------- the other leaves


@given(json_values())
def test_json_is_frozen(value: JsonValue) -> None:
    assert Agent.Json(value, annotations=NOTES) == JsonNode(Json.of(value), NOTES)


def test_json_takes_instances_and_refuses_the_rest_with_its_path() -> None:
    assert Agent.Json([Receipt(3)]) == JsonNode(Json.of([{"files": 3}]))
    assert refusal("invalid-document", Agent.Json, {"a": {1}}) == (
        "json.a is an instance of builtins.set, which is not JSON"
    )


def test_progress_is_a_node() -> None:
    assert Agent.Progress() == ProgressNode(0)
    assert Agent.Progress(3, 10, "hashing") == ProgressNode(3, 10, "hashing")
    assert refusal("invalid-document", Agent.Progress, 3, 2) == (
        "progress completed is at most its total 2, received 3"
    )


@pytest.mark.parametrize(("factory", "node"), [(Agent.Image, ImageNode), (Agent.Audio, AudioNode)])
def test_media_takes_bytes_or_base64(factory: Any, node: Any) -> None:
    data = base64.b64encode(b"\x00\xff").decode()

    assert factory(b"\x00\xff", "a/b") == factory(data, "a/b") == node(data=data, mime_type="a/b")
    assert factory(data, "a/b", alt="x", annotations=NOTES) == node(
        data=data, mime_type="a/b", alt="x", annotations=NOTES
    )
    assert refusal("invalid-document", factory, b"", "a/b").endswith(
        "data is a string that is not blank, received ''"
    )


def test_a_resource_is_a_link_or_the_thing_itself() -> None:
    assert Agent.Resource("u", "n") == ResourceNode(uri="u", name="n")
    assert Agent.Resource("u", "n", blob=b"A").blob == Agent.Resource("u", "n", blob="QQ==").blob
    assert Agent.Resource(
        "u",
        "n",
        mime_type="a/b",
        title="t",
        size=3,
        text="x",
        alt="z",
        annotations=NOTES,
    ) == ResourceNode(
        uri="u",
        name="n",
        mime_type="a/b",
        title="t",
        byte_size=3,
        text="x",
        alt="z",
        annotations=NOTES,
    )


def test_an_error_is_a_node() -> None:
    assert Agent.Error("E_GONE", "") == ErrorNode("E_GONE", "")
    assert refusal("invalid-document", Agent.Error, " ", "gone") == (
        "error code is a string that is not blank, received ' '"
    )
    assert refusal("invalid-document", Agent.Error, 404, "gone") == (
        "error code is a string that is not blank, received 404"
    )


# ---------------------------------------------------------------- the namespace


@pytest.mark.parametrize(
    ("kind", "args", "known"),
    [
        ("Result", (), "value, metadata"),
        ("Markdown", (), "annotations"),
        ("Text", (), "annotations"),
        ("Context", (), "annotations"),
        ("Json", (1,), "annotations"),
        ("Progress", (), "completed, total, message"),
        ("Image", (b"A", "a/b"), "alt, annotations"),
        ("Audio", (b"A", "a/b"), "alt, annotations"),
        ("Resource", ("u", "n"), "mime_type, title, size, text, blob, alt, annotations"),
        ("Error", ("E", ""), "none"),
    ],
)
def test_an_unknown_keyword_is_refused_and_the_known_ones_are_listed(
    kind: str, args: tuple[object, ...], known: str
) -> None:
    assert refusal("invalid-element", getattr(Agent, kind), *args, className="x") == (
        f"Agent.{kind} has no keyword 'className'; its keywords: {known}"
    )


def test_there_are_ten_kinds_and_no_html() -> None:
    namespace: Any = Agent

    assert [name for name in vars(AgentNamespace) if name[0].isupper()] == list(KINDS)
    assert len(KINDS) == 10
    with pytest.raises(AttributeError) as caught:
        namespace.Div("a")
    assert str(caught.value) == (
        "there is no Agent.Div: a document has the kinds Result, Markdown, Text, Context, Json,"
        " Progress, Image, Audio, Resource, Error, no HTML"
    )


def test_the_namespace_is_frozen() -> None:
    namespace: Any = Agent
    for name in ("Text", "Div"):
        with pytest.raises(AttributeError):
            setattr(namespace, name, None)
