"""Constraints: where they hold and what they say."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from trio_agent.protocol.schema.constraint import (
    AbsoluteUrl,
    Constraint,
    Ge,
    Gt,
    Le,
    Lt,
    MaxLength,
    MinLength,
    Pattern,
    wire_kind,
)
from trio_agent.protocol.schema.issues import DeclarationError


@given(st.integers() | st.floats(allow_nan=False), st.integers())
def test_bounds_are_comparisons(value: float, limit: int) -> None:
    assert Ge(limit).accepts(value) is (value >= limit)
    assert Gt(limit).accepts(value) is (value > limit)
    assert Le(limit).accepts(value) is (value <= limit)
    assert Lt(limit).accepts(value) is (value < limit)


@given(st.text() | st.lists(st.none()) | st.dictionaries(st.text(), st.none()), st.integers(0, 9))
def test_lengths_are_counted(value: str | list[None] | dict[str, None], limit: int) -> None:
    assert MinLength(limit).accepts(value) is (len(value) >= limit)
    assert MaxLength(limit).accepts(value) is (len(value) <= limit)


@pytest.mark.parametrize(
    ("constraint", "value", "words"),
    [
        (Ge(1), 0, "number >= 1"),
        (Gt(0.5), 0, "number > 0.5"),
        (Le(1), 2, "number <= 1"),
        (Lt(1), 2, "number < 1"),
        (MinLength(1), "", "non-empty string"),
        (MinLength(1), [], "array with at least 1 item"),
        (MinLength(2), (), "array with at least 2 items"),
        (MinLength(2), "a", "string with at least 2 characters"),
        (MaxLength(1), "ab", "string with at most 1 character"),
        (MaxLength(0), {"a": 1}, "object with at most 0 members"),
        (Pattern("^a$"), "b", "string matching /^a$/"),
        (AbsoluteUrl(), "b", "URL"),
    ],
)
def test_a_constraint_says_what_it_expects(
    constraint: Constraint, value: object, words: str
) -> None:
    assert not constraint.accepts(value)
    assert constraint.words(value) == words


def test_a_pattern_is_found_anywhere() -> None:
    assert Pattern("b").accepts("abc")
    assert not Pattern("^b").accepts("abc")


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org",
        "HTTP://[::1]:80/a%20b?c=d#e",
        "file:///etc/hosts",
        "mailto:a@example.org",
        "urn:uuid:1",
    ],
)
def test_an_absolute_url_is_one(text: str) -> None:
    assert AbsoluteUrl().accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        *["", "a", "/a", "//a/b", "a b:c", "x:", "http:a", "https:///a", "wss://?a", "x:a b"],
        *["x:\u00e4", "x:%2", "x:a\n", "1x:a", "x:<a>"],
    ],
)
def test_what_is_relative_incomplete_or_not_encoded_is_no_url(text: str) -> None:
    assert not AbsoluteUrl().accepts(text)


def test_a_broken_pattern_fails_on_its_own_line() -> None:
    with pytest.raises(DeclarationError, match=r"Pattern\('\('\) is no regular expression"):
        Pattern("(")


@pytest.mark.parametrize("limit", [float("nan"), float("inf"), True, "1", None])
def test_a_bound_that_json_cannot_compare_with_fails_on_its_own_line(limit: Any) -> None:
    for make in (Ge, Gt, Le, Lt):
        with pytest.raises(DeclarationError, match=rf"{make.__name__} takes a finite number"):
            make(limit)


@pytest.mark.parametrize("length", [-1, 1.0, True, "1", None])
def test_a_length_that_nothing_can_have_fails_on_its_own_line(length: Any) -> None:
    for make in (MinLength, MaxLength):
        with pytest.raises(DeclarationError, match=rf"{make.__name__} takes an integer from 0"):
            make(length)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "boolean"),
        (1, "number"),
        (1.5, "number"),
        ("", "string"),
        ([], "array"),
        ((), "array"),
        ({}, "object"),
        (None, "null"),
        (b"", None),
    ],
)
def test_a_value_is_of_one_kind(value: object, kind: str | None) -> None:
    assert wire_kind(value) == kind
