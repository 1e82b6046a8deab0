"""What a schema accepts is what structuring reads, for types that Hypothesis draws."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from tests.protocol.schema.drafts import check_schema, is_valid, is_valid_in_both
from tests.protocol.schema.drawn_types import Drawn, any_types, exact_types, spoiled
from tests.protocol.schema.from_schema import from_schema
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.protocol.schema.json_schema import schema_of
from trio_agent.protocol.schema.structuring import structure
from trio_agent.vocabulary.plain import to_plain


def published(type_: object) -> list[object]:
    """What a listing has of a type: the schema of an input, and that of a result."""
    schemas: list[object] = [
        schema_of(type_, mode=mode, dialect="published") for mode in ("input", "output")
    ]
    json.dumps(schemas, allow_nan=False)
    for schema in schemas:
        check_schema(schema)
    return schemas


def is_structured(type_: object, data: object) -> bool:
    try:
        structure(type_, data)
    except SchemaError:
        return False
    return True


@given(any_types, st.data())
def test_what_is_written_of_a_value_validates_in_every_form(
    drawn: Drawn, data: st.DataObject
) -> None:
    plain = data.draw(drawn.plain)
    value = structure(drawn.type_, plain)
    written = json.loads(json.dumps(to_plain(value, "value")))
    assert structure(drawn.type_, written) == value
    of_input, of_result = published(drawn.type_)
    assert is_valid_in_both(of_input, plain)
    assert is_valid_in_both(of_input, written)
    # A client that enforces formats on results has no cause to complain either.
    assert is_valid_in_both(of_result, written, formats=True)


@given(any_types, st.data())
def test_what_structures_validates(drawn: Drawn, data: st.DataObject) -> None:
    value = data.draw(drawn.plain.flatmap(spoiled))
    if is_structured(drawn.type_, value):
        assert all(is_valid_in_both(schema, value) for schema in published(drawn.type_))


@given(exact_types, st.data())
def test_a_validator_and_structuring_agree(drawn: Drawn, data: st.DataObject) -> None:
    value: Any = data.draw(drawn.plain.flatmap(spoiled))
    accepted = is_structured(drawn.type_, value)
    strict = schema_of(drawn.type_, mode="input", dialect="2020-12")
    for schema in (strict, *published(drawn.type_)):
        assert is_valid(schema, value) is accepted


@settings(max_examples=settings().max_examples // 4)
@given(exact_types, st.data())
def test_what_the_schema_describes_structures(drawn: Drawn, data: st.DataObject) -> None:
    schema = schema_of(drawn.type_, mode="input", dialect="2020-12")
    value = data.draw(from_schema(schema))
    structure(drawn.type_, value)
