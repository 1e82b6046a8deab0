"""A tool's command line: its grammar, and the way from words to its input."""

import contextlib
import datetime as dt
import enum
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal, cast

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent import AgentError, Description, Ge, Le, tool, tool_command
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.importing import unload
from trio_agent.routes.plugin import Plugin, PluginError
from trio_agent.routes.projections import ToolCommandRecord
from trio_agent.routes.record import ProjectionRecord, RouteRecord
from trio_agent.routes.tool_commands import ToolCommand
from trio_agent.routes.tools import ToolRoute
from trio_agent.surfaces.cli.argv import parse_argv
from trio_agent.surfaces.cli.help.describing import describe_command
from trio_agent.surfaces.cli.help.usage import CommandHelp, command_help
from trio_agent.surfaces.cli.tool_call import ToolCall, open_tool_command
from trio_agent.surfaces.cli.tool_grammar import shown_grammar, tool_grammar
from trio_agent.surfaces.cli.usage_error import UsageError


class Speed(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


@attrs.frozen(kw_only=True)
class Search:
    path: list[str]
    count: Annotated[int, Ge(1), Le(9), Description("How many.")] = 3
    speed: Speed = Speed.FAST
    loud: bool = False
    since: dt.date | None = None


@tool(description="Search.", read_only=True)
async def search(params: Search) -> str:
    return ""


@tool(description="Wipe.")
async def wipe(table: str = "all") -> str:
    return table


def record(
    *, read_only: bool | None = True, said: ToolCommand | None = None, confirm: bool | None = None
) -> ToolCommandRecord:
    path = "mcp/s/tools/search.py"
    known = RouteRecord(
        id="tool:s/search", kind="tool", server="s", path=path, module="m", read_only=read_only
    )
    own = ProjectionRecord(
        server="s", tool="search", path="mcp/s/tools/search_cli.py", module="m", confirm=confirm
    )
    words = ("s", "search")
    return ToolCommandRecord(tool=known, projection=None if said is None else own, words=words)


def called(
    route: ToolRoute = search,
    said: ToolCommand | None = None,
    *,
    read_only: bool | None = True,
    reason: str | None = None,
) -> ToolCall:
    return ToolCall(
        record=record(read_only=read_only, said=said),
        route=route,
        command=said,
        grammar=tool_grammar(route.signature.input_type, said, reason),
    )


def read(call: ToolCall, *argv: str) -> attrs.AttrsInstance:
    def describe() -> CommandHelp:
        return describe_command(call.shown, words="run s search", notes=call.notes)

    return parse_argv(call.grammar, argv, describe, read=call.read).value


def mistakes(call: ToolCall, *argv: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(call, *argv)
    return [issue.message for issue in caught.value.issues]


@tool_command(positionals=["path"], flags={"count": {"name": "top", "aliases": ["most", "n"]}})
def plain() -> None: ...


# ------------------------------------------------------------------------------ the whole input


def test_a_tool_without_a_projection_takes_its_whole_input() -> None:
    call = called()
    assert read(call, "--input", '{"path": ["a"], "count": 2}') == Search(path=["a"], count=2)
    assert read(call, '--input={"path": [], "since": "2026-01-31"}') == Search(
        path=[], since=dt.date(2026, 1, 31)
    )
    assert read(called(wipe)) == read(called(wipe), "--input", "{}", "--json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "--input: expected object (Search), received [1]"),
        ("null", "--input: expected object (Search), received null"),
        ("7", "--input: expected object (Search), received 7"),
        ('"a"', '--input: expected object (Search), received "a"'),
        (
            "{",
            (
                "--input: expected a JSON object (it is not JSON: Expecting property name enclosed in"
                ' double quotes: line 1 column 2 (char 1)), received "{"'
            ),
        ),
        (
            '{"count": NaN}',
            (
                "--input: expected a JSON object (it is not JSON: NaN is not a JSON number), received"
                ' "{\\"count\\": NaN}"'
            ),
        ),
        (
            '{"a": 1, "a": 2}',
            (
                "--input: expected a JSON object (it is not JSON: the member 'a' comes more than"
                ' once), received "{\\"a\\": 1, \\"a\\": 2}"'
            ),
        ),
        (
            '{"count": 9007199254740993}',
            (
                "--input: expected a JSON object (it.count is an integer beyond ±(2**53 - 1),"
                " 9007199254740993; use a string), received"
                ' "{\\"count\\": 9007199254740993}"'
            ),
        ),
        ("{}", "--input.path: expected array, received nothing"),
        ('{"path": [1]}', "--input.path[0]: expected string, received 1"),
    ],
)
def test_what_is_wrong_with_the_whole_input_is_told_in_words_of_the_command_line(
    text: str, message: str
) -> None:
    assert mistakes(called(), "--input", text) == [message]
    assert mistakes(called(said=plain), "--input", text) == [message]


def test_every_mistake_is_told_at_once() -> None:
    call = called(reason="the tool is not declared read-only", read_only=None)
    assert mistakes(call, "--input", '{"path": "a", "count": 0}', "--inptu", "1") == [
        '--inptu: expected an option of this command, did you mean --input?, received "--inptu"',
        (
            "--yes: expected a confirmation, since the tool is not declared read-only, received"
            " nothing"
        ),
        '--input.path: expected array, received "a"',
        "--input.count: expected number >= 1, received 0",
    ]


def test_the_input_is_given_once_and_has_a_value() -> None:
    assert mistakes(called(), "--input", "{}", "--input", "{}") == [
        '--input: expected to be given once, received ["{}", "{}"]'
    ]
    assert mistakes(called(), "--input") == [
        "--input: expected JSON object, received nothing (the option requires a value)"
    ]
    assert mistakes(called(), "a", "--path", "b")[0].startswith("--path: expected an option of")


def test_the_whole_input_stands_alone() -> None:
    for words in (["a"], ["--top", "2"], ["--loud"]):
        assert mistakes(called(said=plain), "--input", "{}", *words) == [
            '--input: expected to be given alone: it is the whole input, received "{}"'
        ]


# ------------------------------------------------------------------------------ confirmation


def test_a_confirmation_is_asked_for_and_never_wrong() -> None:
    careful = called(wipe, reason="the tool is not declared read-only", read_only=False)
    assert mistakes(careful)[0].startswith("--yes: expected a confirmation, since the tool is not")
    for call in (careful, called(wipe)):
        assert read(call, "--yes") == read(called(wipe))
    assert mistakes(careful, "--yes=true") == [
        '--yes: expected no value, it is a flag, received "true"'
    ]


def test_help_tells_what_runs_and_what_has_to_be_confirmed() -> None:
    reason = "the tool is not declared read-only"
    careful = called(wipe, reason=reason, read_only=None)
    text = command_help(describe_command(careful.shown, words="run x", notes=careful.notes))
    assert "Usage: run x --yes [options]" in text
    assert "Runs the MCP tool `tool:s/search`." in text
    assert f"Runs with `--yes` only, since {reason}." in text
    assert "--input <json>   The whole input of the tool. (default: {})" in text
    harmless = called(said=plain)
    text = command_help(describe_command(harmless.shown, words="run x", notes=harmless.notes))
    assert "--yes" not in text
    assert "Its words and options come from `mcp/s/tools/search_cli.py`." in text
    assert "--top <integer>       How many. (also --most, --n) (default: 3)" in text
    assert shown_grammar(careful.grammar) == careful.grammar


def test_a_command_that_asks_for_confirmation_itself_says_so() -> None:
    own = attrs.evolve(called(said=plain), record=record(said=plain, confirm=True))
    assert own.notes[-1] == "Runs with `--yes` only, since mcp/s/tools/search_cli.py asks for it."


# ------------------------------------------------------------------------------ fields


def test_fields_have_the_names_and_the_order_that_were_chosen() -> None:
    call = called(said=plain)
    expected = Search(path=["a", "b"], count=4, speed=Speed.SLOW, loud=True)
    for name in ("top", "most", "n"):
        argv = (f"--{name}", "4", "a", "--speed", "slow", "b", "--loud")
        assert read(call, *argv) == expected
    assert mistakes(call, "a", "--top", "1", "--n", "2") == [
        "--top: expected to be given once, received [1, 2]"
    ]
    assert mistakes(call, "a", "--count", "2")[0].startswith("--count: expected an option of")
    assert mistakes(call, "--top", "12", "--speed", "x") == [
        "<path>: expected string, received nothing",
        "--top: expected number <= 9, received 12",
        '--speed: expected one of: "fast", "slow", received "x"',
    ]


def test_without_a_choice_arguments_are_those_of_a_command() -> None:
    @tool_command()
    def bare() -> None: ...

    @tool_command(positionals=[])
    def none() -> None: ...

    assert read(called(said=bare), "a") == read(called(said=none), "--path", "a")


def test_arguments_come_in_the_order_that_was_chosen() -> None:
    @tool(description="Move.", read_only=True)
    async def move(source: str, target: str) -> str:
        return ""

    @tool_command(positionals=["target", "source"])
    def moved() -> None: ...

    value = read(called(move, moved), "there", "here")
    assert attrs.asdict(value) == {"source": "here", "target": "there"}


def test_a_default_is_part_of_the_command_and_shown() -> None:
    @tool_command(
        flags={
            "path": {"default": ["."], "name": "in", "description": "Where."},
            "loud": {"default": True},
            "count": {"default": 5},
        }
    )
    def defaults() -> None: ...

    call = called(said=defaults)
    assert read(call) == Search(path=["."], count=5, loud=True)
    assert read(call, "--no-loud", "--count", "2", "x") == Search(path=["x"], count=2)
    # The whole input is the tool's own, and has the tool's own defaults.
    assert read(call, "--input", '{"path": []}') == Search(path=[])
    text = command_help(describe_command(call.shown, words="run x"))
    assert "[in...]   Where. (default: .)" in text
    assert "--count <integer>     How many. (default: 5)" in text


def test_a_flag_that_is_off_again_loses_its_no() -> None:
    @tool(description="Cache.", read_only=True)
    async def cache(cached: bool = True, *, deep: bool = True) -> str:
        return ""

    @tool_command(flags={"cached": {"default": False}, "deep": {"name": "shallow"}})
    def off() -> None: ...

    call = called(cache, off)
    value = read(call, "--cached", "--shallow")
    assert attrs.asdict(value) == {"cached": True, "deep": False}
    assert attrs.asdict(read(call)) == {"cached": False, "deep": True}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"count": {"name": "input"}}, "Search: the option --input is taken"),
        ({"count": {"aliases": ["yes"]}}, "Search: the option --yes is taken"),
        ({"count": {"aliases": ["speed"]}}, "Search: the option --speed stands for two fields"),
        ({"count": {"aliases": ["a", "a"]}}, "Search: the option --a stands for two fields"),
    ],
)
def test_names_that_are_taken_are_the_authors_mistake(
    flags: Mapping[str, Mapping[str, object]], message: str
) -> None:
    @tool_command(flags=flags)
    def taken() -> None: ...

    with pytest.raises(DeclarationError, match=message):
        tool_grammar(Search, taken)


