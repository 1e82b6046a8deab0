"""What a command takes, from its input class, and how help tells it."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NewType

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.protocol.schema.constraint import Description, Ge, Positional
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.surfaces.cli.grammar import (
    Grammar,
    Parameter,
    kebab_case,
    read_grammar,
)
from trio_agent.surfaces.cli.help.describing import describe_command
from trio_agent.surfaces.cli.help.usage import CommandHelp

UserName = NewType("UserName", str)


class Speed(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


@attrs.frozen
class Inner:
    x: int


def of(required: dict[str, Any] | None = None, **defaulted: tuple[Any, object]) -> Grammar:
    """The grammar of a class with these fields."""
    fields = {name: attrs.field(type=type_) for name, type_ in (required or {}).items()}
    fields |= {
        name: attrs.field(type=type_, default=default)
        for name, (type_, default) in defaulted.items()
    }
    return read_grammar(attrs.make_class("Input", fields, frozen=True, kw_only=True))


def the_option(type_: object, default: object = None) -> Parameter:
    (option,) = of(value=(type_, default)).options
    return option


@pytest.mark.parametrize(
    ("type_", "form", "is_repeated"),
    [
        (str, "text", False),
        (Path | None, "text", False),
        (dt.date, "text", False),
        (UserName, "text", False),
        (int, "integer", False),
        (Annotated[int, Ge(1)] | None, "integer", False),
        (float, "number", False),
        (int | float, "number", False),
        (int | float | None, None, False),
        (bool, "flag", False),
        (bool | None, "flag", False),
        (Speed, "choice", False),
        (Literal["a", 1], "choice", False),
        (list[str], "text", True),
        (list[Annotated[int, Ge(1)]] | None, "integer", True),
        (tuple[Speed, ...], "choice", True),
        (Sequence[float], "number", True),
        (list[bool], None, True),
        (tuple[int, int], None, True),
        (dict[str, int], None, False),
        (Inner, None, False),
        (int | str, None, False),
        (object, None, False),
        (bytes, None, False),
    ],
    ids=str,
)
def test_a_type_has_one_form_or_none(type_: object, form: str | None, is_repeated: bool) -> None:
    if form is None:
        with pytest.raises(DeclarationError, match=r"Input\.value has a type without a form"):
            the_option(type_)
    else:
        option = the_option(type_)
        assert (option.form, option.is_repeated) == (form, is_repeated)


def test_options_are_named_in_kebab_case() -> None:
    grammar = of(max_size=(int, 1), maxDepth=(int, 2), _hidden=(int, 3))
    assert [option.target for option in grammar.options] == [
        "--max-size",
        "--max-depth",
        "--hidden",
    ]


@given(st.from_regex(r"[a-z_][a-zA-Z0-9_]*", fullmatch=True))
def test_a_kebab_is_lower_case_without_underscores(name: str) -> None:
    kebab = kebab_case(name)
    assert kebab == kebab.lower().strip("-")
    assert "_" not in kebab
    assert kebab.replace("-", "") == name.replace("_", "").lower()


def test_a_flag_that_is_on_is_switched_off() -> None:
    option = the_option(bool, default=True)
    assert (option.name, option.sets) == ("no-value", False)
    assert the_option(bool, default=False).sets
    assert the_option(bool | None).sets


def test_the_only_required_field_is_the_argument() -> None:
    grammar = of({"directory": Path}, depth=(int, 1))
    assert [one.target for one in grammar.positionals] == ["<directory>"]
    assert [one.target for one in grammar.options] == ["--depth"]


def test_two_required_fields_are_options() -> None:
    grammar = of({"source": Path, "target": Path})
    assert not grammar.positionals
    assert all(option.is_required for option in grammar.options)


def test_what_is_marked_is_an_argument_and_nothing_else_is() -> None:
    grammar = of({"source": Path}, target=(Annotated[Path | None, Positional()], None))
    assert [one.target for one in grammar.positionals] == ["<target>"]
    assert [one.target for one in grammar.options] == ["--source"]


def test_a_computed_field_is_no_option() -> None:
    @attrs.frozen
    class Input:
        x: int = 1
        y: int = attrs.field(init=False, default=2)

    assert [option.name for option in read_grammar(Input).options] == ["x"]


@pytest.mark.parametrize(
    ("required", "defaulted", "message"),
    [
        ({}, {"json": (bool, False)}, "the option --json is taken"),
        ({}, {"a_b": (int, 1), "aB": (int, 1)}, "the option --a-b stands for two fields"),
        ({"on": bool}, {}, "--on is a flag, which needs a default"),
        ({"on": Annotated[bool, Positional()]}, {}, "<on> is a bool"),
        (
            {"a": Annotated[list[str], Positional()], "b": Annotated[str, Positional()]},
            {},
            "<b> comes after one that takes all the rest",
        ),
    ],
    ids=["reserved", "twice", "required flag", "positional flag", "after the rest"],
)
def test_what_could_not_be_read_is_refused(
    required: dict[str, Any], defaulted: dict[str, Any], message: str
) -> None:
    with pytest.raises(DeclarationError, match=message):
        of(required, **defaulted)


def test_no_required_argument_follows_an_optional_one() -> None:
    @attrs.frozen(kw_only=True)
    class Input:
        a: Annotated[int, Positional()] = 1
        b: Annotated[int, Positional()]

    with pytest.raises(DeclarationError, match="<b> is required, but one before it is not"):
        read_grammar(Input)


def test_a_reserved_name_may_be_an_argument() -> None:
    assert of({"json": str}).positionals[0].target == "<json>"


def described(grammar: Grammar) -> CommandHelp:
    return describe_command(grammar, words="run it")


def test_help_tells_defaults_choices_and_repetition() -> None:
    grammar = of(
        size=(Annotated[int, Description("How big.")], 3),
        speed=(Speed, Speed.FAST),
        rank=(Rank | None, None),
        long=(Literal["a rather long choice", "another one"], "another one"),
        tag=(list[str], ("a", "b")),
        made=(list[str], attrs.Factory(list)),
        odd=(str, object()),
        on=(bool, False),
    )
    rows = {
        option.term: (option.description, option.notes) for option in described(grammar).options
    }
    assert rows == {
        "--size <integer>": ("How big.", ("default: 3",)),
        "--speed <fast|slow>": ("", ("default: fast",)),
        "--rank <1|2>": ("", ()),
        "--long <choice>": (
            "",
            ("one of: a rather long choice, another one", "default: another one"),
        ),
        "--tag <string>": ("", ("may be repeated", "default: a, b")),
        "--made <string>": ("", ("may be repeated",)),
        "--odd <string>": ("", ()),
        "--on": ("", ()),
    }


def test_help_tells_the_choices_of_an_argument() -> None:
    grammar = of({"speeds": list[Speed]})
    (argument,) = described(grammar).arguments
    assert argument.placeholder == "<speeds...>"
    assert argument.notes == ("one of: fast, slow",)


def test_a_description_passes_on_what_the_command_says() -> None:
    assert describe_command(
        of({"x": int, "y": int}),
        words="run it",
        description="Do it.",
        aliases=["do"],
        notes=["Twice."],
        has_events=False,
    ) == CommandHelp(
        words="run it",
        description="Do it.",
        aliases=("do",),
        notes=("Twice.",),
        options=described(of({"x": int, "y": int})).options,
        has_events=False,
    )
