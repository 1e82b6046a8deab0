"""The validators of attrs: which become constraints, and that those say nothing more."""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import pytest
from attrs import validators as v
from hypothesis import given, strategies as st

from tests.protocol.schema.drafts import is_valid_in_both
from trio_agent.protocol.schema.constraint import (
    CONSTRAINTS,
    AbsoluteUrl,
    Ge,
    Gt,
    Le,
    Lt,
    MaxLength,
    MinLength,
    OneOf,
    Pattern,
)
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.protocol.schema.json_schema import schema_of
from trio_agent.protocol.schema.structuring import structure
from trio_agent.protocol.schema.validators import narrowed


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Sized(enum.Enum):
    SMALL = (1, 2)
    LARGE = (3, 4)


@attrs.frozen
class Point:
    x: int = 0


def _by_hand(*_: object) -> None:
    """A validator that nobody can read."""


def test_the_validators_of_attrs_still_have_the_names_that_are_read_here() -> None:
    # A new attrs that fails here needs a look at `validators`, and nothing else.
    names: dict[Any, Any] = {
        v.ge(1): ("_NumberValidator", {"bound": 1, "compare_op": ">="}),
        v.gt(1): ("_NumberValidator", {"bound": 1, "compare_op": ">"}),
        v.le(1): ("_NumberValidator", {"bound": 1, "compare_op": "<="}),
        v.lt(1): ("_NumberValidator", {"bound": 1, "compare_op": "<"}),
        v.min_len(1): ("_MinLengthValidator", {"min_length": 1}),
        v.max_len(1): ("_MaxLengthValidator", {"max_length": 1}),
        v.in_([1, 2]): ("_InValidator", {"options": (1, 2), "_original_options": [1, 2]}),
        v.optional(_by_hand): ("_OptionalValidator", {"validator": _by_hand}),
        v.and_(_by_hand): ("_AndValidator", {"_validators": (_by_hand,)}),
        v.deep_iterable(_by_hand): (
            "_DeepIterable",
            {"member_validator": _by_hand, "iterable_validator": None},
        ),
        v.deep_mapping(_by_hand, _by_hand): (
            "_DeepMapping",
            {"key_validator": _by_hand, "value_validator": _by_hand, "mapping_validator": None},
        ),
    }
    for validator, (name, parts) in names.items():
        kind: type = type(validator)
        assert kind.__name__ == name
        assert kind.__module__ in {"attr.validators", "attr._make"}
        assert {part: getattr(validator, part) for part in parts} == parts
    matches: Any = v.matches_re("a", func=re.match)
    assert type(matches).__name__ == "_MatchesReValidator"
    assert matches.pattern == re.compile("a")
    assert [
        getattr(v.matches_re("a", func=how), "match_func").__name__  # noqa: B009  # untyped
        for how in (None, re.fullmatch, re.match, re.search)
    ] == ["fullmatch", "fullmatch", "match", "search"]


