"""Forms: what can be drawn, and what was filled in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from hypothesis_jsonschema import from_schema

from trio_agent.context.form import make_form
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError

TITLED = [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]
EVERYTHING: dict[str, Any] = {
    "text": {"type": "string", "title": "T", "description": "D", "minLength": 1, "maxLength": 9},
    "mail": {"type": "string", "format": "email"},
    "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
    "share": {"type": "number", "maximum": 1.5},
    "sure": {"type": "boolean", "default": False},
    "size": {"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"]},
    "titled": {"type": "string", "oneOf": TITLED, "default": "s"},
    "many": {"type": "array", "items": {"type": "string", "enum": ["s", "l"]}, "maxItems": 2},
    "named": {"type": "array", "items": {"anyOf": TITLED}, "minItems": 1, "default": ["l"]},
}


def form(properties: dict[str, object], *required: str) -> Any:
    return make_form({"type": "object", "properties": properties, "required": list(required)})


def issues(properties: dict[str, object], content: dict[str, object], *required: str) -> list[str]:
    with pytest.raises(SchemaError) as caught:
        form(properties, *required).read(content)
    return [str(issue) for issue in caught.value.issues]


def undeclared(schema: object) -> str:
    with pytest.raises(DeclarationError) as caught:
        make_form(schema)
    return caught.value.message


def test_everything_a_host_can_draw_is_sent_as_it_was_written() -> None:
    schema = {"type": "object", "properties": EVERYTHING, "required": ["text"], "title": "F"}
    assert make_form(schema).schema == schema


@given(
    st.fixed_dictionaries(
        {}, optional={name: from_schema(member) for name, member in EVERYTHING.items()}
    )
)
def test_what_fits_the_schema_is_accepted_as_it_came(content: dict[str, object]) -> None:
    # JSON Schema takes 3.0 for an integer; a component that was promised one does not.
    assume(isinstance(content.get("count", 1), int))
    assert form(EVERYTHING).read(content) == content


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("text", "", "string of at least 1 and at most 9 characters"),
        ("text", 3, "string of at least 1 and at most 9 characters"),
        ("mail", 3, "string of the format email"),
        ("count", 0, "integer at least 1 and at most 9"),
        ("count", 2.0, "integer at least 1 and at most 9"),
        ("count", True, "integer at least 1 and at most 9"),
        ("share", 1.6, "number at most 1.5"),
        ("share", float("inf"), "number at most 1.5"),
        ("share", "1", "number at most 1.5"),
        ("sure", 1, "boolean"),
        ("size", "m", 'one of "s", "l"'),
        ("size", ["s"], 'one of "s", "l"'),
        ("titled", "Small", 'one of "s", "l"'),
        ("many", ["s", "s", "s"], 'array of at most 2 items, each one of "s", "l"'),
        ("many", "s", 'array of at most 2 items, each one of "s", "l"'),
        ("many", [1], 'array of at most 2 items, each one of "s", "l"'),
        ("named", [], 'array of at least 1 items, each one of "s", "l"'),
        ("named", ["Small"], 'array of at least 1 items, each one of "s", "l"'),
    ],
)
def test_what_does_not_fit_is_refused_in_words(name: str, value: object, expected: str) -> None:
    (issue,) = issues(EVERYTHING, {name: value})
    assert issue.startswith(f"answer.content.{name}: expected {expected}, received ")


def test_every_issue_is_told_at_once() -> None:
    properties: dict[str, object] = {"a": {"type": "boolean"}, "b": {"type": "number"}}
    assert issues(properties, {"b": "x", "c": 1}, "a", "b") == [
        "answer.content.a: expected boolean, received nothing",
        'answer.content.b: expected number, received "x"',
        'answer.content: expected no unknown key "c", received 1',
    ]


def test_null_is_an_input_that_was_left_empty() -> None:
    properties: dict[str, object] = {"a": {"type": "boolean"}, "b": {"type": "number"}}
    assert form(properties, "a").read({"a": True, "b": None}) == {"a": True}
    assert issues(properties, {"a": None}, "a") == [
        "answer.content.a: expected boolean, received null"
    ]


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (3, "elicit() takes an attrs class or a JSON Schema, received 3"),
        ({"type": "array"}, "a form is a schema of type object, with properties"),
        ({"type": "object"}, "a form is a schema of type object, with properties"),
        (
            {"type": "object", "properties": {}, "required": ["x"]},
            "what a form requires is a list of its properties",
        ),
        (
            {"type": "object", "properties": {}, "required": "x"},
            "what a form requires is a list of its properties",
        ),
        (
            {"type": "object", "properties": {}, "$defs": {}},
            (
                "a form has '$defs', which hosts do not know; they know $schema,"
                " description, properties, required, title, type"
            ),
        ),
    ],
)
def test_what_is_no_form_is_refused(schema: object, why: str) -> None:
    assert undeclared(schema) == why


@pytest.mark.parametrize(
    ("member", "why"),
    [
        (3, "is no schema: 3"),
        ({}, "is of one of the types string, number, integer, boolean, array, received null"),
        (
            {"type": "object", "properties": {}},
            'is of one of the types string, number, integer, boolean, array, received "object"',
        ),
        (
            {"type": ["string"]},
            'is of one of the types string, number, integer, boolean, array, received ["string"]',
        ),
        (
            {"type": "boolean", "const": True},
            "has 'const', which hosts do not know; they know default, description, title, type",
        ),
        (
            {"type": "string", "format": "uuid"},
            'has the format "uuid", expected one of date, date-time, email, uri',
        ),
        ({"type": "string", "minLength": "1"}, 'has minLength "1", expected a number'),
        (
            {"type": "string", "enum": []},
            'offers {"enum": [], "type": "string"}, expected strings to choose from',
        ),
        (
            {"type": "string", "enum": [1]},
            'offers {"enum": [1], "type": "string"}, expected strings to choose from',
        ),
        (
            {"type": "string", "oneOf": [{"const": "a"}]},
            'offers {"oneOf": [{"const": "a"}], "type": "string"}, expected strings to choose from',
        ),
        (
            {"type": "string", "oneOf": "a"},
            'offers {"oneOf": "a", "type": "string"}, expected strings to choose from',
        ),
        (
            {"type": "string", "oneOf": [3]},
            'offers {"oneOf": [3], "type": "string"}, expected strings to choose from',
        ),
        ({"type": "array"}, "is an array without items"),
        ({"type": "array", "items": {"type": "string"}}, "is an array of anything but choices"),
        (
            {"type": "integer", "default": "x"},
            'has the default "x", expected integer',
        ),
    ],
)
def test_a_member_that_no_host_can_draw_is_refused_by_its_name(member: object, why: str) -> None:
    schema = {"type": "object", "properties": {"it": member}}
    assert undeclared(schema) == f"the member 'it' of a form {why}"


def test_an_item_that_no_host_can_draw_is_refused_by_the_name_of_its_member() -> None:
    member = {"type": "array", "items": {"type": "string", "pattern": "x"}}
    assert undeclared({"type": "object", "properties": {"it": member}}) == (
        "an item of the member 'it' of a form has 'pattern', which hosts do not know;"
        " they know anyOf, enum, type"
    )
