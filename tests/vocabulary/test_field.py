"""The checks that nodes share: place, expectation and what was received."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from tests.strategies import base64_texts, counts, hints, mime_types, names, progress, texts
from trio_agent.errors import ContractError
from trio_agent.vocabulary.field import (
    Annotations,
    annotations_member,
    check_base64,
    check_count,
    check_mime_type,
    check_not_blank,
    check_progress,
    check_text,
    refuse,
    text_member,
)


class Odd(str):
    __slots__ = ()


class OddFloat(float):
    __slots__ = ()


class One(enum.IntEnum):
    ONE = 1


def message(call: Callable[[], object]) -> str:
    with pytest.raises(ContractError) as caught:
        call()
    assert caught.value.code == "invalid-document"
    return caught.value.message


def test_a_refusal_names_the_place_the_expectation_and_the_value() -> None:
    assert message(lambda: refuse("root", "a node", [1])) == "root is a node, received [1]"


def test_a_refusal_quotes_no_megabytes() -> None:
    assert len(message(lambda: refuse("root", "a node", b"x" * 10**6))) < 120


@given(texts())
def test_text_is_any_string(text: str) -> None:
    check_text("here", text)


@pytest.mark.parametrize("value", [None, 3, b"a", ["a"], Odd("a")], ids=repr)
def test_text_is_nothing_but_a_string(value: object) -> None:
    assert message(lambda: check_text("here", value)) == f"here is a string, received {value!r}"


@given(names())
def test_a_name_is_a_string_that_is_not_blank(name: str) -> None:
    check_not_blank("here", name)


@pytest.mark.parametrize("value", ["", " ", "\t\n\u2003", None, 3, Odd("a")], ids=repr)
def test_a_blank_is_no_name(value: object) -> None:
    assert message(lambda: check_not_blank("here", value)) == (
        f"here is a string that is not blank, received {value!r}"
    )


@given(counts())
def test_a_count_is_finite_and_not_negative(count: float) -> None:
    check_count("here", count)


@pytest.mark.parametrize(
    "value",
    [-0.5, math.inf, -math.inf, math.nan, True, "3", None, 1j, OddFloat(1), One.ONE],
    ids=repr,
)
def test_anything_else_is_no_count(value: object) -> None:
    assert message(lambda: check_count("here", value)) == (
        f"here is a finite number that is not negative, received {value!r}"
    )


@pytest.mark.parametrize("value", [-1, 2**53], ids=repr)
def test_an_integer_that_counts_is_one_javascript_holds(value: int) -> None:
    assert message(lambda: check_count("here", value)) == (
        f"here is an integer from 0 to 2**53 - 1, received {value}"
    )


def test_a_count_too_long_to_print_is_refused_like_any_other() -> None:
    assert "<int that cannot be shown>" in message(lambda: check_count("here", 10**5000))


@given(progress())
def test_progress_is_up_to_its_total(fields: tuple[float, float | None, str | None]) -> None:
    check_progress("progress", *fields)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((3, 2, None), "progress completed is at most its total 2, received 3"),
        ((1, 0.5, "m"), "progress completed is at most its total 0.5, received 1"),
        (
            (-0.5, None, None),
            "progress completed is a finite number that is not negative, received -0.5",
        ),
        (
            (0, math.inf, None),
            "progress total is a finite number that is not negative, received inf",
        ),
        ((0, -1, None), "progress total is an integer from 0 to 2**53 - 1, received -1"),
        ((0, None, " "), "progress message is a string that is not blank, received ' '"),
        ((0, None, 3), "progress message is a string that is not blank, received 3"),
    ],
)
def test_progress_that_breaks_a_rule_is_refused(fields: tuple[Any, ...], expected: str) -> None:
    assert message(lambda: check_progress("progress", *fields)) == expected


@given(base64_texts())
def test_base64_of_any_bytes_passes(data: str) -> None:
    check_base64("here", data)


@pytest.mark.parametrize(
    "value",
    ["not base64!", "QQ", "Q", "QQ==\n", "QUFB\nQUFB", "====", "QQ==QQ==", "Q-_=", "é", "\ud800"],
    ids=repr,
)
def test_what_is_not_base64_is_refused(value: str) -> None:
    assert message(lambda: check_base64("here", value)) == (
        f"here is base64 without line breaks, received {value!r}"
    )


@pytest.mark.parametrize("value", ["", " ", b"QQ==", None], ids=repr)
def test_no_base64_at_all_is_refused(value: Any) -> None:
    assert message(lambda: check_base64("here", value)) == (
        f"here is a string that is not blank, received {value!r}"
    )


@given(mime_types())
def test_a_mime_type_may_have_parameters(mime_type: str) -> None:
    check_mime_type("here", mime_type)
    check_mime_type("here", f" {mime_type} ")


@pytest.mark.parametrize(
    "value", ["png", "image/", "/png", "image/png;", "image/png; a", "a b/c", "image/png\n/x"]
)
def test_what_is_no_mime_type_is_refused(value: str) -> None:
    assert message(lambda: check_mime_type("here", value)) == (
        f"here is a MIME type such as image/png, received {value!r}"
    )


@pytest.mark.parametrize("value", ["", " ", None], ids=repr)
def test_no_mime_type_at_all_is_refused(value: Any) -> None:
    assert "not blank" in message(lambda: check_mime_type("here", value))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"audience": ["user"]}, "annotations audience is a tuple, received ['user']"),
        ({"audience": "user"}, "annotations audience is a tuple, received 'user'"),
        (
            {"audience": ("user", "system")},
            "annotations audience is user or assistant, received 'system'",
        ),
        ({"audience": ([],)}, "annotations audience is user or assistant, received []"),
        ({"priority": 1.5}, "annotations priority is between 0 and 1, received 1.5"),
        ({"priority": 2}, "annotations priority is between 0 and 1, received 2"),
        (
            {"priority": True},
            "annotations priority is a finite number that is not negative, received True",
        ),
        (
            {"last_modified": " "},
            "annotations lastModified is a string that is not blank, received ' '",
        ),
    ],
)
def test_annotations_that_break_a_rule_are_refused(fields: Any, expected: str) -> None:
    assert message(lambda: Annotations(**fields)) == expected


def test_annotations_write_what_they_have() -> None:
    full = Annotations(audience=("user",), priority=0.5, last_modified="2026-01-02T03:04:05Z")

    assert full.to_wire() == {
        "audience": ["user"],
        "priority": 0.5,
        "lastModified": "2026-01-02T03:04:05Z",
    }
    assert Annotations().to_wire() == {}


@given(hints())
def test_annotations_are_a_member_of_compact_json(notes: Annotations) -> None:
    assert json.loads('{"a":0' + annotations_member(notes) + "}") == {
        "a": 0,
        "annotations": notes.to_wire(),
    }
    assert annotations_member(None) == ""


@pytest.mark.parametrize("value", [{"audience": ["user"]}, "user", ()], ids=repr)
def test_annotations_are_of_their_class(value: Any) -> None:
    assert message(lambda: annotations_member(value)) == (
        f"annotations is an instance of Annotations, received {value!r}"
    )


@given(texts())
def test_an_optional_text_is_a_member_or_nothing(text: str) -> None:
    assert json.loads('{"a":0' + text_member("b", text) + "}") == {"a": 0, "b": text}
    assert text_member("b", None) == ""


@pytest.mark.parametrize("name", ["audience", "priority", "last_modified"])
def test_annotations_are_frozen(name: str) -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(Annotations(), name, None)


@given(hints(), st.data())
def test_annotations_are_equal_by_their_fields(notes: Annotations, data: st.DataObject) -> None:
    again = attrs.evolve(notes)

    assert again == notes
    assert hash(again) == hash(notes)
    assert attrs.evolve(notes, last_modified=f"{notes.last_modified}!") != notes