def test_a_field_whose_name_is_taken_gets_another_one() -> None:
    @tool(description="Echo.", read_only=True)
    async def echo(input: str, yes: bool = False) -> str:  # noqa: A002  # the field of a tool
        return input

    @tool_command(flags={"input": {"name": "text"}, "yes": {"name": "really"}}, positionals=[])
    def named() -> None: ...

    value = read(called(echo, named), "--text", "a", "--really")
    assert attrs.asdict(value) == {"input": "a", "yes": True}


@attrs.frozen
class Range:
    low: int


@attrs.frozen(kw_only=True)
class Nested:
    range: Range
    more: tuple[Range, ...] = ()
    count: int = 1


@tool(description="Nest.", read_only=True)
async def nest(params: Nested) -> str:
    return ""


def test_a_field_without_a_form_is_given_with_the_whole_input_or_made_by_the_function() -> None:
    @tool_command(flags={"range": {"required": False}})
    def made(flags: dict[str, object]) -> Nested:
        return Nested(range=Range(low=1), count=cast("int", flags.get("count", 0)))

    @tool_command(flags={"range": {"default": {"low": 2}}})
    def fixed() -> None: ...

    call = called(nest, made)
    assert [one.name for one in call.shown.options] == ["count", "input"]
    assert read(call, "--count", "3") == Nested(range=Range(low=1), count=3)
    assert read(called(nest, fixed)) == Nested(range=Range(low=2))
    whole = read(call, "--input", '{"range": {"low": 4}, "more": [{"low": 5}]}')
    assert whole == Nested(range=Range(low=4), more=(Range(low=5),))
    for command in (plain_of("range"), plain_of(None)):
        with pytest.raises(DeclarationError, match="without a form on a command line"):
            tool_grammar(Nested, command)