@pytest.mark.parametrize(
    ("type_", "validator", "expected"),
    [
        (int, v.ge(1), Annotated[int, Ge(1)]),
        (float, v.gt(0.5), Annotated[float, Gt(0.5)]),
        (int | None, v.optional(v.le(3)), Annotated[int | None, Le(3)]),
        (int, v.and_(v.ge(1), v.lt(9)), Annotated[int, Ge(1), Lt(9)]),
        (str, v.min_len(1), Annotated[str, MinLength(1)]),
        (list[int], v.max_len(3), Annotated[list[int], MaxLength(3)]),
        (dict[str, int], v.min_len(1), Annotated[dict[str, int], MinLength(1)]),
        (object, v.min_len(1), Annotated[object, MinLength(1)]),
        (Literal["a", "bb"], v.min_len(2), Annotated[Literal["a", "bb"], MinLength(2)]),
        (
            Annotated[int, Ge(1)] | str,
            v.max_len(1),
            Annotated[Annotated[int, Ge(1)] | str, MaxLength(1)],
        ),
        (str, v.matches_re("a|b"), Annotated[str, Pattern("^(?:a|b)$")]),
        (str, v.matches_re("a$"), Annotated[str, Pattern("^(?:a$)$")]),
        (str, v.matches_re("a", func=re.match), Annotated[str, Pattern("^(?:a)")]),
        (str, v.matches_re("a", func=re.search), Annotated[str, Pattern("a")]),
        (str, v.in_(["b", "a"]), Annotated[str, OneOf(("b", "a"))]),
        (str, v.in_({"b", "a"}), Annotated[str, OneOf(("a", "b"))]),
        (int | None, v.in_([1, None]), Annotated[int | None, OneOf((1,))]),
        (int, v.in_(range(2)), Annotated[int, OneOf((0, 1))]),
        (Colour, v.in_([Colour.RED]), Annotated[Colour, OneOf(("red",))]),
        (Colour | None, v.optional(v.in_(["red"])), Annotated[Colour | None, OneOf(("red",))]),
        (Rank, v.in_([Rank.LOW, 7]), Annotated[Rank, OneOf((1,))]),
        (list[int], v.deep_iterable(v.ge(0)), list[Annotated[int, Ge(0)]]),
        (
            list[int] | None,
            v.optional(v.deep_iterable(v.ge(0), v.max_len(2))),
            Annotated[list[Annotated[int, Ge(0)]] | None, MaxLength(2)],
        ),
        (tuple[int, ...], v.deep_iterable(v.ge(0)), tuple[Annotated[int, Ge(0)], ...]),
        (Sequence[str], v.deep_iterable(v.min_len(1)), Sequence[Annotated[str, MinLength(1)]]),
        (tuple[int, str], v.deep_iterable(v.max_len(1)), tuple[int, Annotated[str, MaxLength(1)]]),
        (
            Mapping[str, int],
            v.deep_mapping(v.min_len(1), v.ge(0), v.max_len(2)),
            Annotated[Mapping[Annotated[str, MinLength(1)], Annotated[int, Ge(0)]], MaxLength(2)],
        ),
        (
            dict[str, int],
            v.deep_mapping(v.min_len(1), v.ge(0)),
            dict[Annotated[str, MinLength(1)], Annotated[int, Ge(0)]],
        ),
    ],
    ids=str,
)
def test_what_means_the_same_on_json_becomes_a_constraint(
    type_: object, validator: object, expected: object
) -> None:
    assert narrowed(type_, validator) == expected


@pytest.mark.parametrize(
    ("type_", "validator"),
    [
        (int, None),
        (int, _by_hand),
        (int, v.instance_of(int)),
        (int, v.or_(v.ge(1), v.le(-1))),
        (int, v.not_(v.ge(1))),
        (int, v.ge(float("inf"))),
        (dt.date, v.ge(dt.date(2026, 1, 1))),
        (Rank, v.ge(Rank.HIGH)),
        (Path, v.min_len(1)),
        (str | Path, v.min_len(1)),
        (Point, v.min_len(1)),
        (int, v.min_len(1)),
        (str, v.min_len(-1)),
        (bool, v.ge(1)),
        (str, v.matches_re("a", re.IGNORECASE)),
        (str, v.matches_re("(?i)a")),
        (bytes, v.matches_re(b"a")),
        (str, v.matches_re("a$", func=re.search)),
        (str, v.in_("abc")),
        (str, v.in_([Colour.RED])),
        (int, v.in_([True])),
        (int, v.in_(["a"])),
        (int, v.in_(range(1_000))),
        (Path, v.in_(["a"])),
        (Colour, v.in_("green")),
        (Rank, v.in_("abc")),
        (Sized, v.in_([Sized.SMALL])),
        (str, v.deep_iterable(v.min_len(1))),
        (list, v.deep_iterable(v.ge(1))),
        (dict, v.deep_mapping(v.min_len(1), v.ge(1))),
        (Point, v.deep_mapping(v.min_len(1), v.ge(1))),
    ],
    ids=str,
)
def test_everything_else_is_left_to_the_constructor(type_: object, validator: object) -> None:
    assert narrowed(type_, validator) == type_


def test_a_schema_says_what_the_validators_say() -> None:
    @attrs.frozen(kw_only=True)
    class Order:
        count: int = attrs.field(validator=[v.ge(1), v.le(9), _by_hand])
        code: str | None = attrs.field(
            default=None, validator=v.optional(v.and_(v.min_len(2), v.matches_re("[a-z]+")))
        )
        size: str = attrs.field(default="m", validator=v.in_(["s", "m"]))

    properties = schema_of(Order, mode="input", dialect="2020-12")["properties"]
    assert properties == {
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "code": {
            "anyOf": [
                {"type": "string", "minLength": 2, "pattern": "^(?:[a-z]+)$"},
                {"type": "null"},
            ],
            "default": None,
        },
        "size": {"type": "string", "enum": ["s", "m"], "default": "m"},
    }


