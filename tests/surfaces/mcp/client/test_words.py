"""What words after `trio-agent mcp` mean."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, strategies as st

from trio_agent.surfaces.mcp.client.words import (
    USAGE,
    CommandServer,
    InvokeWish,
    ListWish,
    PluginServer,
    RunWish,
    UsageError,
    Wish,
    read_wish,
    stated_json,
)

DEPOT = PluginServer("./depot")


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("list ./depot", ListWish(server=DEPOT)),
        (
            "list ./depot left --json",
            ListWish(server=PluginServer("./depot", "left"), is_json=True),
        ),
        ("list -- node a.js --json", ListWish(server=CommandServer(("node", "a.js", "--json")))),
        ("invoke ./depot add --input {}", InvokeWish(server=DEPOT, tool="add", text="{}")),
        ("invoke ./depot add --input={}", InvokeWish(server=DEPOT, tool="add", text="{}")),
        (
            "invoke --input-file a.json ./depot left add",
            InvokeWish(server=PluginServer("./depot", "left"), tool="add", file="a.json"),
        ),
        (
            "invoke add --json --input {} -- cat -- x",
            InvokeWish(
                server=CommandServer(("cat", "--", "x")), tool="add", text="{}", is_json=True
            ),
        ),
        ("run ./depot", RunWish(server=DEPOT)),
        ("run ./depot left", RunWish(server=PluginServer("./depot", "left"))),
        ("run ./depot --no-env", RunWish(server=DEPOT, env_files=())),
        (
            "run --env-file a --env-file=b ./depot --no-heartbeat",
            RunWish(server=DEPOT, env_files=("a", "b"), heartbeat=False),
        ),
    ],
)
def test_words_are_a_wish(words: str, wish: Wish) -> None:
    assert read_wish(words.split()) == wish


@pytest.mark.parametrize("words", ["--help", "-h", "list -h", "invoke --help x", "run x --help"])
def test_help_counts_everywhere_before_the_command(words: str) -> None:
    assert read_wish(words.split()) == USAGE


def test_help_of_the_command_is_the_commands_business() -> None:
    wish = read_wish(["list", "--", "server", "--help"])

    assert wish == ListWish(server=CommandServer(("server", "--help")))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("", "expected list, invoke or run, received nothing"),
        ("lisst x", "received 'lisst'"),
        ("--json", "received '--json'"),
        ("list", "expected a plugin and at most one server, received nothing"),
        ("list a b c", "received 'a' 'b' 'c'"),
        ("list a --jsn", "unknown option '--jsn'"),
        ("list a --json=yes", "--json takes no value, received 'yes'"),
        ("list a --json --json", "--json is given twice"),
        ("list a --input {}", "unknown option '--input'"),
        ("list --", "expected a command after it"),
        ("list a -- b", "expected a plugin or a command after --, not 'a' too"),
        ("invoke", "expected a plugin and the name of a tool, received nothing"),
        ("invoke a --input {}", "expected a plugin and the name of a tool, received 'a'"),
        ("invoke a b c d --input {}", "received 'a' 'b' 'c'"),
        ("invoke --input {} -- cat", "expected the name of a tool, received nothing"),
        ("invoke a b --input {} -- cat", "not 'a' too"),
        ("invoke a b", "exactly one of --input and --input-file, received neither"),
        ("invoke a b --input {} --input-file c", "received both"),
        ("invoke a b --input", "--input: expected a value"),
        ("invoke a b --input=", "--input: expected a value"),
        ("invoke a b --input {} --input {}", "--input is given twice"),
        ("run", "expected a plugin"),
        ("run a -- b", "takes no command"),
        ("run a --env-file b --no-env", "exclude each other"),
        ("run a --json", "unknown option '--json'"),
    ],
)
def test_words_that_are_none_say_what_was_expected(words: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_wish(words.split())
    assert named in str(caught.value)


def test_json_is_stated_before_the_command_only() -> None:
    assert stated_json(["list", "--json", "--", "x"])
    assert not stated_json(["list", "--", "x", "--json"])


WORDS = st.sampled_from(
    ["list", "invoke", "run", "a", "--", "--json", "--input", "{}", "--env-file", "--no-env", "-x"]
)


@given(st.lists(WORDS, max_size=8))
def test_any_words_are_a_wish_a_text_or_a_usage_error(words: list[str]) -> None:
    with contextlib.suppress(UsageError):
        assert isinstance(read_wish(words), ListWish | InvokeWish | RunWish | str)