def plain_of(positional: str | None) -> ToolCommand:
    if positional is None:
        return tool_command()(lambda: None)
    return tool_command(flags={positional: {"required": False}}, positionals=[positional])(
        lambda: None
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            "positionals=['count', 'path']",
            "x_cli.py:3: XInput: the argument <path> is required, but",
        ),
        ("flags={'roto': {}}", "x_cli.py:3: flags: 'roto' is no field of the tool; there are path"),
        ("", ""),
    ],
)
def test_a_tool_and_its_projection_are_opened_together(
    tmp_path: Path, arguments: str, told: str
) -> None:
    tools = tmp_path / "curator_opened" / "mcp" / "s" / "tools"
    tools.mkdir(parents=True)
    text = "from trio_agent import tool\n@tool()\ndef x(path: str, count: int = 1) -> str: ...\n"
    (tools / "x.py").write_text(text, encoding="utf-8")
    text = (
        f"from trio_agent import tool_command\n@tool_command({arguments})\ndef x() -> None: ...\n"
    )
    (tools / "x_cli.py").write_text(text, encoding="utf-8")
    plugin = Plugin(name="curator_opened", root=tmp_path / "curator_opened", origin="folder")
    application = PluginApplication(plugin)
    try:
        command = application.graph.tool_commands[0]
        if told:
            with pytest.raises(PluginError, match=re.escape(told)):
                open_tool_command(application, command)
            return
        opened = open_tool_command(application, command)
        assert opened.id == "tool:s/x"
        assert [one.name for one in opened.grammar.options] == ["count", "input", "yes"]
        assert mistakes(opened, "a")[0].startswith("--yes: expected a confirmation, since the tool")
    finally:
        unload(plugin)


