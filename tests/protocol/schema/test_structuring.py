"""Reading JSON as declared types: what passes, and that everything else is said, at once."""

from __future__ import annotations

import datetime as dt
import enum
import sys
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NewType, TypeVar

import attrs
import pytest

from trio_agent.errors import ContractError
from trio_agent.protocol.schema.constraint import Ge, Le, MaxLength, MinLength, Pattern
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError
from trio_agent.protocol.schema.structuring import structure, value_checker
from trio_agent.vocabulary.json import Json, JsonValue

ShelfId = NewType("ShelfId", str)
T = TypeVar("T")


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Scale(enum.Enum):
    HALF = 0.5
    FULL = 1.0


class Span(enum.Enum):
    SHORT = (1, 2)


@attrs.frozen(kw_only=True)
class Shelf:
    label: str
    books: tuple[Book, ...] = ()
    inner: Shelf | None = None
    note: JsonValue = None


@attrs.frozen(kw_only=True)
class Book:
    title: Annotated[str, MinLength(1)]
    pages: Annotated[int, Ge(1), Le(9_999)]
    _isbn: str | None = attrs.field(default=None)
    colour: Colour = Colour.RED


def issues(type_: object, data: object, place: str = "value") -> list[str]:
    with pytest.raises(SchemaError) as caught:
        structure(type_, data, place=place)
    return [str(issue) for issue in caught.value.issues]


