"""Words to an input, or every mistake at once."""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.errors import TrioAgentError
from trio_agent.protocol.schema.constraint import Ge, Le, MinLength, Positional, Url
from trio_agent.surfaces.cli.argv import (
    ParsedArgv,
    parse_argv,
)
from trio_agent.surfaces.cli.call import wants_help
from trio_agent.surfaces.cli.grammar import read_grammar
from trio_agent.surfaces.cli.help.describing import describe_command
from trio_agent.surfaces.cli.usage_error import UsageError, UsageIssue


class Speed(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


@attrs.frozen(kw_only=True)
class Options:
    max_files: Annotated[int, Ge(-10), Le(100)] = 10
    ratio: float = 0.5
    either: int | float = 0
    name: str = ""
    speed: Speed = Speed.FAST
    rank: Literal["top", 3] = 3
    tag: list[Annotated[str, MinLength(2)]] = attrs.field(factory=list)
    limits: tuple[int, ...] | None = None
    loud: bool = False
    cache: bool = True


@attrs.frozen
class Audit:
    directory: Path
    deep: bool = False


@attrs.frozen
class Numbers:
    first: Annotated[int, Positional()]
    others: Annotated[tuple[float, ...], Positional()] = ()


@attrs.frozen
class Span:
    begin: Annotated[int, Positional()]
    end: Annotated[int, Positional()]


@attrs.frozen
class Link:
    link: Url
    more: list[Url] = attrs.field(factory=list)
    other: Url | None = None


@attrs.frozen
class Labels:
    labels: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Pair:
    low: int
    high: int

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


_NO_VALUE = "expected integer, received nothing (the option requires a value)"


def parse(type_: type[attrs.AttrsInstance], *argv: str, has_events: bool = True) -> ParsedArgv:
    grammar = read_grammar(type_)
    return parse_argv(
        grammar,
        argv,
        lambda: describe_command(grammar, words="run it", has_events=has_events),
        has_events=has_events,
    )


def refuse(type_: type[attrs.AttrsInstance], *argv: str, has_events: bool = True) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse(type_, *argv, has_events=has_events)
    return caught.value


def mistakes(type_: type[attrs.AttrsInstance], *argv: str) -> Sequence[str]:
    return [issue.message for issue in refuse(type_, *argv).issues]


@pytest.mark.parametrize(
    ("argv", "value"),
    [
        ("", Options()),
        ("--max-files 3", Options(max_files=3)),
        ("--max-files=3", Options(max_files=3)),
        ("--max-files -5", Options(max_files=-5)),
        ("--max-files +5", Options(max_files=5)),
        ("--ratio 3", Options(ratio=3.0)),
        ("--ratio=-.5e1", Options(ratio=-5.0)),
        ("--either 3", Options(either=3)),
        ("--either 3.0", Options(either=3.0)),
        ("--name -x", Options(name="-x")),
        ("--name -", Options(name="-")),
        ("--name=--x=y", Options(name="--x=y")),
        ("--name=", Options(name="")),
        ("--speed slow", Options(speed=Speed.SLOW)),
        ("--rank 3", Options(rank=3)),
        ("--rank top", Options(rank="top")),
        ("--tag bb --loud --tag=aa --tag bb", Options(tag=["bb", "aa", "bb"], loud=True)),
        ("--limits 1 --limits 2", Options(limits=(1, 2))),
        ("--no-cache", Options(cache=False)),
    ],
)
def test_options_become_the_input(argv: str, value: Options) -> None:
    parsed = parse(Options, *argv.split())
    assert parsed == ParsedArgv(value=value, mode=None)
    assert repr(parsed.value) == repr(value)


@pytest.mark.parametrize(
    ("argv", "value"),
    [
        ("lib", Audit(Path("lib"))),
        ("--deep lib", Audit(Path("lib"), deep=True)),
        ("-- --deep", Audit(Path("--deep"))),
        ("-", Audit(Path("-"))),
        ("- --deep", Audit(Path("-"), deep=True)),
        ("lib --", Audit(Path("lib"))),
        ("--deep -- -x", Audit(Path("-x"), deep=True)),
    ],
)
def test_arguments_may_stand_anywhere(argv: str, value: Audit) -> None:
    assert parse(Audit, *argv.split()).value == value


def test_the_last_argument_takes_the_rest() -> None:
    assert parse(Numbers, "1").value == Numbers(1)
    assert parse(Numbers, "-1", "2", "-3.5", "--", "-4").value == Numbers(-1, (2.0, -3.5, -4.0))
    assert parse(Labels, "a", "-", "b").value == Labels(("a", "-", "b"))


def test_output_modes_are_no_fields() -> None:
    assert parse(Audit, "a", "--json").mode == "json"
    assert parse(Audit, "--ndjson", "a").mode == "ndjson"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("--max-files", f"--max-files: {_NO_VALUE}"),
        ("--max-files --json", f"--max-files: {_NO_VALUE}"),
        ("--max-files --", f"--max-files: {_NO_VALUE}"),
        ("--max-files -", '--max-files: expected integer, received "-"'),
        ("--max-files x", '--max-files: expected integer, received "x"'),
        ("--max-files=", '--max-files: expected integer, received ""'),
        ("--max-files 1.0", '--max-files: expected integer, received "1.0"'),
        ("--max-files 1_0", '--max-files: expected integer, received "1_0"'),
        ("--max-files 101", "--max-files: expected number <= 100, received 101"),
        ("--ratio nan", '--ratio: expected number, received "nan"'),
        ("--ratio 1e999", '--ratio: expected number, received "1e999"'),
        (
            "--speed FAST",
            '--speed: expected one of: "fast", "slow", received "FAST" (did you mean fast?)',
        ),
        ("--tag aa --tag b", '--tag[1]: expected string with at least 2 characters, received "b"'),
        ("--limits 1 --limits x", '--limits[1]: expected integer, received "x"'),
        ("--name a --name b", '--name: expected to be given once, received ["a", "b"]'),
        ("--loud --loud", "--loud: expected to be given once, received [true, true]"),
        ("--loud=true", '--loud: expected no value, it is a flag, received "true"'),
        ("--json=1", '--json: expected no value, it is a flag, received "1"'),
        ("--json --json", '--json: expected to be given once, received ["json", "json"]'),
        (
            "--json --ndjson",
            '--ndjson: expected one of --json and --ndjson, received ["--json", "--ndjson"]',
        ),
        ("--frob", '--frob: expected an option of this command, received "--frob"'),
        (
            "--max_files=3",
            (
                "--max_files: expected an option of this command,"
                ' did you mean --max-files?, received "--max_files"'
            ),
        ),
        ("--version", '--version: expected an option of this command, received "--version"'),
        ("-x", '-x: expected an option with two dashes, or an argument after --, received "-x"'),
        ("-5", '-5: expected an option with two dashes, or an argument after --, received "-5"'),
        ("a b", 'argument 1: expected no arguments, received "a"'),
        ("-", 'argument 1: expected no arguments, received "-"'),
    ],
)
def test_a_mistake_is_named_with_what_was_expected_and_received(argv: str, message: str) -> None:
    assert mistakes(Options, *argv.split()) == [message]


