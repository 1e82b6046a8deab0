"""Situations that broke other products, as far as types and values go; BR numbers are ours."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest

from tests.protocol.schema.drafts import is_valid, is_valid_in_both
from trio_agent.errors import ContractError
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError
from trio_agent.protocol.schema.json_schema import input_schema, output_schema, schema_of
from trio_agent.protocol.schema.structuring import structure, value_checker
from trio_agent.vocabulary.json import Json


@attrs.frozen
class Num:
    n: int


@attrs.frozen(kw_only=True)
class Query:
    text: str | None = None
    limit: int = 10
    flag: bool = False
    rest: object = None


class Rude:
    """Cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


def generate() -> Iterator[int]:
    yield 1


@pytest.mark.parametrize("text", ["123", "true", '{"a":1}', "null", "", " ", "\ud800"])
def test_br_06_a_string_stays_the_string_that_was_given(text: str) -> None:
    assert structure(Query, {"text": text}).text == text
    assert is_valid_in_both(input_schema(Query), {"text": text})


def test_br_06_nothing_is_read_out_of_a_string() -> None:
    with pytest.raises(SchemaError) as caught:
        structure(Query, {"limit": "3", "flag": "true", "text": 3}, place="input")
    assert [str(issue) for issue in caught.value.issues] == [
        "input.text: expected string or null, received 3",
        'input.limit: expected integer, received "3"',
        'input.flag: expected boolean, received "true"',
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({}, "value.n: expected integer, received nothing"),
        ({"n": "1"}, 'value.n: expected integer, received "1"'),
        ({"n": True}, "value.n: expected integer, received true"),
        ({"n": None}, "value.n: expected integer, received null"),
        ([], "value: expected object (Num), received []"),
        ({"n": 1, "m": 2}, 'value: expected no unknown key "m" (known: "n"), received 2'),
    ],
)
def test_br_08_a_result_that_breaks_its_type_is_refused_with_its_path(
    value: object, shown: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        value_checker(Num)(Json.of(value))
    assert str(caught.value.issues[0]) == shown
    schema = output_schema(Num)
    assert schema is not None
    assert not is_valid(schema, value)


@pytest.mark.parametrize("value", [{1}, lambda: 1, Rude(), generate(), b"", 1j, object()])
def test_br_08_what_is_no_json_is_named_by_its_class_never_by_its_repr(value: object) -> None:
    with pytest.raises(SchemaError, match=r"value\.n: expected integer, received an instance of"):
        structure(Num, {"n": value})
    with pytest.raises(ContractError, match=r"^value\.n is an instance of"):
        Json.of({"n": value})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_br_10_a_number_that_is_none_is_refused_with_its_path(number: float) -> None:
    with pytest.raises(SchemaError, match=r"value\[1\]: expected number, received"):
        structure(list[float], [1.5, number])
    with pytest.raises(SchemaError, match="JSON value"):
        structure(Query, {"rest": number})
    with pytest.raises(ContractError, match=r"value\.rest\[0\] is a non-finite number"):
        Json.of({"rest": [number]})


def test_br_10_a_schema_is_always_strict_json() -> None:
    class Odd(enum.Enum):
        NAN = float("nan")
        HUGE = float("inf")

    for type_ in (Odd, Literal[Odd.NAN]):
        with pytest.raises(DeclarationError, match=r"non-finite number"):
            schema_of(type_, mode="input", dialect="published")
        with pytest.raises(DeclarationError, match=r"non-finite number"):
            structure(type_, 1)


def test_an_option_without_json_is_a_mistake_of_the_author() -> None:
    class Odd(enum.Enum):
        THING = object()

    for attempt in (lambda: structure(Odd, 1), lambda: output_schema(dict[str, Odd])):
        with pytest.raises(DeclarationError, match=r"Odd.* has no wire form: an option is an"):
            attempt()


def test_an_option_that_is_an_object_is_compared_as_json() -> None:
    class Setting(enum.Enum):
        ONE = {"a": 1, "b": [True]}  # noqa: RUF012  # a member, not a default
        TWO = Num(2)

    assert structure(Setting, {"b": [True], "a": 1}) is Setting.ONE
    assert structure(Setting, {"n": 2}) is Setting.TWO
    schema = schema_of(Setting, mode="input", dialect="published")
    assert schema == {"type": "object", "enum": [{"a": 1, "b": [True]}, {"n": 2}]}
    for other in ({"a": True, "b": [True]}, {"a": 1, "b": [1]}, {"a": 1}, {"n": 2, "m": 1}, 1):
        assert not is_valid(schema, other)
        with pytest.raises(SchemaError):
            structure(Setting, other)


def test_a_lone_surrogate_is_kept_and_shown_as_an_escape() -> None:
    assert structure(str, "\ud800") == "\ud800"
    assert Json.of("\ud800").text == '"\\ud800"'
    with pytest.raises(SchemaError) as caught:
        structure(Num, {"n": "\ud800", "\udfff": 1})
    message = str(caught.value)
    message.encode()
    assert 'value.n: expected integer, received "\\ud800"' in message
    assert 'no unknown key "\\udfff"' in message


def test_a_large_integer_is_read_exactly_and_refused_by_what_leaves() -> None:
    # Claude's 64-bit ids: a JavaScript reader would round them, so a document refuses them.
    assert structure(Num, {"n": 2**53 + 1}) == Num(2**53 + 1)
    with pytest.raises(ContractError, match=r"value\.n is an integer beyond"):
        Json.of(Num(2**53 + 1))


def test_every_mistake_is_told_at_once_with_its_path() -> None:
    @attrs.frozen(kw_only=True)
    class Job:
        names: list[str]
        point: tuple[int, int]
        where: Path
        size: int = attrs.field(default=1, validator=attrs.validators.ge(1))
        mode: Literal["fast", "slow"] = "fast"

    data: Any = json.loads(
        '{"names": ["a", 1], "point": [1, true], "size": 0, "mode": "Fast", "other": null}'
    )
    with pytest.raises(SchemaError) as caught:
        structure(Job, data, place="input")
    assert [str(issue) for issue in caught.value.issues] == [
        "input.names[1]: expected string, received 1",
        "input.point[1]: expected integer, received true",
        "input.where: expected path, received nothing",
        "input.size: expected number >= 1, received 0",
        'input.mode: expected one of: "fast", "slow", received "Fast"',
        (
            'input: expected no unknown key "other"'
            ' (known: "names", "point", "where", "size", "mode"), received null'
        ),
    ]
