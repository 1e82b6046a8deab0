"""Types, taken apart and put in words."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NewType, TypeVar, Union

import attrs
import pytest

from trio_agent.protocol.schema.constraint import Description, Ge
from trio_agent.protocol.schema.declared import (
    BareType,
    bare_type,
    found,
    is_anything,
    without_none,
)
from trio_agent.protocol.schema.words import expected_words, wire_kinds
from trio_agent.vocabulary.json import JsonValue

Name = NewType("Name", Annotated[str, "inner"])
T = TypeVar("T")


class Alias:
    """Has what the `type` statement of Python 3.12 gives its aliases."""

    def __init__(self, value: object) -> None:
        self.__value__ = value


@attrs.frozen
class Point:
    x: int


def test_wrappings_come_off_and_their_metadata_stay_in_order() -> None:
    assert bare_type(Annotated[Name, "outer"]) == BareType(str, ("inner", "outer"))
    assert bare_type(Alias(Annotated[int, 1])) == BareType(int, (1,))
    assert bare_type(int) == BareType(int, ())


def test_the_outermost_metadata_wins() -> None:
    inner = Annotated[int, Description("inner"), Ge(1)]
    metadata = bare_type(Annotated[inner, Description("outer")]).metadata
    assert found(metadata, Description) == Description("outer")
    assert found((), Description) is None


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (int | None, (int, True)),
        (Union[None, int], (int, True)),  # noqa: UP007  # both spellings, both orders
        (Annotated[int | None, 1], (int, True)),
        (int, (int, False)),
        (int | str | None, (int | str | None, False)),
        (int | str, (int | str, False)),
    ],
)
def test_an_optional_type_is_told_from_its_none(type_: object, expected: object) -> None:
    assert without_none(type_) == expected


def test_anything_has_several_names() -> None:
    assert all(is_anything(type_) for type_ in (object, Any, JsonValue))
    assert not any(is_anything(type_) for type_ in (int, dict, int | list[int]))


@pytest.mark.parametrize(
    ("type_", "words", "kinds"),
    [
        (object, "JSON value", {"string", "number", "boolean", "null", "array", "object"}),
        (int | None, "integer or null", {"number", "null"}),
        (Literal["a", 1], 'one of: "a", 1', {"string", "number"}),
        (list[int], "array", {"array"}),
        (dict[str, int], "object", {"object"}),
        (Point, "object (Point)", {"object"}),
        (T, "value", set()),
        (bytes, "value", set()),
    ],
)
def test_a_type_is_told_in_the_words_of_json(type_: object, words: str, kinds: set[str]) -> None:
    assert expected_words(type_) == words
    assert wire_kinds(type_) == kinds
