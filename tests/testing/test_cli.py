"""The command line of a plugin in a test: as an author would test a command."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyte
import pytest
import trio
from hypothesis import given, settings, strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.testing.folders import forgotten, opened, write_plugin
from trio_agent.context.observed import Available, Axes, Host
from trio_agent.limits import Limits
from trio_agent.testing import (
    CliOutcome,
    HarnessError,
    Provenance,
    cli_json,
    cli_ndjson,
    invoke_cli,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from trio_agent.routes.application import PluginApplication

    Run = Callable[[PluginApplication, str], Awaitable[object]]

FILES = {
    "plugin.toml": 'name = "Weather"\nversion = "1.0"\n',
    "providers/station.py": """
        from trio_agent import ProviderContext, provider

        @provider
        async def station(context: ProviderContext) -> str:
            raise RuntimeError("the station is far away")
        """,
    "cli/forecast.py": """
        import os
        import trio
        from trio_agent import Agent, Node, Suspense, command, component

        print("printed at import", os.environ.get("WEATHER_TOKEN"))

        @component
        async def Sky(town: str) -> Node:
            await trio.sleep(60)
            if town == "Atlantis":
                raise LookupError("there is no such town")
            print("looked at the sky")
            return Agent.Markdown(f"**{town}**: fair")

        @command(description="Forecast.", render={"max_elapsed_s": 3600})
        async def forecast(town: str, days: int = 1) -> Node:
            sky = Suspense(Sky(town), fallback=Agent.Progress(message="Looking up"))
            return Agent.Result(Agent.Markdown("# Forecast"), sky, value={"town": town})
        """,
    "cli/terminal.py": """
        from trio_agent import CommandContext, command

        @command(description="Tell what is known.")
        async def terminal(context: CommandContext) -> dict[str, object]:
            return {"terminal": context.axes.terminal.to_wire(), "host": context.axes.host.to_wire()}
        """,
    "cli/station.py": """
        from trio_agent import CommandContext, command

        @command(description="Ask the station.")
        async def station(context: CommandContext) -> str:
            return await context.provider("station", str)
        """,
    "cli/echo.py": """
        import sys
        import trio
        from trio_agent import command

        @command(description="Print.")
        async def echo(word: str, times: int = 1, code: int = 0) -> None:
            for _ in range(times):
                print(word)
                await trio.lowlevel.checkpoint()
                print(word, file=sys.stderr)
        """,
    "cli/threaded.py": """
        from trio_agent import command

        @command(description="Print in a thread.")
        def threaded(word: str) -> None:
            print(word)
        """,
    "cli/abandoned.py": """
        import threading
        from trio_agent import command

        go, done = threading.Event(), threading.Event()
        failures: list[Exception] = []

        @command(description="Print too late.")
        def abandoned() -> None:
            go.wait()
            try:
                print("too late")
            except Exception as error:
                failures.append(error)
            done.set()
        """,
    "cli/judge.py": """
        from trio_agent import command

        @command(description="Judge.", exit_code="result")
        async def judge(code: int, rest: tuple[str, ...] = ()) -> dict[str, int]:
            return {"exitCode": code}
        """,
    "cli/patient.py": """
        import trio
        from trio_agent import command

        log: list[str] = []

        @command(description="Wait.")
        async def patient() -> None:
            log.append("started")
            print("waiting")
            try:
                await trio.sleep_forever()
            finally:
                log.append("cleaned up")
        """,
}


@pytest.fixture
def weather(tmp_path: Path) -> Iterator[PluginApplication]:
    with opened(write_plugin(tmp_path / "weather", FILES)) as application:
        yield application


def left_on_screen(text: str) -> list[str]:
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    return [line.rstrip() for line in screen.display if line.strip()]


# ------------------------------------------------------------------------------ one line


async def test_a_command_gives_its_document_and_what_it_printed(
    weather: PluginApplication, autojump_clock: MockClock
) -> None:
    outcome = await invoke_cli(weather, ["forecast", "Oslo"])

    assert outcome == CliOutcome(
        exit_code=0,
        stdout="# Forecast\n\n**Oslo**: fair\n",
        stderr="printed at import None\nlooked at the sky\n",
        status="success",
        value={"town": "Oslo"},
        provenance=Provenance(level="cli-dispatch", plugin="weather", route="cli:forecast"),
    )


async def test_a_part_that_fails_is_told_on_standard_error_and_by_the_exit_code(
    weather: PluginApplication, autojump_clock: MockClock
) -> None:
    outcome = await invoke_cli(weather, ["forecast", "Atlantis"])

    assert (outcome.exit_code, outcome.status) == (1, "represented-error")
    assert outcome.stderr.endswith("[boundary] there is no such town\n")
    assert "**[boundary]** there is no such town" in outcome.stdout


@pytest.mark.parametrize(
    ("words", "code", "stdout", "stderr", "route"),
    [
        ([], 0, "Usage: weather <command>", "", None),
        (["--version"], 0, "Weather 1.0\n", "", None),
        (["forecast", "--help"], 0, "Usage: weather forecast <town>", "printed at", "cli:forecast"),
        (["forcast"], 2, "", "weather: there is no command 'forcast'", None),
        (["judge", "x"], 2, "", '<code>: expected integer, received "x"', "cli:judge"),
        (["judge", "7"], 7, '{"exitCode":7}', "", "cli:judge"),
        (["judge", "700"], 1, '{"exitCode":700}', "weather: value.exitCode: expected", "cli:judge"),
    ],
)
async def test_everything_else_is_said_as_on_a_command_line(
    weather: PluginApplication,
    words: list[str],
    code: int,
    stdout: str,
    stderr: str,
    route: str | None,
) -> None:
    outcome = await invoke_cli(weather, words)

    assert outcome.exit_code == code
    assert stdout in outcome.stdout
    assert bool(stdout) == bool(outcome.stdout)
    assert outcome.stderr.startswith(stderr)
    assert outcome.provenance.route == route


@pytest.mark.parametrize("run", [invoke_cli, cli_json, cli_ndjson])
async def test_the_words_are_a_list(weather: PluginApplication, run: Run) -> None:
    with pytest.raises(TypeError, match="list of words, received 'judge 3'"):
        await run(weather, "judge 3")
    with pytest.raises(TypeError, match=r"list of words, received \['judge', 3\]"):
        await run(weather, ["judge", 3])  # type: ignore[arg-type]  # a slip


async def test_an_option_that_there_is_not_is_refused(weather: PluginApplication) -> None:
    with pytest.raises(TypeError, match="unknown: tyt; a command line is told tty, axes"):
        await invoke_cli(weather, ["judge", "3"], tyt=True)  # type: ignore[call-arg]  # a slip


async def test_a_plugin_that_is_not_there_proves_nothing(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"proof level: cli-dispatch, nowhere\)") as caught:
        await invoke_cli(tmp_path / "nowhere", [])

    assert caught.value.code == "manifest-unavailable"


async def test_a_plugin_that_is_broken_has_a_command_line_that_says_so(tmp_path: Path) -> None:
    files = {**FILES, "plugin.toml": "nam = 1\n"}
    with forgotten(write_plugin(tmp_path / "broken", files)) as root:
        outcome = await invoke_cli(root, ["terminal"])

    assert (outcome.exit_code, outcome.stdout, outcome.value) == (1, "", None)
    assert "plugin.toml:1:1" in outcome.stderr


# ------------------------------------------------------------------------------ the terminal


async def test_case_167_the_streams_are_two_pipes_or_one_terminal_of_80_by_24(
    weather: PluginApplication,
) -> None:
    pipe = {"kind": "pipe", "color": "none"}
    screen = {"kind": "tty", "color": "basic", "columns": 80, "rows": 24}

    for tty, stream in ((False, pipe), (True, screen)):
        outcome = await invoke_cli(weather, ["terminal"], tty=tty)
        value = outcome.value
        assert isinstance(value, dict)
        assert value["terminal"]["value"] == {
            "hostSurface": "cli",
            "stdout": stream,
            "stderr": stream,
            "sharesTarget": tty,
        }


async def test_a_terminal_gets_the_live_part_beside_the_document(
    weather: PluginApplication, autojump_clock: MockClock
) -> None:
    outcome = await invoke_cli(weather, ["forecast", "Oslo"], tty=True)

    assert outcome.exit_code == 0
    assert "Looking up" in outcome.stderr
    assert left_on_screen(outcome.stderr) == ["printed at import None", "looked at the sky"]
    assert "Looking up" not in outcome.stdout
    assert "\x1b[1mOslo\x1b[0m: fair" in outcome.stdout
    assert left_on_screen(outcome.stdout) == [f"{'Forecast':>44}", "Oslo: fair"]


async def test_nothing_of_the_runners_terminal_or_environment_is_read(
    weather: PluginApplication, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await invoke_cli(weather, ["forecast", "Oslo", "--help"], tty=True)
    (weather.plugin.root / ".env").write_text("WEATHER_TOKEN=x\nCOLUMNS=30\n", encoding="utf-8")
    for name, value in {"COLUMNS": "20", "FORCE_COLOR": "3", "CI": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)

    assert (await invoke_cli(weather, ["forecast", "--help"], tty=True)).stdout == before.stdout
    shown = await invoke_cli(weather, ["forecast", "Oslo"], tty=True)
    assert "\x1b[1mOslo\x1b[0m: fair" in shown.stdout
    assert "Looking up" in shown.stderr


async def test_what_is_known_about_the_caller_may_be_given(weather: PluginApplication) -> None:
    host = Available(source="native", value=Host(name="Shell"))

    value = await cli_json(weather, ["terminal"], axes=Axes(host=host))

    assert isinstance(value, dict)
    assert value["host"] == host.to_wire()
    assert value["terminal"]["state"] == "available"


# ------------------------------------------------------------------------------ the runtime


async def test_providers_are_those_of_the_plugin_unless_the_test_has_its_own(
    weather: PluginApplication,
) -> None:
    theirs = await invoke_cli(weather, ["station"])
    assert (theirs.exit_code, theirs.status) == (1, None)
    assert "the station is far away" in theirs.stderr

    assert await cli_json(weather, ["station"], providers={"station": "near"}) == "near"


async def test_a_limit_of_the_runtime_holds(weather: PluginApplication) -> None:
    outcome = await invoke_cli(weather, ["terminal"], limits=Limits(max_events=1))

    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("[event-count-exceeded]")


async def test_a_test_that_is_cancelled_takes_the_invocation_along(
    weather: PluginApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    came_back = False
    printed = sys.stdout, sys.stderr

    async with trio.open_nursery() as nursery:

        async def run() -> None:
            nonlocal came_back
            await invoke_cli(weather, ["patient"])
            came_back = True

        nursery.start_soon(run)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert not came_back
    assert sys.modules["weather.cli.patient"].log == ["started", "cleaned up"]
    assert (sys.stdout, sys.stderr) == printed
    assert capsys.readouterr() == ("", "")


# ------------------------------------------------------------------------------ prints


async def test_prints_of_a_thread_of_a_handler_belong_to_it(
    weather: PluginApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (await invoke_cli(weather, ["threaded", "hello"])).stderr == "hello\n"
    assert capsys.readouterr() == ("", "")


async def test_prints_of_a_thread_that_was_left_behind_are_the_runners(
    weather: PluginApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(invoke_cli, weather, ["abandoned"])
        while "weather.cli.abandoned" not in sys.modules:
            await trio.lowlevel.checkpoint()
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    module = sys.modules["weather.cli.abandoned"]
    module.go.set()
    await trio.to_thread.run_sync(module.done.wait)

    assert module.failures == []
    assert capsys.readouterr() == ("too late\n", "")


async def test_prints_of_the_test_itself_stay_the_tests(
    weather: PluginApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(invoke_cli, weather, ["patient"])
        await wait_all_tasks_blocked()
        print("from the test")
        nursery.cancel_scope.cancel()

    assert capsys.readouterr() == ("from the test\n", "")


@settings(max_examples=20)
@given(
    times=st.lists(st.integers(0, 5), min_size=1, max_size=5),
    schedule=st.random_module(),
)
def test_invocations_that_run_at_the_same_time_print_apart(
    tmp_path_factory: pytest.TempPathFactory, times: list[int], schedule: object
) -> None:
    outcomes: dict[int, CliOutcome] = {}
    printed = sys.stdout

    async def invoke(plugin: PluginApplication, number: int) -> None:
        words = ["echo", f"w{number}", f"--times={times[number]}"]
        outcomes[number] = await invoke_cli(plugin, words, tty=number % 2 == 1)

    async def main(plugin: PluginApplication) -> None:
        async with trio.open_nursery() as nursery:
            for number in range(len(times)):
                nursery.start_soon(invoke, plugin, number)

    root = write_plugin(tmp_path_factory.mktemp("one") / "weather", FILES)
    with opened(root) as application:
        trio.run(main, application)

    for number, count in enumerate(times):
        assert outcomes[number].stderr == f"w{number}\n" * 2 * count
    assert sys.stdout is printed


async def test_a_log_handler_that_was_made_meanwhile_outlives_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "cli/log.py": """
            import logging
            from trio_agent import command

            logger = logging.getLogger("logs.cli.log")
            logger.propagate = False
            logger.addHandler(logging.StreamHandler())

            @command(description="Log.")
            async def log() -> None:
                logger.warning("inside")
            """
    }
    with opened(write_plugin(tmp_path / "logs", files)) as application:
        assert (await invoke_cli(application, ["log"])).stderr == "inside\n"
        logger = logging.getLogger("logs.cli.log")
        logger.warning("outside")
        assert (await invoke_cli(application, ["log"])).stderr == "inside\n"
        logger.handlers.clear()

    assert capsys.readouterr() == ("", "outside\n")


async def test_a_stream_that_somebody_else_put_there_meanwhile_stays(
    weather: PluginApplication, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(invoke_cli, weather, ["patient"])
        await wait_all_tasks_blocked()
        monkeypatch.setattr(sys, "stdout", sys.__stdout__)
        nursery.cancel_scope.cancel()

    assert sys.stdout is sys.__stdout__


# ------------------------------------------------------------------------------ machines


async def test_a_value_and_events_are_read(
    weather: PluginApplication, autojump_clock: MockClock
) -> None:
    assert await cli_json(weather, ["forecast", "Oslo"]) == {"town": "Oslo"}
    assert await cli_json(weather, ["judge", "3"], exit_code=3) == {"exitCode": 3}
    events = await cli_ndjson(weather, ["forecast", "Atlantis"], exit_code=1)
    assert [event["type"] for event in events] == ["shell", "error", "complete"]


async def test_the_option_is_one_also_where_options_end(weather: PluginApplication) -> None:
    assert await cli_json(weather, ["judge", "--", "0"]) == {"exitCode": 0}


async def test_another_exit_code_fails_the_test_and_shows_both_streams(
    weather: PluginApplication,
) -> None:
    with pytest.raises(AssertionError) as caught:
        await cli_json(weather, ["judge", "9"])

    assert str(caught.value) == (
        "expected the exit code 0, received 9 (cli-dispatch, weather, cli:judge);"
        ' standard output:\n{"exitCode":9}\n\nstandard error:\n'
    )


async def test_what_is_no_json_fails_the_test(weather: PluginApplication) -> None:
    with pytest.raises(AssertionError, match=r"expected one line of JSON, received .*:\nWeather 1"):
        await cli_json(weather, ["--version"])
    with pytest.raises(AssertionError, match=r"expected lines of JSON, received .*:\nWeather 1"):
        await cli_ndjson(weather, ["--version"])
    with pytest.raises(AssertionError, match="one line of JSON"):
        await cli_json(weather, ["forecast", "Oslo", "--ndjson"], exit_code=2)