# ------------------------------------------------------------------------------ the function


def mapped(function: Callable[[dict[str, object]], object]) -> ToolCall:
    return called(said=tool_command(flags={"count": {"default": 5}})(function))


def test_a_function_makes_the_input_of_what_was_typed() -> None:
    seen: list[object] = []

    def remember(flags: dict[str, object]) -> object:
        seen.append(dict(flags))
        flags["path"] = [Path("x") / "y"]
        return flags

    assert read(mapped(remember), "a", "--loud") == Search(path=["x/y"], count=5, loud=True)
    assert seen == [{"count": 5, "path": ["a"], "loud": True}]
    # What is given whole is given to the tool.
    assert read(mapped(remember), "--input", '{"path": ["b"]}') == Search(path=["b"])
    assert len(seen) == 1


def test_a_function_may_return_an_instance_of_the_input() -> None:
    value = Search(path=["a"], speed=Speed.SLOW, since=dt.date(2026, 1, 31))
    assert read(mapped(lambda _: value), "x") == value


def test_what_a_function_made_is_judged_by_the_tool() -> None:
    assert mistakes(mapped(lambda flags: {**flags, "count": 99, "speed": "x"}), "a") == [
        "--count: expected number <= 9, received 99",
        '--speed: expected one of: "fast", "slow", received "x"',
    ]


def test_choices_are_left_to_the_function_and_numbers_are_not() -> None:
    def translate(flags: dict[str, object]) -> dict[str, object]:
        return {**flags, "speed": {"snail": "slow"}.get(str(flags.get("speed")), "fast")}

    assert read(mapped(translate), "a", "--speed", "snail") == Search(
        path=["a"], count=5, speed=Speed.SLOW
    )
    assert mistakes(mapped(lambda _: pytest.fail("it was called")), "--count", "many") == [
        "<path>: expected string, received nothing",
        '--count: expected integer, received "many"',
    ]


