"""Where a schema accepts what structuring refuses, each gap by itself, and why it is there.

The other way round there is none: what structures validates (`test_schema_properties`).
"""

from __future__ import annotations

import datetime as dt
import re
import uuid
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import pytest
from hypothesis import given, strategies as st
from hypothesis_jsonschema import from_schema

from tests.protocol.schema.drafts import is_valid_in_both
from trio_agent.protocol.schema.constraint import Pattern
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.protocol.schema.json_schema import schema_of
from trio_agent.protocol.schema.structuring import structure


@attrs.frozen
class Square:
    side: Annotated[int, "any"] = attrs.field(default=1, validator=lambda *_: None)
    area: int = attrs.field(init=False)

    @area.default
    def _area(self) -> int:
        return self.side**2


@attrs.frozen
class Range:
    low: int
    high: int

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        # JSON Schema counts 3.0 as an integer and as equal to 3; we want it written as one.
        (int, 3.0),
        (Literal[3], 3.0),
        # A number that no double holds: there is no keyword for it worth publishing.
        (float, 10**400),
        # `pattern` could say it, in an expression that several readers cannot take.
        (Path, "a\0b"),
        # `format` is a remark, not a check, unless a validator is told otherwise.
        (dt.date, "soon"),
        (dt.datetime, "2026-01-31"),
        (uuid.UUID, "x"),
        # Every place of the schema fits; together they mean two things, or one thing twice.
        (str | Path, "a"),
        (dict[Path, int], {"a/b": 1, "a//b": 2}),
        # Decided by code.
        (Range, {"low": 2, "high": 1}),
        (Square, {"area": 7}),
        # Not published, because it would mean something else elsewhere.
        (Annotated[str, Pattern("(?i)a")], "b"),
    ],
    ids=str,
)
def test_a_schema_cannot_say_everything(type_: object, data: object) -> None:
    assert is_valid_in_both(schema_of(type_, mode="input", dialect="published"), data)
    with pytest.raises(SchemaError):
        structure(type_, data)


def test_a_format_is_narrower_than_what_we_read_only_where_times_lack_zone_or_seconds() -> None:
    for type_, data in ((dt.datetime, "2026-01-31T09:30"), (dt.time, "09:30")):
        schema = schema_of(type_, mode="input", dialect="published")
        assert schema["format"] in {"date-time", "time"}
        structure(type_, data)
        # A result may well look like that, so there nothing is promised.
        assert "format" not in schema_of(type_, mode="output", dialect="published")


@pytest.mark.parametrize("type_", [dt.datetime, dt.date, dt.time])
def test_what_a_format_describes_is_read(type_: Any) -> None:
    schema: Any = schema_of(type_, mode="input", dialect="published")

    @given(from_schema(schema))
    def check(text: str) -> None:
        try:
            structure(type_, text)
        except SchemaError:
            assert is_beyond_python(text), text

    check()


def is_beyond_python(text: str) -> bool:
    """RFC 3339 knows the year 0, leap seconds, endless fractions and small letters."""
    return bool(
        text.startswith("0000-")
        or re.search(r":60(\.|Z|[+-]|$)|\.\d{7}|[tz]", text)
        # Near the first and the last year a zone leads out of what Python can hold.
        or re.match("0001-01-01|9999-12-31", text)
    )


@given(st.dates() | st.uuids(), st.sampled_from(["input", "output"]))
def test_a_date_and_a_uuid_satisfy_a_validator_that_enforces_formats(
    value: object, mode: Any
) -> None:
    schema = schema_of(type(value), mode=mode, dialect="published")
    assert is_valid_in_both(schema, str(value), formats=True)


@given(st.datetimes() | st.times())
def test_a_result_with_a_time_satisfies_a_validator_that_enforces_formats(
    value: dt.datetime | dt.time,
) -> None:
    schema = schema_of(type(value), mode="output", dialect="published")
    assert is_valid_in_both(schema, value.isoformat(), formats=True)
