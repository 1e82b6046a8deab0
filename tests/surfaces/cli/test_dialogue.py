"""A form as a dialogue: what is asked, and what the typed lines come to."""

from datetime import date
from typing import Annotated, cast

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent import Pattern
from trio_agent.context.form_class import ClassForm
from trio_agent.context.form_schema import SchemaForm
from trio_agent.surfaces.cli.asking.dialogue import FormDialogue


def form(required: list[str] | None = None, **members: object) -> dict[str, object]:
    return {"type": "object", "properties": members, "required": required or []}


PRINT = form(
    ["copies", "size"],
    copies={"type": "integer", "minimum": 1, "default": 1, "description": "How many"},
    size={"type": "string", "title": "Size", "minLength": 2},
    paper={"type": "string", "enum": ["m", "g"], "enumNames": ["matt", "gloss"], "default": "m"},
    glossy={"type": "boolean", "default": True},
    tags={"type": "array", "items": {"type": "string", "enum": ["a", "2"]}, "maxItems": 1},
    ratio={"type": "number", "maximum": 2},
    mail={"type": "string", "format": "email"},
)


def play(schema: dict[str, object], *lines: str | None) -> tuple[list[str], object]:
    """What is shown, and the answer."""
    dialogue = FormDialogue("How?", schema)
    shown = [*dialogue.opening]
    for line in lines:
        shown.append(dialogue.prompt)
        shown.extend(dialogue.feed(line))
    return shown, dialogue.answer


def content(schema: dict[str, object], *lines: str) -> object:
    _, answer = play(schema, *lines)
    assert isinstance(answer, dict)
    assert answer["action"] == "accept"
    return cast("object", answer["content"])


def test_each_field_is_asked_with_what_is_known_of_it() -> None:
    shown, answer = play(PRINT, "3", "A4", "2", "n", "a", "1.5", "x@y")
    assert shown == [
        "How?",
        "(! declines, Ctrl-D cancels)",
        "copies: How many",
        "copies [1]: ",
        "Size: ",
        "  1  matt",
        "  2  gloss",
        "paper (1-2) [matt]: ",
        "glossy [Y/n]: ",
        "  1  a",
        "  2  2",
        "tags (1-2, commas): ",
        "ratio: ",
        "mail (email): ",
    ]
    assert answer == {
        "action": "accept",
        "content": {
            "copies": 3,
            "size": "A4",
            "paper": "g",
            "glossy": False,
            "tags": ["a"],
            "ratio": 1.5,
            "mail": "x@y",
        },
    }


