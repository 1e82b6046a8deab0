"""Forms of attrs classes: what a host is sent, and what a component gets."""

from __future__ import annotations

import datetime as dt
import enum
import pathlib
import uuid
from collections.abc import Sequence
from typing import Annotated, Literal

import attrs
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis_jsonschema import from_schema

from trio_agent import Description, Ge, Gt, Le, Lt, MaxLength, MinLength, Pattern
from trio_agent.context.form import make_form
from trio_agent.context.form_schema import SchemaForm
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


@attrs.frozen(kw_only=True)
class Order:
    """Not sent: the message says what it is about."""

    count: Annotated[int, Gt(0), Lt(10), Description("How many")]
    size: Size
    share: Annotated[float, Gt(0), Le(1)] = 0.5
    when: dt.date | None = None
    name: Annotated[str, MinLength(1), MaxLength(9), Pattern("^[a-z]")] = "x"
    ticket: uuid.UUID | None = None
    place: pathlib.Path = pathlib.Path("here")
    sure: bool = False
    paper: Literal["matt", "gloss"] = "matt"
    extras: Annotated[Sequence[Size], MaxLength(2)] = ()
    total: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "total", self.count * 2)


@attrs.frozen
class Nothing:
    """A form that can only be confirmed."""


def test_a_host_is_sent_what_it_can_draw() -> None:
    assert make_form(Order).schema == {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many"},
            "size": {"type": "string", "enum": ["s", "l"]},
            "share": {"type": "number", "maximum": 1, "default": 0.5},
            "when": {"type": "string", "format": "date"},
            "name": {"type": "string", "minLength": 1, "maxLength": 9, "default": "x"},
            "ticket": {"type": "string"},
            "place": {"type": "string", "minLength": 1, "default": "here"},
            "sure": {"type": "boolean", "default": False},
            "paper": {"type": "string", "enum": ["matt", "gloss"], "default": "matt"},
            "extras": {
                "type": "array",
                "items": {"type": "string", "enum": ["s", "l"]},
                "maxItems": 2,
                "default": [],
            },
        },
        "required": ["count", "size"],
    }
    assert make_form(Nothing).schema == {"type": "object", "properties": {}}


def test_the_answer_is_an_instance() -> None:
    form = make_form(Order)
    assert form.read({"count": 2, "size": "l", "when": "2026-01-31", "extras": ["s"]}) == Order(
        count=2, size=Size.LARGE, when=dt.date(2026, 1, 31), extras=(Size.SMALL,)
    )
    assert make_form(Nothing).read({}) == Nothing()


def test_an_input_that_was_left_empty_has_its_default() -> None:
    empty = {"share": None, "when": None, "extras": None, "sure": None}
    assert make_form(Order).read({"count": 2, "size": "s", **empty}) == Order(
        count=2, size=Size.SMALL
    )


def test_what_the_form_does_not_say_is_checked_all_the_same() -> None:
    with pytest.raises(SchemaError) as caught:
        make_form(Order).read({"count": 0, "share": 0, "name": "X", "more": 1})
    assert [issue.path for issue in caught.value.issues] == [
        "answer.content.count",
        "answer.content.size",
        "answer.content.share",
        "answer.content.name",
        "answer.content",
    ]


@given(
    count=st.integers(1, 9),
    content=st.fixed_dictionaries(
        {},
        optional={
            name: from_schema(make_form(Order).schema["properties"][name])  # type: ignore[index]  # a dict
            for name in ("when", "sure", "paper", "extras", "place")
        },
    ),
)
def test_what_fits_the_form_makes_an_instance(count: int, content: dict[str, object]) -> None:
    content = {**content, "count": count, "size": "s"}
    assume("\0" not in str(content.get("place")))  # no JSON Schema says so
    schema = make_form(Order).schema
    assert SchemaForm.of(dict(schema)).read(content) == content
    assert isinstance(make_form(Order).read(content), Order)


@attrs.frozen
class Nested:
    inner: Nothing


@attrs.frozen
class Texts:
    texts: list[str]


@attrs.frozen
class Mixed:
    it: str | int = 1


@attrs.frozen
class Numbers:
    it: Literal[1, 2] = 1


@attrs.frozen
class Maybe:
    it: str | None


@attrs.frozen
class Foreign:
    it: object = None


NO_TYPE = "is of one of the types string, number, integer, boolean, array, received"
UNDRAWABLE: dict[type, str] = {
    Nested: f"the member 'inner' of a form {NO_TYPE} \"object\"",
    Texts: "the member 'texts' of a form is an array of anything but choices",
    Mixed: f"the member 'it' of a form {NO_TYPE} null",
    Numbers: "the member 'it' of a form has 'enum', which hosts do not know; they know default,"
    " description, maximum, minimum, title, type",
    Maybe: "the member 'it' may be None, which an input cannot say: give it a default",
    Foreign: f"the member 'it' of a form {NO_TYPE} null",
}


@pytest.mark.parametrize("type_", UNDRAWABLE, ids=lambda type_: type_.__name__)
def test_what_no_host_can_draw_is_refused_by_class_and_member(type_: type) -> None:
    with pytest.raises(DeclarationError) as caught:
        make_form(type_)
    assert (
        caught.value.message == f"{__name__}.{type_.__qualname__} is no form: {UNDRAWABLE[type_]}"
    )


def test_a_whole_number_with_a_limit_between_whole_numbers_has_none_in_the_form() -> None:
    @attrs.frozen
    class Half:
        it: Annotated[int, Gt(0.5), Ge(0)] = 1

    assert make_form(Half).schema["properties"] == {
        "it": {"type": "integer", "minimum": 0, "default": 1}
    }