def test_broken_validators_of_several_fields_are_reported_at_once() -> None:
    @attrs.frozen(kw_only=True)
    class Order:
        count: int = attrs.field(validator=v.ge(1))
        tags: list[str] = attrs.field(validator=v.deep_iterable(v.in_(["a", "b"])))

    with pytest.raises(SchemaError) as caught:
        structure(Order, {"count": 0, "tags": ["a", "c"]}, place="input")
    assert [str(issue) for issue in caught.value.issues] == [
        "input.count: expected number >= 1, received 0",
        'input.tags[1]: expected one of: "a", "b", received "c"',
    ]


def _small(text: str) -> str:
    return text.lower()


def test_a_validator_behind_a_converter_is_no_constraint() -> None:
    @attrs.frozen
    class Tag:
        name: str = attrs.field(converter=_small, validator=v.in_(["a", "b"]))

    assert structure(Tag, {"name": "A"}) == Tag("a")
    schema = schema_of(Tag, mode="input", dialect="published")
    assert schema["properties"] == {"name": {"type": "string"}}
    with pytest.raises(SchemaError, match=r"value\.name: expected a value that Tag accepts"):
        structure(Tag, {"name": "C"})


def test_a_class_may_contain_itself_behind_a_validator() -> None:
    assert structure(Chain, {"links": [{"links": []}]}) == Chain([Chain([])])
    with pytest.raises(SchemaError, match=r"value\.links\[0\]\.links: expected array with at most"):
        structure(Chain, {"links": [{"links": [{"links": []}, {"links": []}]}]})


@attrs.frozen
class Chain:
    links: list[Chain] = attrs.field(validator=v.max_len(1))


scalars = st.one_of(
    st.none(), st.integers(-3, 3), st.sampled_from(["", "a", "ab", "b\n", "b", "red", "blue"])
)
drawn_validators = st.recursive(
    st.one_of(
        st.integers(-2, 2).map(v.ge),
        st.integers(-2, 2).map(v.lt),
        st.sampled_from([v.min_len(0), v.min_len(2), v.max_len(0), v.max_len(1)]),
        st.builds(
            v.matches_re,
            st.sampled_from(["a|b", "a?", "b$", "^a", "(?P<x>b)", "."]),
            func=st.sampled_from([None, re.match, re.search]),
        ),
        st.builds(v.in_, st.lists(scalars, max_size=3)),
        st.builds(v.in_, st.sets(st.sampled_from([*Colour, "ab", 1]))),
        st.just(v.instance_of(str)),
    ),
    lambda inner: st.one_of(
        st.builds(v.optional, inner),
        st.builds(v.and_, inner, inner),
        st.builds(v.or_, inner, inner),
        st.builds(v.not_, inner),
    ),
    max_leaves=3,
)
drawn_types = st.sampled_from([int, str, int | None, str | None, int | str, Colour, Colour | None])


@given(drawn_types, drawn_validators, scalars)
def test_a_constraint_never_refuses_what_the_constructor_takes(
    type_: Any, validator: Any, value: object
) -> None:
    plain = attrs.make_class("Plain", {"x": attrs.field(type=type_)})
    checked = attrs.make_class("Checked", {"x": attrs.field(type=type_, validator=validator)})
    try:
        instance: Any = structure(plain, {"x": value})
        checked(instance.x)
    except Exception:  # noqa: BLE001  # a validator may raise anything
        with pytest.raises(SchemaError):
            structure(checked, {"x": value})
        return
    assert structure(checked, {"x": value}) == checked(instance.x)
    schema = schema_of(checked, mode="input", dialect="published")
    assert is_valid_in_both(schema, {"x": value})


def test_every_constraint_has_a_keyword_and_judges_by_kind() -> None:
    # A new kind of constraint without a line in `fragments` would fail here.
    written = {
        kind: schema_of(Annotated[type_, made], mode="input", dialect="2020-12")
        for kind, type_, made in [
            (Ge, int, Ge(1)),
            (Gt, int, Gt(1)),
            (Le, int, Le(1)),
            (Lt, int, Lt(1)),
            (MinLength, str, MinLength(1)),
            (MaxLength, str, MaxLength(1)),
            (Pattern, str, Pattern("a")),
            (OneOf, str, OneOf(("a",))),
            (AbsoluteUrl, str, AbsoluteUrl()),
        ]
    }
    assert set(written) == set(CONSTRAINTS)
    assert all(len(schema) == 2 for schema in written.values())
    assert OneOf((1, "a")).accepts(1)
    assert OneOf((1, "a")).accepts(1.0)
    assert not OneOf((1, "a")).accepts(2)
    assert not OneOf((1, "1")).accepts(True)
