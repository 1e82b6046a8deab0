"""Values that come as text: read by the declared type, and never guessed."""

import datetime as dt
import enum
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.protocol.schema.constraint import Ge
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.protocol.schema.structuring import structure
from trio_agent.protocol.schema.texts import as_text, can_be_text, from_texts


class Level(enum.Enum):
    LOW = 1
    HIGH = "high"
    HALF = 0.5


def input_of(type_: Any) -> Any:
    return attrs.make_class("Input", {"it": attrs.field(type=type_)}, frozen=True)


def read(type_: Any, text: str) -> object:
    """What the JSON of a text is, and that it means the same as Python."""
    return from_texts(input_of(type_), {"it": text})["it"]


@pytest.mark.parametrize(
    ("type_", "text", "plain"),
    [
        (str, "3", "3"),
        (str, "", ""),
        (int, "3", 3),
        (int, "-0", 0),
        (int, "03", "03"),
        (int, "+3", "+3"),
        (int, " 3", " 3"),
        (int, "3.0", "3.0"),
        (int, "٣", "٣"),
        (int, "9" * 5000, "9" * 5000),
        (float, "3", 3),
        (float, "3.5e1", 35.0),
        (float, "1e999", "1e999"),
        (float, "nan", "nan"),
        (bool, "true", True),
        (bool, "false", False),
        (bool, "True", "True"),
        (bool, "1", "1"),
        (Path, "a/b", "a/b"),
        (dt.date, "2026-01-31", "2026-01-31"),
        (object, "3", "3"),
        (Level, "1", 1),
        (Level, "high", "high"),
        (Level, "0.5", 0.5),
        (Level, "2", "2"),
        (Literal["a", 2, True], "2", 2),
        (Literal["a", 2, True], "a", "a"),
        (Literal["a", 2, True], "b", "b"),
        (int | None, "3", 3),
        (int | None, "null", "null"),
        (int | float, "3", 3),
        (int | float, "3.5", 3.5),
        (bool | int, "true", True),
        (bool | int, "1", 1),
        (int | str, "3", "3"),
        (str | None, "null", "null"),
        (int | Path, "3", "3"),
        (Literal["auto"] | int, "auto", "auto"),
        (Literal["auto"] | int, "3", 3),
        (Literal["auto"] | int, "x", "x"),
        (list[int] | str, "[1]", "[1]"),
        (Annotated[int, Ge(1)], "3", 3),
    ],
)
def test_a_text_becomes_the_json_of_its_type(type_: Any, text: str, plain: object) -> None:
    found = read(type_, text)
    assert (found, type(found)) == (plain, type(plain))


@pytest.mark.parametrize(("type_", "text"), [(int, "x"), (bool, "1"), (Level, "2"), (float, "")])
def test_what_has_none_of_the_forms_is_refused_in_the_words_of_the_type(
    type_: Any, text: str
) -> None:
    with pytest.raises(SchemaError, match=r"input\.it: expected") as caught:
        structure(input_of(type_), from_texts(input_of(type_), {"it": text}), place="input")
    assert caught.value.issues[0].received == text


def test_what_is_no_text_and_what_is_unknown_stay_as_they_are() -> None:
    data = {"it": 3, "other": "3"}
    assert from_texts(input_of(int), data) == data
    assert from_texts(input_of(int), {"it": [1]}) == {"it": [1]}


@pytest.mark.parametrize(
    ("type_", "answer"),
    [
        (str, True),
        (bool, True),
        (Level, True),
        (dt.datetime, True),
        (object, True),
        (list[int] | str, True),
        (list[int], False),
        (list[int] | None, False),
        (None, False),
        (dict[str, int], False),
        (input_of(int), False),
    ],
)
def test_arrays_and_objects_cannot_be_text(type_: Any, answer: bool) -> None:
    assert can_be_text(type_) is answer


@given(st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_as_it_is_written(number: float) -> None:
    assert read(type(number), as_text(number)) == number


@given(st.sampled_from(Level))
def test_a_member_of_an_enum_is_read_as_it_is_written(level: Level) -> None:
    assert structure(Level, read(Level, as_text(level.value))) is level