def test_a_negative_number_is_an_argument_only_where_a_number_is_expected() -> None:
    (message,) = mistakes(Audit, "lib", "-5")
    assert message.startswith("-5: expected an option")
    assert mistakes(Numbers, "1", "-x")[0].startswith("-x: expected an option")
    assert mistakes(Numbers, "-") == ['<first>: expected integer, received "-"']


def test_arguments_are_counted() -> None:
    assert mistakes(Audit) == ["<directory>: expected path, received nothing"]
    assert mistakes(Audit, "a", "b", "c") == [
        'argument 2: expected at most 1 argument, received "b"'
    ]
    assert mistakes(Span, "1", "2", "3") == [
        'argument 3: expected at most 2 arguments, received "3"'
    ]
    assert mistakes(Labels) == ["<labels>: expected string, received nothing"]


def test_a_required_option_is_missed() -> None:
    assert mistakes(Pair, "--low", "1") == ["--high: expected integer, received nothing"]


def test_the_whole_input_is_called_input() -> None:
    assert parse(Pair, "--low", "1", "--high", "2").value == Pair(low=1, high=2)
    (message,) = mistakes(Pair, "--low", "2", "--high", "1")
    assert message == (
        "input: expected a value that Pair accepts (low is above high),"
        ' received {"high": 1, "low": 2}'
    )


def test_all_mistakes_come_at_once_and_each_once() -> None:
    argv = "--max-files 101 --name a --name b --speed x --tag --loud=1 -q --frob lib"
    assert [issue.target for issue in refuse(Options, *argv.split()).issues] == [
        "--tag",
        "--loud",
        "-q",
        "--frob",
        "--name",
        "--max-files",
        "--speed",
    ]


def test_an_option_in_trouble_is_not_missed_as_well() -> None:
    assert [issue.target for issue in refuse(Pair, "--low", "--high", "x").issues] == [
        "--low",
        "--high",
    ]


def test_after_an_unknown_option_surplus_words_are_not_counted() -> None:
    (message,) = mistakes(Options, "--frob", "value")
    assert message.startswith("--frob")


def test_the_word_after_an_unknown_option_is_taken_for_its_value() -> None:
    (message,) = mistakes(Span, "1", "--frob", "x")
    assert message.startswith("--frob")
    (message,) = mistakes(Span, "--frob", "x", "1")
    assert message.startswith("--frob")
    assert len(mistakes(Span, "--frob=x", "y", "1")) == 2


def test_help_takes_no_value() -> None:
    assert mistakes(Options, "--help=yes") == [
        '--help: expected no value, it is a flag, received "yes"'
    ]