def test_enter_takes_a_default_and_leaves_out_what_may_be_left_out() -> None:
    taken = content(PRINT, "", "A4", "", "", "", "", "")
    assert taken == {"copies": 1, "size": "A4", "paper": "m", "glossy": True}
    several = {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": ["b"]}
    assert play(form(one=several), "")[0][-1] == "one (1-2, commas) [b]: "
    assert content(form(one=several), "") == {"one": ["b"]}


@pytest.mark.parametrize(
    ("member", "line", "said"),
    [
        ({"type": "integer", "minimum": 1}, "0", "expected integer at least 1, received 0"),
        ({"type": "integer"}, "1.0", "expected integer, received 1.0"),
        ({"type": "integer"}, "many", 'expected integer, received "many"'),
        ({"type": "number"}, "1e999", 'expected number, received "1e999"'),
        (
            {"type": "integer", "maximum": 9},
            "8" * 400,
            f"expected integer at most 9, received {'8' * 119}…",
        ),
        ({"type": "boolean"}, "maybe", 'expected boolean, received "maybe"'),
        ({"type": "string"}, " ", "expected string, received nothing"),
        ({"type": "string", "enum": ["a", "b"]}, "3", 'expected one of "a", "b", received "3"'),
        (
            {"type": "array", "items": {"type": "string", "enum": ["a"]}},
            "a, x",
            'expected array, each one of "a", received ["a", "x"]',
        ),
    ],
)
def test_what_does_not_fit_is_told_and_asked_again(
    member: dict[str, object], line: str, said: str
) -> None:
    schema = form(["one"], one=member)
    shown, answer = play(schema, line)
    assert (shown[-1], answer) == (said, None)
    dialogue = FormDialogue("x", schema)
    prompt = dialogue.prompt
    dialogue.feed(line)
    assert dialogue.prompt == prompt


@pytest.mark.parametrize(
    ("typed", "chosen"), [("2", "2"), ("1", "b"), ("B", "b"), ("Two", "2"), ("3", "c"), ("c", "c")]
)
def test_a_choice_is_its_value_its_title_or_its_number(typed: str, chosen: str) -> None:
    titled = [
        {"const": "b", "title": "One"},
        {"const": "2", "title": "two"},
        {"const": "c", "title": "Last"},
    ]
    assert content(form(one={"type": "string", "oneOf": titled}), typed) == {"one": chosen}
    several = {"type": "array", "items": {"anyOf": titled}}
    assert content(form(one=several), f"{typed},,{typed}") == {"one": [chosen]}


@pytest.mark.parametrize("line", ["y", " YES ", "true"])
def test_a_form_without_fields_is_confirmed(line: str) -> None:
    shown, answer = play(form(), line)
    assert (shown, answer) == (["How?", "[y/n]: "], {"action": "accept", "content": {}})


def test_an_integer_is_as_long_as_somebody_likes() -> None:
    for kind in ("integer", "number"):
        assert content(form(one={"type": kind}), "9" * 400) == {"one": int("9" * 400)}


@pytest.mark.parametrize(("line", "value"), [("y", True), ("TRUE", True), ("No", False)])
def test_a_boolean_is_yes_or_no(line: str, *, value: bool) -> None:
    assert content(form(one={"type": "boolean"}), line) == {"one": value}


def test_a_form_without_fields_is_declined_by_no() -> None:
    shown, answer = play(form(), "", "perhaps", "n")
    assert shown[2:-1:2] == [
        "expected y or n, received nothing",
        'expected y or n, received "perhaps"',
    ]
    assert answer == {"action": "decline"}
    assert play(form(), "!")[1] == {"action": "decline"}


def test_an_exclamation_mark_declines_and_the_end_cancels() -> None:
    assert play(PRINT, "3", "!")[1] == {"action": "decline"}
    assert play(PRINT, "3", None)[1] == {"action": "cancel"}
    assert content(form(one={"type": "string"}), "\\!") == {"one": "!"}


def few_nights(stay: "Stay", _attribute: "attrs.Attribute[int]", nights: int) -> None:
    if nights > stay.arrival.day:
        raise ValueError("too many nights")


@attrs.frozen
class Stay:
    arrival: date
    nights: int = attrs.field(default=1, validator=few_nights)
    code: Annotated[str | None, Pattern("[a-z]+")] = None


STAY = ClassForm.of(Stay)


def test_what_only_the_component_knows_of_is_asked_again_when_all_is_filled_in() -> None:
    dialogue = FormDialogue("When?", STAY.schema, STAY.read)
    assert [*map(dialogue.feed, ("tomorrow", "2"))] == [[], []]
    assert dialogue.feed("A1") == ['arrival: expected date such as 2026-01-31, received "tomorrow"']
    assert dialogue.prompt == "arrival (date): "
    assert dialogue.feed("2026-01-31") == ['code: expected string matching /[a-z]+/, received "A1"']
    assert (dialogue.prompt, dialogue.answer) == ("code: ", None)
    # What may be left out may be left out now.
    assert dialogue.feed("") == ()
    content = {"arrival": "2026-01-31", "nights": 2}
    assert dialogue.answer == {"action": "accept", "content": content}


def test_what_is_wrong_with_the_whole_may_be_mended_anywhere() -> None:
    dialogue = FormDialogue("When?", STAY.schema, STAY.read)
    said = [*map(dialogue.feed, ("2026-01-01", "2", ""))][-1]
    assert said[0].startswith("expected a value that Stay accepts (too many nights), received {")
    assert dialogue.prompt == "arrival (date): "
    for line in ("2026-01-02", "2", ""):
        assert not dialogue.feed(line)
    assert dialogue.answer is not None


@given(lines=st.lists(st.sampled_from(["2026-01-02", "2", "3", "x", "X", "", "!", None])))
def test_whatever_is_typed_the_component_can_read_it(lines: list[str | None]) -> None:
    dialogue = FormDialogue("When?", STAY.schema, STAY.read)
    for line in lines:
        if dialogue.answer is None:
            dialogue.feed(line)
    answer = dialogue.answer
    if answer is not None and answer["action"] == "accept":
        assert isinstance(STAY.read(cast("dict[str, object]", answer["content"])), Stay)


MEMBERS = st.sampled_from(
    [
        {"type": "integer", "minimum": -5, "maximum": 5},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "boolean", "default": False},
        {"type": "string", "maxLength": 3, "default": "d"},
        {"type": "string", "format": "date"},
        {"type": "string", "enum": ["1", "a b", "\u00df"]},
        {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}, "minItems": 1},
    ]
)
LINES = st.sampled_from(["", "1", "y", "x", "x,y", "-3", "a b", "!", "0.5", "\u00df"]) | st.text(
    st.characters(exclude_characters="\n"), max_size=6
)


@given(
    members=st.dictionaries(st.sampled_from("abc"), MEMBERS, max_size=3),
    required=st.sets(st.sampled_from("abc")),
    lines=st.lists(LINES | st.none(), max_size=25),
)
def test_whatever_is_typed_an_accepted_form_fits(
    members: dict[str, object], required: set[str], lines: list[str | None]
) -> None:
    schema = form(sorted(required & members.keys()), **members)
    dialogue = FormDialogue("?", schema)
    for line in lines:
        assert dialogue.prompt.endswith(": ")
        assert all(isinstance(said, str) for said in dialogue.feed(line))
        if dialogue.answer is not None:
            break
    answer = dialogue.answer
    if answer is not None and answer["action"] == "accept":
        given_ = cast("dict[str, object]", answer["content"])
        assert SchemaForm.of(schema).read(given_) == given_
