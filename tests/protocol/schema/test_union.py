"""Unions without a tag: exactly one member must fit."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated, Literal

import attrs
import pytest
from hypothesis import example, given, strategies as st

from trio_agent.protocol.schema.constraint import Ge
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.protocol.schema.structuring import structure


@attrs.frozen
class Circle:
    radius: float


@attrs.frozen
class Square:
    side: float
    label: str = ""


@attrs.frozen
class Added:
    path: str
    kind: Literal["added"] = "added"


@attrs.frozen
class Removed:
    path: str
    kind: Literal["removed"] = "removed"


@attrs.frozen
class Metres:
    length: int


@attrs.frozen
class Words:
    length: str


def issues(type_: object, data: object) -> list[str]:
    with pytest.raises(SchemaError) as caught:
        structure(type_, data)
    return [str(issue) for issue in caught.value.issues]


@pytest.mark.parametrize(
    ("type_", "data", "value"),
    [
        (int | None, None, None),
        (int | str, "1", "1"),
        (int | str, 1, 1),
        (Circle | Square, {"side": 1}, Square(1.0)),
        (Circle | Square | None, {"radius": 1}, Circle(1.0)),
        (Added | Removed, {"path": "a", "kind": "removed"}, Removed("a")),
        (Metres | Words, {"length": "long"}, Words("long")),
        (list[int] | list[str], ["a"], ["a"]),
        (list[int] | list[str], [], []),
        (list[int] | dict[str, int], {}, {}),
        (Literal["auto"] | int, "auto", "auto"),
        (Path | int, "a", Path("a")),
        (Annotated[int, Ge(3)] | str, 3, 3),
    ],
)
def test_the_member_that_fits_is_read(type_: object, data: object, value: object) -> None:
    assert structure(type_, data) == value


@pytest.mark.parametrize("type_", [int | float, float | int])
def test_an_integer_stays_one_beside_float(type_: object) -> None:
    assert type(structure(type_, 1)) is int
    assert type(structure(type_, 1.0)) is float


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        (str | Path, "a"),
        (str | dt.date, "2026-01-31"),
        (Added | Removed, {"path": "a"}),
    ],
)
def test_two_different_readings_are_no_reading(type_: object, data: object) -> None:
    (issue,) = issues(type_, data)
    assert "only one of them, and it fits" in issue


def test_a_value_of_no_member_is_told_all_members() -> None:
    assert issues(int | str | None, 1.5) == [
        "value: expected integer or string or null, received 1.5"
    ]
    assert issues(Circle | Square, 1) == [
        "value: expected object (Circle) or object (Square), received 1"
    ]
    assert issues(Circle | Square, {"x": 1}) == [
        'value: expected object (Circle) or object (Square), received {"x": 1}'
    ]
    assert issues(list[int] | list[bool], ["a"]) == ['value: expected array, received ["a"]']


def test_the_likely_member_tells_what_is_wrong_inside() -> None:
    assert issues(Circle | Square | None, {"side": "long"}) == [
        'value.side: expected number, received "long"'
    ]
    assert issues(Annotated[int, Ge(3)] | None, 2) == ["value: expected number >= 3, received 2"]


def test_an_optional_class_tells_its_missing_and_unknown_members() -> None:
    assert issues(Circle | None, {"radios": 1}) == [
        "value.radius: expected number, received nothing",
        'value: expected no unknown key "radios" (known: "radius"), received 1',
    ]
    assert issues(Square | None, {"side": 1, "label": 2}) == [
        "value.label: expected string, received 2"
    ]


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()))
@example(2**53 + 1)
def test_a_scalar_is_read_back_as_itself_from_any_order(value: object) -> None:
    for type_ in (int | float | str, str | float | int, float | str | int):
        read = structure(type_, value)
        assert read == value
        assert type(read) is type(value)