def test_numbers_of_a_list_are_judged_one_by_one() -> None:
    @tool(description="Add.", read_only=True)
    async def add(numbers: list[int]) -> str:
        return ""

    @tool_command(positionals=[])
    def same(flags: dict[str, object]) -> object:
        return flags

    call = called(add, same)
    assert mistakes(call, "--numbers", "1", "--numbers", "x") == [
        '--numbers[1]: expected integer, received "x"'
    ]
    assert attrs.asdict(read(call, "--numbers", "1", "--numbers", "2")) == {"numbers": [1, 2]}


def test_a_function_is_not_called_when_the_words_are_wrong() -> None:
    call = mapped(lambda _: pytest.fail("it was called"))
    assert mistakes(call, "a", "--unknown") == [
        '--unknown: expected an option of this command, received "--unknown"'
    ]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("since is after\nuntil"), "since is after until"),
        (ValueError(), "ValueError"),
        (KeyError("x"), "KeyError: 'x'"),
        (AgentError("shop", "no such shop"), "[shop] no such shop"),
        (SystemExit(3), "SystemExit: 3"),
        (ValueError("x" * 400), "x" * 300 + "..."),
    ],
)
def test_what_a_function_raises_is_a_usage_error(error: BaseException, told: str) -> None:
    def refuse(flags: dict[str, object]) -> object:
        raise error

    (message,) = mistakes(mapped(refuse), "a")
    name = "test_what_a_function_raises_is_a_usage_error.<locals>.refuse"
    assert message == (
        f'input: expected what {name} accepts ({told}), received {{"count": 5, "path": ["a"]}}'
    )


def test_an_error_that_cannot_be_told_is_still_an_error() -> None:
    class SilentError(ValueError):
        def __str__(self) -> str:
            raise RuntimeError

    def refuse(flags: dict[str, object]) -> object:
        raise SilentError

    (message,) = mistakes(mapped(refuse), "a")
    assert "SilentError)" in message


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (None, "received null"),
        ([1], "received [1]"),
        ({"a": {1}}, "received what is no JSON: input.a is an instance of builtins.set"),
        ({"a": float("nan")}, "received what is no JSON: input.a is a non-finite number, nan"),
    ],
)
def test_what_is_no_input_at_all_is_the_authors_mistake(returned: object, told: str) -> None:
    with pytest.raises(PluginError) as caught:
        read(mapped(lambda _: returned), "a")
    assert str(caught.value).startswith("mcp/s/tools/search_cli.py:1: ")
    assert "returns the input of tool:s/search, an object" in str(caught.value)
    assert told in str(caught.value)


# ------------------------------------------------------------------------------ properties

INPUTS = st.fixed_dictionaries(
    {
        "path": st.lists(
            st.text(max_size=5).filter(lambda text: not text.startswith("-")), min_size=1
        )
    },
    optional={
        "count": st.integers(1, 9),
        "speed": st.sampled_from(["fast", "slow"]),
        "loud": st.just(value=True),
        "since": st.dates().map(dt.date.isoformat),
    },
)

NAMES: Mapping[str, Literal["top", "speed", "since"]] = {
    "count": "top",
    "speed": "speed",
    "since": "since",
}


@given(data=INPUTS, mapper=st.booleans())
def test_options_and_the_whole_input_say_the_same(data: dict[str, object], mapper: bool) -> None:
    @tool_command(positionals=["path"], flags={"count": {"name": "top"}})
    def same(flags: dict[str, object]) -> object:
        return flags

    argv = [*cast("list[str]", data["path"])]
    for field, name in NAMES.items():
        if field in data:
            argv += [f"--{name}", str(data[field])]
    argv += ["--loud"] * ("loud" in data)
    said = same if mapper else plain
    whole = read(called(), "--input", json.dumps(data))
    assert read(called(said=said), *argv) == whole
    assert read(called(said=said), "--input", json.dumps(data)) == whole


@given(
    text=st.text(max_size=30)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
        ),
        max_leaves=5,
    ).map(json.dumps)
)
def test_any_text_is_an_input_or_told_in_lines_of_the_option(text: str) -> None:
    with contextlib.suppress(UsageError):
        read(called(), f"--input={text}")
        return
    told = mistakes(called(), f"--input={text}")
    assert all(line.startswith("--input") and "\n" not in line for line in told)
