"""A literal schema against that of the types."""

import pytest
from hypothesis import given, strategies as st

from trio_agent.routes.comparison import compare

REAL: dict[str, object] = {
    "type": "object",
    "properties": {
        "root": {"type": "string", "minLength": 1, "title": "Root"},
        "depth": {"type": "integer", "default": 3},
        "mode": {"enum": ["a", "b"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "inner": {"$ref": "#/$defs/Inner"},
    },
    "required": ["root", "inner"],
    "additionalProperties": False,
    "$defs": {"Inner": {"type": "object", "properties": {"x": {"type": "number"}}}},
}


def literal(**changes: object) -> dict[str, object]:
    properties = {**_properties(REAL), **changes}
    kept = {name: member for name, member in properties.items() if member is not None}
    return {
        "type": "object",
        "properties": kept,
        "required": ["root", "inner"],
        "$defs": REAL["$defs"],
    }


def _properties(schema: dict[str, object]) -> dict[str, object]:
    found = schema["properties"]
    assert isinstance(found, dict)
    return dict(found)


def told(schema: dict[str, object]) -> list[str]:
    return [
        f"{found.path} {found.message}" + ("" if found.is_shape else " (value)")
        for found in compare(schema, REAL)
    ]


def test_a_schema_is_like_itself() -> None:
    assert told(REAL) == []


@pytest.mark.parametrize(
    "schema",
    [
        literal(root={"type": "string", "description": "Where."}),
        literal(root={}),
        literal(inner={"type": "object", "properties": {"x": {"type": "number"}}}),
        literal(mode={"enum": ["b", "a"], "$comment": "x"}),
        literal(tags={"type": ["array"], "examples": [[]]}),
        literal(tags={"items": True}),
    ],
)
def test_saying_less_or_in_other_words_is_no_difference(schema: dict[str, object]) -> None:
    assert told(schema) == []


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (literal(depth=None), ["input.depth is not in the literal"]),
        (literal(fast={}), ["input.fast is in the literal only"]),
        (
            literal(root={"type": "integer"}),
            ["input.root type is 'integer' in the literal, and 'string' by the types"],
        ),
        (
            literal(depth={"type": "integer", "default": 4}),
            ["input.depth default is 4 in the literal, and 3 by the types (value)"],
        ),
        (
            literal(depth={"type": "integer", "maximum": 9}),
            ["input.depth maximum is 9 in the literal, and nothing by the types (value)"],
        ),
        (
            literal(mode={"enum": ["a", "c"]}),
            ["input.mode enum is ['a', 'c'] in the literal, and ['a', 'b'] by the types (value)"],
        ),
        (
            literal(tags={"type": "array", "items": {"type": "integer"}}),
            ["input.tags[] type is 'integer' in the literal, and 'string' by the types"],
        ),
        (
            literal(inner={"type": "object", "properties": {}}),
            ["input.inner.x is not in the literal"],
        ),
        (literal() | {"required": ["inner"]}, ["input.root is optional in the literal only"]),
        (
            literal() | {"required": ["root", "inner", "depth"]},
            ["input.depth is required in the literal only"],
        ),
        (
            literal() | {"additionalProperties": True},
            ["input additionalProperties is True in the literal, and False by the types (value)"],
        ),
    ],
)
def test_a_difference_is_told_with_its_path(schema: dict[str, object], expected: list[str]) -> None:
    assert told(schema) == expected


@pytest.mark.parametrize("reference", ["#/$defs/None", "#/type/x", "elsewhere#/x"])
def test_a_reference_that_leads_nowhere_says_nothing(reference: str) -> None:
    assert told(literal(inner={"$ref": reference})) == ["input.inner.x is not in the literal"]


def test_a_schema_that_contains_itself_is_compared_so_far() -> None:
    tree: dict[str, object] = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert [*compare(tree, tree)] == []
    other = {"type": "object", "properties": {"next": {"$ref": "#"}, "x": {}}}
    assert len([*compare(other, tree)]) == 17


SCHEMAS = st.recursive(
    st.sampled_from([{}, {"type": "string"}, {"type": "integer", "minimum": 1}]),
    lambda inner: st.builds(
        lambda members, required: {
            "type": "object",
            "properties": members,
            "required": [*required],
        },
        st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
        st.sets(st.sampled_from(["a", "b"])),
    ),
    max_leaves=5,
)


@given(schema=SCHEMAS)
def test_every_schema_is_like_itself(schema: dict[str, object]) -> None:
    assert [*compare(schema, schema)] == []
