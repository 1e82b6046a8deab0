"""Plain forms of attrs instances, at any level, and what has none."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import pathlib
import uuid
from types import MappingProxyType
from typing import Any, Literal

import attrs
import pytest

from trio_agent.errors import ContractError
from trio_agent.limits import DEEPEST
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.plain import NotPlainError, is_instance_of_attrs, to_plain


class Grade(enum.Enum):
    GOOD = "good"
    BAD = ("bad", 2)


class Level(enum.IntEnum):
    LOW = 1


class Name(enum.StrEnum):
    ANNA = "anna"


class Odd(str):
    __slots__ = ()


@attrs.frozen
class Book:
    title: str
    path: pathlib.PurePath = attrs.field(factory=lambda: pathlib.PurePosixPath("/shelf/a"))


@attrs.define
class Holder:
    value: Any
    _hidden: int = 3
    total: int = attrs.field(init=False, default=4)


POINT = collections.namedtuple("POINT", "x y")  # noqa: PYI024  # the untyped one is a tuple too
WHEN = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
KEY = uuid.UUID("12345678-1234-5678-1234-567812345678")


def refusal(value: object) -> str:
    with pytest.raises(ContractError) as caught:
        Json.of({"receipt": Holder(value)})
    assert caught.value.code == "invalid-document"
    return caught.value.message


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ("a", "a"),
        (pathlib.PurePosixPath("/a/b"), "/a/b"),
        (pathlib.PureWindowsPath("c:/a"), "c:\\a"),
        (WHEN, "2026-01-02T03:04:05+00:00"),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (dt.time(3, 4), "03:04:00"),
        (KEY, "12345678-1234-5678-1234-567812345678"),
        (Grade.GOOD, "good"),
        (Grade.BAD, ["bad", 2]),
        (Level.LOW, 1),
        (Name.ANNA, "anna"),
        ([1, (2, [3])], [1, [2, [3]]]),
        (POINT(1, 2), [1, 2]),
        (collections.OrderedDict(a=1), {"a": 1}),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        (Book("x"), {"title": "x", "path": "/shelf/a"}),
        ([{"book": Book("x")}], [{"book": {"title": "x", "path": "/shelf/a"}}]),
    ],
    ids=repr,
)
def test_a_field_has_the_plain_form_of_its_type(value: object, plain: object) -> None:
    assert Json.of({"a": [Holder(value)]}).value == {
        "a": [{"value": plain, "hidden": 3, "total": 4}]
    }


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("a", "a"),
        (3, "3"),
        (-(2**53 - 1), "-9007199254740991"),
        (Grade.GOOD, "good"),
        (Level.LOW, "1"),
        (Name.ANNA, "anna"),
        (pathlib.PurePosixPath("/a"), "/a"),
        (KEY, str(KEY)),
        (WHEN, WHEN.isoformat()),
    ],
    ids=repr,
)
def test_a_key_with_one_obvious_spelling_is_a_string(key: object, name: str) -> None:
    assert to_plain(Holder({key: 1}), "receipt") == {
        "value": {name: 1},
        "hidden": 3,
        "total": 4,
    }


@pytest.mark.parametrize("key", [None, True, 1.5, ("a", 1), b"a", Book("x"), Grade.BAD, 2**53])
def test_a_key_without_an_obvious_spelling_is_refused(key: object) -> None:
    assert refusal({key: 1}).startswith(f"value.receipt.value has the key {key!r:.30}")


def test_two_keys_with_one_spelling_are_never_merged() -> None:
    assert refusal({1: "a", "1": "b"}) == (
        "value.receipt.value has two keys that are both written '1'"
    )


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({1}, "builtins.set"),
        (b"a", "builtins.bytes"),
        (dt.timedelta(1), "datetime.timedelta"),
        (decimal.Decimal(1), "decimal.Decimal"),
        (Book, "builtins.type"),
        (object(), "builtins.object"),
    ],
    ids=["set", "bytes", "timedelta", "Decimal", "class", "object"],
)
def test_a_field_without_a_wire_form_is_refused_with_its_path(value: object, kind: str) -> None:
    assert refusal([0, {"a": value}]) == (
        f"value.receipt.value[1].a is an instance of {kind}, which has no wire form"
    )


@pytest.mark.parametrize("value", [float("nan"), 2**53, Odd("a")], ids=["nan", "int", "str"])
def test_a_scalar_in_a_field_goes_through_the_gate_too(value: object) -> None:
    assert refusal(value).startswith("value.receipt.value is a")


def test_a_field_is_called_by_its_alias() -> None:
    @attrs.frozen
    class Renamed:
        mime_type: Literal["image/png"] = attrs.field(default="image/png", alias="mimeType")

    assert to_plain(Renamed(), "value") == {"mimeType": "image/png"}


def test_a_field_that_was_never_set_is_named() -> None:
    @attrs.define
    class Late:
        total: int = attrs.field(init=False)

    with pytest.raises(NotPlainError, match=r"^receipt\.total was never set$"):
        to_plain(Late(), "receipt")


def test_an_instance_may_hang_as_deep_as_json_may() -> None:
    deep: object = 1
    for _ in range(DEEPEST - 1):
        deep = Holder(deep)

    assert Json.of(deep).depth == DEEPEST
    with pytest.raises(ContractError, match="nests deeper than 256 levels, or is a cycle"):
        Json.of(Holder(deep))


def test_a_cycle_through_fields_is_refused() -> None:
    around = Holder(None)
    around.value = {"around": around}

    assert refusal(around).endswith("nests deeper than 256 levels, or is a cycle")


def test_what_was_given_may_change_later() -> None:
    parts = [1]
    frozen = Json.of(Holder(parts))
    parts.append(2)

    assert frozen.value == {"value": [1], "hidden": 3, "total": 4}


def test_a_class_is_no_instance() -> None:
    assert is_instance_of_attrs(Book("x"))
    assert not is_instance_of_attrs(Book)
    assert not is_instance_of_attrs("x")
