"""Classes in schemas: written out where they can be, referred to where they must be (BR-02)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Generic, TypeVar, cast

import attrs
import pytest

from tests.protocol.schema.drafts import DRAFTS, check_schema, is_valid
from trio_agent.protocol.schema.constraint import MinLength
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.protocol.schema.json_schema import input_schema, output_schema, schema_of

T = TypeVar("T")


@attrs.frozen
class Wrapped(Generic[T]):
    content: T


@attrs.frozen
class Node:
    name: str
    children: list[Node] = attrs.field(factory=list)


@attrs.frozen
class Plant:
    root: Node
    other: Node | None = None


@attrs.frozen
class Ping:
    pong: Pong | None = None


@attrs.frozen
class Pong:
    pings: dict[str, Ping] = attrs.field(factory=dict)
    label: str = ""


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def resolved(schema: Any) -> dict[str, Any]:
    """Every definition that is referred to; fails for one that dangles."""
    names = {reference.removeprefix("#/$defs/") for reference in references(schema)}
    assert all(reference.startswith("#/$defs/") for reference in references(schema))
    assert names == set(schema.get("$defs", {}))
    check_schema(schema)
    return {name: schema["$defs"][name] for name in names}


def test_br_02_a_recursive_root_is_written_out_and_refers_to_its_definition() -> None:
    schema = input_schema(Node)
    assert schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []},
        },
        "required": ["name"],
        "additionalProperties": False,
        "$defs": {"Node": {key: schema[key] for key in schema if key != "$defs"}},
    }


def test_br_02_a_recursive_field_shows_its_members_to_a_form() -> None:
    schema: Any = input_schema(Plant)
    assert set(resolved(schema)) == {"Node"}
    assert schema["properties"]["root"] == schema["$defs"]["Node"]
    assert schema["properties"]["other"]["anyOf"][0]["properties"]["name"] == {"type": "string"}


def test_br_02_mutual_recursion_resolves_from_either_end() -> None:
    ping: Any = input_schema(Ping)
    pong: Any = input_schema(Pong)
    assert set(resolved(ping)) == set(resolved(pong)) == {"Ping", "Pong"}
    data = {"pong": {"pings": {"a": {"pong": {"label": 1}}}}}
    right = {"pong": {"pings": {"a": {"pong": {"label": "1"}}}}}
    for draft in DRAFTS:
        assert is_valid(ping, right, draft)
        assert not is_valid(ping, data, draft)


def test_br_02_two_classes_of_one_name_stay_two_definitions() -> None:
    @attrs.frozen
    class Both:
        node: Node
        twin: Mirror

    @attrs.frozen
    class Mirror:
        mirrors: list[Mirror]
        depth: int

    Mirror.__name__ = "Node"
    local = locals()
    attrs.resolve_types(Mirror, None, local)
    schema: Any = input_schema(attrs.resolve_types(Both, None, local))
    definitions = resolved(schema)
    assert set(definitions) == {"Node", "Node2"}
    assert "children" in definitions["Node"]["properties"]
    assert "mirrors" in definitions["Node2"]["properties"]


def test_a_constraint_beside_a_reference_says_what_it_can() -> None:
    @attrs.frozen
    class Box:
        inner: Annotated[Box, MinLength(2)] | None = None
        size: int = 0

    attrs.resolve_types(Box, None, globals() | locals())
    schema: Any = input_schema(Box)
    assert schema["$defs"]["Box"]["properties"]["inner"]["anyOf"][0] == {
        "$ref": "#/$defs/Box",
        "minProperties": 2,
    }
    assert not is_valid(schema, {"inner": {"size": 1}})
    assert is_valid(schema, {"inner": {"size": 1, "inner": None}})


def test_a_class_that_cannot_be_read_is_named_with_the_field_that_has_it() -> None:
    @attrs.frozen
    class Outer:
        inner: list[Wrapped[int] | Wrapped]  # type: ignore[type-arg]  # the mistake

    attrs.resolve_types(Outer, None, globals() | locals())
    with pytest.raises(DeclarationError, match=r"^[^:]*Outer\.inner: .*Wrapped is generic"):
        input_schema(Outer)


def test_a_class_used_twice_is_written_twice() -> None:
    @attrs.frozen
    class Pair:
        one: Point
        two: Point

    @attrs.frozen
    class Point:
        x: int = 0

    schema: Any = input_schema(attrs.resolve_types(Pair, None, locals()))
    assert "$defs" not in schema
    assert schema["properties"]["one"] == schema["properties"]["two"]
    assert schema["properties"]["one"] is not schema["properties"]["two"]


def test_a_name_that_no_uri_carries_is_spelled_plainly() -> None:
    @attrs.frozen
    class Größe:  # noqa: PLC2401  # what the test is about
        parts: list[Größe]

    resolve = attrs.resolve_types(Größe, None, locals())
    assert set(resolved(input_schema(resolve))) == {"Gr__e"}


def test_a_schema_that_would_explode_keeps_its_classes_in_definitions() -> None:
    below: Any = attrs.make_class("Leaf", {"x": attrs.field(type=int)})
    for level in range(30):
        both = {name: attrs.field(type=below) for name in ("left", "right")}
        below = attrs.make_class(f"Level{level}", both)
    schema = input_schema(below)
    assert len(resolved(schema)) == 30
    assert len(json.dumps(schema)) < 10_000
    assert set(cast("Any", schema)["properties"]) == {"left", "right"}


def test_a_recursive_result_is_an_object_however_it_is_wrapped() -> None:
    for type_ in (Node, Ping | Pong, dict[str, Node]):
        schema = output_schema(type_)
        assert schema is not None
        assert schema["type"] == "object"
        resolved(schema)
    resolved(schema_of(list[Node], mode="output", dialect="published"))


def test_schemas_share_nothing_that_a_reader_could_change() -> None:
    first: Any = input_schema(Plant)
    first["properties"]["root"]["properties"].clear()
    first["$defs"].clear()
    assert resolved(input_schema(Plant))
    assert first != input_schema(Plant)


class Endless:
    """What `type Endless = list[Endless]` makes in Python 3.12."""

    __value__: object


def test_a_type_that_contains_itself_without_a_class_is_refused() -> None:
    endless = Endless()
    endless.__value__ = tuple[endless, ...]  # type: ignore[valid-type]  # made at run time
    with pytest.raises(DeclarationError, match="no class comes between"):
        schema_of(endless, mode="input", dialect="published")
