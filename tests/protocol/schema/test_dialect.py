"""The published form: one schema that a draft-07 validator reads as well as a 2020-12 one."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.protocol.schema.drafts import DRAFTS, is_valid
from trio_agent.protocol.schema.dialect import publish
from trio_agent.protocol.schema.json_schema import schema_of

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
closed = {"type": "array", "prefixItems": [INTEGER, STRING], "items": False}


def test_case_b_29_a_tuple_is_a_union_of_its_places_closed_by_its_number_of_items() -> None:
    schema = schema_of(tuple[int, str], mode="output", dialect="published")
    assert schema == {
        "type": "array",
        "prefixItems": [INTEGER, STRING],
        "items": {"anyOf": [INTEGER, STRING]},
        "minItems": 2,
        "maxItems": 2,
    }
    for draft in DRAFTS:
        assert is_valid(schema, [1, "a"], draft)
        assert not is_valid(schema, [1, "a", "b"], draft)
        assert not is_valid(schema, [1], draft)
    assert not is_valid(schema, ["a", 1], "2020-12")


def test_places_of_one_type_need_no_union() -> None:
    schema = schema_of(tuple[float, float], mode="input", dialect="published")
    assert schema["items"] == {"type": "number"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            closed,
            closed | {"items": {"anyOf": [INTEGER, STRING]}, "maxItems": 2},
        ),
        (closed | {"maxItems": 1}, closed | {"items": {"anyOf": [INTEGER, STRING]}, "maxItems": 1}),
        (
            closed | {"prefixItems": []},
            {"type": "array", "prefixItems": [], "items": {}, "maxItems": 0},
        ),
        (
            {"prefixItems": [INTEGER], "items": STRING},
            {"prefixItems": [INTEGER], "items": {"anyOf": [INTEGER, STRING]}},
        ),
        (
            {"prefixItems": [True, INTEGER], "items": STRING},
            {"prefixItems": [True, INTEGER], "items": {"anyOf": [{}, INTEGER, STRING]}},
        ),
        ({"prefixItems": [INTEGER]}, {"prefixItems": [INTEGER]}),
        (
            {"prefixItems": [{"const": 1}, {"const": True}], "items": False},
            {
                "prefixItems": [{"const": 1}, {"const": True}],
                "items": {"anyOf": [{"const": 1}, {"const": True}]},
                "maxItems": 2,
            },
        ),
        ({"items": False}, {"items": False}),
        ({"not": closed, "if": closed}, {"not": closed, "if": closed}),
        ({"enum": [closed], "default": closed}, {"enum": [closed], "default": closed}),
        ({"$ref": "#/$defs/a", "anyOf": "?"}, {"$ref": "#/$defs/a", "anyOf": "?"}),
    ],
    ids=str,
)
def test_only_the_rest_of_a_tuple_is_rewritten(schema: Any, expected: object) -> None:
    before = copy.deepcopy(schema)
    assert publish(schema) == expected
    assert schema == before


@pytest.mark.parametrize("keyword", ["properties", "$defs", "patternProperties"])
def test_tuples_are_found_below_names(keyword: str) -> None:
    assert publish({keyword: {"prefixItems": closed}}) == {
        keyword: {"prefixItems": publish(closed)}
    }


@pytest.mark.parametrize("keyword", ["items", "additionalProperties", "propertyNames", "then"])
def test_tuples_are_found_below_keywords(keyword: str) -> None:
    assert publish({keyword: closed}) == {keyword: publish(closed)}
    assert publish({keyword: True}) == {keyword: True}


@pytest.mark.parametrize("keyword", ["anyOf", "allOf", "oneOf"])
def test_tuples_are_found_in_lists(keyword: str) -> None:
    assert publish({keyword: [closed, True]}) == {keyword: [publish(closed), True]}


places = st.lists(st.sampled_from([INTEGER, STRING, {}, {"type": "null"}, closed]), max_size=3)


@given(
    places,
    st.sampled_from([False, INTEGER, STRING]),
    st.lists(st.sampled_from([1, "a", None, [1, "a"]]), max_size=4),
)
def test_publishing_keeps_every_valid_value_valid_in_both_drafts(
    prefix: list[object], rest: object, value: list[object]
) -> None:
    schema: dict[str, object] = {"type": "array", "prefixItems": prefix, "items": rest}
    published = publish(schema)
    if is_valid(schema, value):
        assert all(is_valid(published, value, draft) for draft in DRAFTS)
    elif rest is False:
        assert not is_valid(published, value)