@pytest.mark.parametrize(
    ("type_", "data", "value"),
    [
        (str, "3", "3"),
        (int, 3, 3),
        (float, 3.5, 3.5),
        (bool, False, False),
        (None, None, None),
        (type(None), None, None),
        (object, {"a": [1]}, {"a": [1]}),
        (Any, [None], [None]),
        (Path, "a/b", Path("a/b")),
        (PurePosixPath, "a", PurePosixPath("a")),
        (dt.date, "2026-01-31", dt.date(2026, 1, 31)),
        (dt.time, "09:30", dt.time(9, 30)),
        (dt.datetime, "2026-01-31T09:30:00Z", dt.datetime(2026, 1, 31, 9, 30, tzinfo=dt.UTC)),
        (uuid.UUID, "A" * 8 + "-aaaa-aaaa-aaaa-" + "a" * 12, uuid.UUID("a" * 32)),
        (Colour, "blue", Colour.BLUE),
        (Rank, 2, Rank.HIGH),
        (Scale, 1, Scale.FULL),
        (Span, [1, 2], Span.SHORT),
        (Literal["a", 1], 1, 1),
        (Literal[Colour.RED], "red", Colour.RED),
        (list[int], [1, 2], [1, 2]),
        (list, [1, "a"], [1, "a"]),
        (tuple[int, ...], [1, 2], (1, 2)),
        (tuple, [1], (1,)),
        (tuple[()], [], ()),
        (tuple[int, str], (1, "a"), (1, "a")),
        (Sequence[int], [1], (1,)),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (dict, {"a": None}, {"a": None}),
        (Mapping[Colour, int], {"red": 1}, {Colour.RED: 1}),
        (dict[Path, int], {"a": 1}, {Path("a"): 1}),
        (ShelfId, "s1", "s1"),
        (Annotated[int, "somebody else's"], 1, 1),
        (Annotated[int | None, Ge(1)], None, None),
        (Annotated[ShelfId, MinLength(1)], "s", "s"),
    ],
)
def test_what_fits_becomes_the_declared_value(type_: object, data: object, value: object) -> None:
    read = structure(type_, data)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("type_", "data", "expected"),
    [
        (str, 3, "string"),
        (int, True, "integer"),
        (int, "3", "integer"),
        (int, 3.0, "integer"),
        (float, True, "number"),
        (float, "1", "number"),
        (float, float("inf"), "number"),
        (float, 10**400, "number that a double can hold"),
        (bool, 1, "boolean"),
        (None, 0, "null"),
        (object, {1}, "JSON value"),
        (Path, "", "path"),
        (Path, "a\0b", "path"),
        (Path, 1, "path"),
        (dt.date, "20260131", "date such as 2026-01-31"),
        (dt.date, "2026-13-01", "date such as 2026-01-31"),
        (dt.date, "\u0662\u0660\u0662\u0666-01-31", "date such as 2026-01-31"),
        (dt.datetime, "2026-01-31", "date and time such as 2026-01-31T09:30:00Z"),
        (dt.time, "9:30", "time such as 09:30:00"),
        (uuid.UUID, "a" * 32, "UUID"),
        (Colour, "green", 'one of: "red", "blue"'),
        (Rank, True, "one of: 1, 2"),
        (Span, [1], "one of: [1, 2]"),
        (Span, 1, "one of: [1, 2]"),
        (Literal["a", 1], True, 'one of: "a", 1'),
        (list[str], "abc", "array"),
        (tuple[int], [], "array of 1 item"),
        (tuple[int, int], {}, "array of 2 items"),
        (dict[str, int], [], "object"),
        (Book, [], "object (Book)"),
        (Annotated[int, Ge(1)], 0, "number >= 1"),
        (Annotated[str, Pattern("^a")], "b", "string matching /^a/"),
        (Annotated[Path, MaxLength(1)], "ab", "string with at most 1 character"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(type_: object, data: object, expected: str) -> None:
    with pytest.raises(SchemaError) as caught:
        structure(type_, data)
    (issue,) = caught.value.issues
    assert issue.expected == expected
    assert issue.received is data
    assert issue.path == "value"


def test_every_issue_comes_at_once_with_its_path() -> None:
    data = {
        "label": 1,
        "books": [{"title": "", "pages": 0}, {"pages": "many", "isbn": 5}, 7],
        "inner": {"label": "x", "shelf": True},
    }
    assert issues(Shelf, data, "input") == [
        "input.label: expected string, received 1",
        'input.books[0].title: expected non-empty string, received ""',
        "input.books[0].pages: expected number >= 1, received 0",
        "input.books[1].title: expected string, received nothing",
        'input.books[1].pages: expected integer, received "many"',
        "input.books[1].isbn: expected string or null, received 5",
        "input.books[2]: expected object (Book), received 7",
        (
            'input.inner: expected no unknown key "shelf"'
            ' (known: "label", "books", "inner", "note"), received true'
        ),
    ]


def test_a_class_is_read_by_its_aliases() -> None:
    data = {"label": "a", "books": [{"title": "t", "pages": 3, "isbn": "i"}]}
    assert structure(Shelf, data) == Shelf(label="a", books=(Book(title="t", pages=3, isbn="i"),))
    assert issues(Book, {"title": "t", "pages": 3, "_isbn": "i"})[0].startswith(
        'value: expected no unknown key "_isbn"'
    )


def test_recursive_json_is_any_json() -> None:
    data: dict[str, object] = {"label": "a", "note": {"deep": [[], {"x": None}]}}
    assert structure(Shelf, data).note == {"deep": [[], {"x": None}]}
    assert structure(list[JsonValue], [1, "a", []]) == [1, "a", []]


def test_a_recursive_class_is_read_to_a_reasonable_depth() -> None:
    data: dict[str, object] = {"label": "x"}
    for _ in range(63):
        data = {"label": "x", "inner": data}
    read: Shelf | None = structure(Shelf, data)
    depth = 0
    while read is not None:
        read, depth = read.inner, depth + 1
    assert depth == 64


def test_a_value_that_nests_too_deeply_is_an_issue_not_a_crash() -> None:
    data: dict[str, object] = {"label": "x"}
    for _ in range(sys.getrecursionlimit()):
        data = {"label": "x", "inner": data}
    (issue,) = issues(Shelf, data)
    assert "nests less deeply" in issue


def test_items_and_keys_have_their_own_issues() -> None:
    assert issues(dict[str, list[int]], {"a": [1, "b", None], "c": 1}) == [
        'value.a[1]: expected integer, received "b"',
        "value.a[2]: expected integer, received null",
        "value.c: expected array, received 1",
    ]
    assert issues(dict[Colour, int], {"green": 1}) == [
        'value.green: expected one of: "red", "blue", received "green"'
    ]


def test_two_spellings_of_one_key_do_not_swallow_a_value() -> None:
    (issue,) = issues(dict[Path, int], {"a/b": 1, "a//b": 2})
    assert "two spellings of one key" in issue


def test_a_million_wrong_items_are_a_hundred_issues() -> None:
    with pytest.raises(SchemaError) as caught:
        structure(list[int], ["x"] * 1_000)
    assert len(caught.value.issues) == 100
    assert caught.value.message.endswith("... and 80 more")


def test_all_constraints_of_one_value_are_checked() -> None:
    assert issues(Annotated[str, MinLength(3), Pattern("^a")], "b") == [
        'value: expected string with at least 3 characters, received "b"',
        'value: expected string matching /^a/, received "b"',
    ]


def test_a_schema_error_is_a_contract_error() -> None:
    with pytest.raises(ContractError, match="value: expected integer") as caught:
        structure(int, "x")
    assert caught.value.code == "invalid-document"


def test_a_checker_judges_frozen_json() -> None:
    check = value_checker(list[int])
    check(Json.of([1, 2]))
    with pytest.raises(ContractError, match=r"value\[1\]: expected integer, received true"):
        check(Json.of([1, True]))


def test_a_checker_of_anything_passes_anything() -> None:
    for type_ in (object, Any, Annotated[object, "note"]):
        value_checker(type_)(Json.of({"a": 1}))


@pytest.mark.parametrize(
    "type_",
    [
        bytes,
        list[bytes],
        Annotated[bytes, "x"],
        bytes | None,
        set[int],
        dict[int, int],
        dict[str | None, int],
        complex,
        T,
        Annotated[str, Ge(1)],
        Annotated[bool, Ge(1)],
        Annotated[int, MinLength(1)],
    ],
    ids=str,
)
def test_a_type_without_a_wire_form_is_refused_when_it_is_declared(type_: object) -> None:
    with pytest.raises(DeclarationError) as caught:
        value_checker(type_)
    assert caught.value.code == "invalid-element"


def test_fields_are_refused_with_their_class() -> None:
    @attrs.frozen
    class Holder:
        content: Annotated[bytes, "raw"]

    @attrs.frozen
    class Direct:
        content: bytes

    for type_ in (Holder, Direct):
        with pytest.raises(DeclarationError, match="bytes"):
            value_checker(type_)
