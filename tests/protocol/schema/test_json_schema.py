"""Types as JSON Schema: what is written, where, and under which name."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NewType, TypeVar

import attrs
import pytest

from trio_agent.protocol.schema.constraint import (
    Description,
    Ge,
    Gt,
    Le,
    Lt,
    MaxLength,
    MinLength,
    Pattern,
    Url,
)
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.protocol.schema.json_schema import choices, input_schema, output_schema, schema_of
from trio_agent.vocabulary.json import JsonValue

Name = NewType("Name", Annotated[str, MinLength(1)])
T = TypeVar("T")


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Scale(enum.Enum):
    HALF = 0.5
    FULL = 1


class Span(enum.Enum):
    SHORT = (1, 2)


@attrs.frozen(kw_only=True)
class Author:
    """Who wrote it.

    Not the publisher.
    """

    name: str
    _born: dt.date | None = None


@attrs.frozen(kw_only=True)
class Book:
    title: Annotated[str, MinLength(1), Description("As on the spine.")]
    author: Author
    second: Annotated[Author | None, Description("If there are two.")] = None
    pages: int = 0
    size: int = attrs.field(init=False, default=1)


@attrs.frozen
class Node:
    """One place."""

    name: str
    children: list[Node] = attrs.field(factory=list)


@attrs.frozen
class Plant:
    root: Node
    other: Node | None = None


AUTHOR = {
    "type": "object",
    "description": "Who wrote it.",
    "properties": {
        "name": {"type": "string"},
        "born": {
            "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
            "default": None,
        },
    },
    "required": ["name"],
    "additionalProperties": False,
}


def schema(type_: object) -> object:
    return schema_of(type_, mode="input", dialect="2020-12")


def test_a_class_is_a_closed_object_with_its_parts_written_out() -> None:
    assert input_schema(Book) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "As on the spine."},
            "author": AUTHOR,
            "second": {
                "anyOf": [AUTHOR, {"type": "null"}],
                "description": "If there are two.",
                "default": None,
            },
            "pages": {"type": "integer", "default": 0},
            "size": {"type": "integer", "readOnly": True},
        },
        "required": ["title", "author"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (object, {}),
        (Any, {}),
        (JsonValue, {}),
        (Path, {"type": "string", "minLength": 1}),
        (PurePosixPath, {"type": "string", "minLength": 1}),
        (dt.datetime, {"type": "string", "format": "date-time"}),
        (dt.date, {"type": "string", "format": "date"}),
        (dt.time, {"type": "string", "format": "time"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Rank, {"type": "integer", "enum": [1, 2]}),
        (Scale, {"type": "number", "enum": [0.5, 1]}),
        (Span, {"type": "array", "enum": [[1, 2]]}),
        (Literal["a"], {"type": "string", "enum": ["a"]}),
        (Literal[True, False], {"type": "boolean", "enum": [True, False]}),
        (
            Literal["a", 1, None],  # noqa: PYI061  # the other spelling
            {
                "anyOf": [
                    {"type": "string", "enum": ["a"]},
                    {"type": "integer", "enum": [1]},
                    {"type": "null"},
                ]
            },
        ),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (int | float, {"type": "number"}),
        (
            Annotated[int, Ge(1)] | float,
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "number"}]},
        ),
        (
            Annotated[int | str, "inner"] | None,
            {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        ),
        (Path | PurePosixPath, {"type": "string", "minLength": 1}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (list, {"type": "array", "items": {}}),
        (tuple, {"type": "array", "items": {}}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[()], {"type": "array", "items": {}, "maxItems": 0}),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "items": False,
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        (dict, {"type": "object", "additionalProperties": {}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            Mapping[Colour, int],
            {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "propertyNames": {"type": "string", "enum": ["red", "blue"]},
            },
        ),
        (Name, {"type": "string", "minLength": 1}),
        (Annotated[int, "somebody else's"], {"type": "integer"}),
    ],
    ids=str,
)
def test_every_type_has_one_schema(type_: object, expected: object) -> None:
    assert schema(type_) == expected


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (Annotated[int, Ge(1), Le(9)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (
            Annotated[float, Gt(0.5), Lt(2)],
            {"type": "number", "exclusiveMinimum": 0.5, "exclusiveMaximum": 2},
        ),
        (Annotated[int, Ge(1), Ge(3), Ge(2)], {"type": "integer", "minimum": 3}),
        (Annotated[int, Lt(3), Lt(1)], {"type": "integer", "exclusiveMaximum": 1}),
        (
            Annotated[int | None, Ge(1)],
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
        ),
        (
            Annotated[list[str], MinLength(1), MaxLength(3)],
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        ),
        (
            Annotated[dict[str, int], MaxLength(2)],
            {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2},
        ),
        (Annotated[Path, MinLength(3)], {"type": "string", "minLength": 3}),
        (Annotated[object, MinLength(1)], {"minLength": 1, "minItems": 1, "minProperties": 1}),
        (Annotated[str, Pattern("^a")], {"type": "string", "pattern": "^a"}),
        (Url, {"type": "string", "format": "uri"}),
        (Url | None, {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]}),
        (
            Annotated[str, Pattern("a"), Pattern("b"), Pattern("a"), Pattern("c")],
            {"type": "string", "pattern": "a", "allOf": [{"pattern": "b"}, {"pattern": "c"}]},
        ),
        (Annotated[str, Pattern("(?i)a")], {"type": "string"}),
        (
            list[Annotated[str, Description("One tag.")]],
            {"type": "array", "items": {"type": "string", "description": "One tag."}},
        ),
    ],
    ids=str,
)
def test_constraints_become_keywords(type_: object, expected: object) -> None:
    assert schema(type_) == expected


def test_results_promise_no_zone_that_a_time_may_lack() -> None:
    for type_ in (dt.datetime, dt.time):
        assert schema_of(type_, mode="output", dialect="2020-12") == {"type": "string"}
    assert schema_of(dt.date, mode="output", dialect="2020-12") == schema(dt.date)


def test_a_result_has_no_defaults_and_what_is_computed_is_no_news() -> None:
    written = output_schema(Book)
    assert written is not None
    properties = written["properties"]
    assert isinstance(properties, dict)
    assert properties["pages"] == {"type": "integer"}
    assert properties["size"] == {"type": "integer"}
    assert written["required"] == ["title", "author"]


@pytest.mark.parametrize("type_", [int, list[Book], Book | None, object, dict[str, int] | str])
def test_case_b_22_values_that_need_not_be_objects_have_no_output_schema(type_: object) -> None:
    assert output_schema(type_) is None


def test_the_root_is_an_object_and_never_a_reference() -> None:
    for type_ in (Book, Node, Plant, Author | Book, Node | Plant, dict[str, Node], Name | None):
        written = output_schema(type_)
        assert written is None or (written["type"] == "object" and "$ref" not in written)
    assert output_schema(Author | Book) == {
        "type": "object",
        "anyOf": [
            schema_of(Author, mode="output", dialect="2020-12"),
            schema_of(Book, mode="output", dialect="2020-12"),
        ],
    }


@pytest.mark.parametrize("type_", [bytes, list[bytes], set[int], dict[int, int], complex, T])
def test_a_type_without_a_wire_form_is_refused(type_: object) -> None:
    with pytest.raises(DeclarationError):
        schema(type_)


def test_a_field_without_a_wire_form_is_named_once() -> None:
    @attrs.frozen
    class Inner:
        content: bytes

    @attrs.frozen
    class Outer:
        inner: list[Inner]

    with pytest.raises(DeclarationError, match=r"^[^:]*Inner\.content: .*bytes.*no wire form"):
        input_schema(attrs.resolve_types(Outer, None, locals()))


def test_completion_has_the_values_of_enums_and_literals() -> None:
    @attrs.frozen(kw_only=True)
    class Query:
        colour: Colour
        _rank: Rank | None = None
        mode: Literal["fast", 3] | Literal["slow", "fast"] = "fast"  # noqa: PYI030
        where: Path = Path()
        span: Span = Span.SHORT
        made: Colour = attrs.field(init=False, default=Colour.RED)

    assert choices(Query) == {
        "colour": ("red", "blue"),
        "rank": ("1", "2"),
        "mode": ("fast", "3", "slow"),
    }