def test_a_url_is_called_one() -> None:
    assert mistakes(Link, "a/b") == ['<link>: expected URL, received "a/b"']
    assert mistakes(Link, "http:/a", "--more", "b", "--more=x:b") == [
        '<link>: expected URL, received "http:/a"',
        '--more[0]: expected URL, received "b"',
    ]
    assert mistakes(Link) == ["<link>: expected URL, received nothing"]
    assert parse(Link, "https://example.org/a").value == Link(link="https://example.org/a")


def test_events_are_refused_where_there_are_none() -> None:
    error = refuse(Audit, "a", "--ndjson", has_events=False)
    assert error.lines[0] == (
        '--ndjson: expected no --ndjson, this command has no events, received "--ndjson"'
    )


def test_the_error_ends_with_usage_and_hint() -> None:
    error = refuse(Audit)
    assert isinstance(error, TrioAgentError)
    assert error.lines == (
        "<directory>: expected path, received nothing",
        "Usage: run it <directory> [options]",
        "Run `run it --help` for help.",
    )
    assert error.message == error.lines[0]


def test_the_error_tells_machines_the_same() -> None:
    error = refuse(Pair, "--low", "x", "--json")
    assert error.mode == "json"
    assert error.to_wire() == {
        "code": "CLI_INPUT_INVALID",
        "issues": [
            {
                "expected": "integer",
                "message": '--low: expected integer, received "x"',
                "received": "x",
                "target": "--low",
            },
            {
                "expected": "integer",
                "message": "--high: expected integer, received nothing",
                "target": "--high",
            },
        ],
        "usage": "Usage: run it --low <integer> --high <integer> [options]",
    }


def test_an_issue_of_nothing_differs_from_one_of_null() -> None:
    assert UsageIssue(target="--a", expected="x").message == "--a: expected x, received null"


@pytest.mark.parametrize(
    ("argv", "is_wanted"),
    [
        ("", False),
        ("a --help", True),
        ("--name -h", True),
        ("--frob -x -h", True),
        ("-- --help", False),
        ("--help=1", False),
    ],
)
def test_help_counts_anywhere_before_the_end_of_options(argv: str, is_wanted: bool) -> None:
    assert wants_help(argv.split()) is is_wanted


texts = st.text(max_size=8)
_WORDS = ["-", "-x", "--json", "--tag", "--loud", "--", "-5", "--max-files=3"]


@given(
    st.builds(
        Options,
        max_files=st.integers(-10, 100),
        ratio=st.floats(allow_nan=False, allow_infinity=False),
        name=texts,
        speed=st.sampled_from(Speed),
        rank=st.sampled_from(["top", 3]),
        tag=st.lists(st.text(min_size=2, max_size=8), max_size=3),
        limits=st.lists(st.integers(-(2**53) + 1, 2**53 - 1), min_size=1, max_size=3).map(tuple),
        loud=st.booleans(),
        cache=st.booleans(),
    ),
    st.randoms(),
)
def test_what_is_typed_with_equals_signs_arrives(value: Options, random: st.randoms) -> None:  # type: ignore[valid-type]  # a Random
    words = [
        f"--max-files={value.max_files}",
        f"--ratio={value.ratio!r}",
        f"--name={value.name}",
        f"--speed={value.speed.value}",
        f"--rank={value.rank}",
        *(["--loud"] if value.loud else []),
        *([] if value.cache else ["--no-cache"]),
    ]
    random.shuffle(words)  # type: ignore[attr-defined]  # a Random
    ordered = [f"--tag={tag}" for tag in value.tag]
    ordered += [f"--limits={limit}" for limit in value.limits or ()]
    assert parse(Options, *words, *ordered).value == value


@given(st.lists(st.sampled_from(_WORDS) | texts))
def test_any_words_are_an_input_or_lines_that_can_be_printed(argv: list[str]) -> None:
    for type_ in (Options, Audit, Numbers):
        lines: Sequence[str] = ()
        try:
            value: object = parse(type_, *argv).value
        except UsageError as error:
            value, lines = None, error.lines
        assert isinstance(value, type_) is (not lines)
        assert all(len(line.splitlines()) == 1 and line.encode() for line in lines)
        assert all(unicodedata.category(char) != "Cc" for line in lines for char in line)


def test_a_choice_that_was_misspelt_is_told_with_the_one_that_was_meant() -> None:
    @attrs.frozen
    class Chosen:
        mode: Literal["fast", "deep"] = "fast"

    assert mistakes(Chosen, "--mode", "fsat") == [
        '--mode: expected one of: "fast", "deep", received "fsat" (did you mean fast?)'
    ]


def test_an_integer_that_no_document_may_hold_is_told_with_everything_else() -> None:
    integer, speed = mistakes(Options, "--max-files", str(2**53), "--speed", "x")
    assert integer == (
        "--max-files: expected an integer within \u00b1(2**53 - 1), an id belongs in a string,"
        " received 9007199254740992"
    )
    assert speed.startswith("--speed: expected one of")
    assert parse(Span, "0", str(2**53 - 1)).value == Span(0, 2**53 - 1)
