"""The reference's behavioural cases, continued: the command line, in real child processes.

The table of all cases is in `test_cases`.  Here, `runtime` cases are 118 to 125, and `surfaces`
cases are 71 to 103.
"""

import json
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.cli.terminal import (
    PATIENCE_S,
    Watched,
    environment,
    program,
    run,
    write_plugin,
)

need_pseudo_terminals()

COMMANDS = {
    "empty": """
        from trio_agent import Agent, Node, command

        @command(description="Nothing.")
        async def empty() -> Node:
            return Agent.Result()
        """,
    "single": """
        import trio
        from trio_agent import Agent, Node, Suspense, command, component

        @component
        async def Part() -> Node:
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return Agent.Markdown("A ready")

        @command(description="One boundary.")
        async def single() -> Node:
            return Agent.Result(
                Agent.Markdown("# Shell"),
                Suspense(Part(), fallback=Agent.Progress(0, None, "loading-a")),
                value={"ready": False},
            )
        """,
    "boom": """
        from pathlib import Path
        import trio
        from trio_agent import Agent, Node, Suspense, command, component

        @component
        async def Late() -> Node:
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return Agent.Markdown("late")

        @component
        async def Boom() -> Node:
            raise ValueError("boundary failed")

        @command(description="A boundary that fails.")
        async def boom() -> Node:
            fallback = Agent.Progress(message="loading")
            return Agent.Result(
                Agent.Markdown("# Shell"),
                Suspense(Boom(), fallback=fallback),
                Suspense(Late(), fallback=fallback),
                value=1,
            )
        """,
    "broken": """
        from trio_agent import Node, command

        @command(description="Fails.")
        async def broken() -> Node:
            raise ValueError("no library")
        """,
    "patient": """
        from pathlib import Path
        import trio
        from trio_agent import command

        @command(description="Waits.")
        async def patient() -> str:
            Path("started").touch()
            try:
                await trio.sleep_forever()
            finally:
                Path("cleaned").touch()
        """,
    "audit": """
        from pathlib import Path
        from typing import Annotated
        from trio_agent import Ge, Le, command

        @command(description="Takes options.")
        async def audit(
            max_files: Annotated[int, Ge(1), Le(100)] = 10, deep: bool = False
        ) -> dict[str, object]:
            Path("ran").touch()
            return {"maxFiles": max_files, "deep": deep}
        """,
    "number": """
        from trio_agent import command

        @command(description="Takes a number.")
        async def number(number: int) -> int:
            return number
        """,
    "word": """
        from trio_agent import command

        @command(description="Takes a word.")
        async def word(word: str) -> str:
            return word
        """,
    "nothing": """
        from trio_agent import command

        @command(description="Answers nothing.")
        async def nothing() -> None:
            return None
        """,
    "unsound": """
        from trio_agent import Agent, Node, command

        @command(description="Not what it promises.", result=int)
        async def unsound() -> Node:
            return Agent.Result(Agent.Text("x"), value="many")
        """,
    "terminal": """
        from trio_agent import CommandContext, command

        @command(description="What is known about the terminal.")
        async def terminal(context: CommandContext) -> dict[str, object]:
            return context.axes.terminal.to_wire()
        """,
    "db/clean_up": """
        from trio_agent import command

        @command(description="Cleans up.")
        async def clean_up() -> str:
            return "clean"
        """,
}


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    write_plugin(tmp_path, COMMANDS)
    return tmp_path


def demo(cwd: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    done = run(["run", "demo", *words], cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} does not come"


# ------------------------------------------------------------------------ runtime F


def test_case_118_an_empty_document_is_no_output(cwd: Path) -> None:
    assert demo(cwd, "empty") == (0, "", "")


def test_case_119_ndjson_is_one_line_for_each_event_and_nothing_else(cwd: Path) -> None:
    command = program("run", "demo", "single", "--ndjson")
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        (cwd / "go").touch()
        rest, stderr = process.communicate(timeout=PATIENCE_S)
    events = [json.loads(line) for line in (first + rest).splitlines()]
    assert [event["type"] for event in events] == ["shell", "replace", "complete"]
    assert [event["sequence"] for event in events] == [0, 1, 2]
    assert (process.returncode, stderr) == (0, b"")


def test_case_121_a_pipe_gets_the_final_markdown_only(cwd: Path) -> None:
    (cwd / "go").touch()
    assert demo(cwd, "single") == (0, "# Shell\n\nA ready\n", "")


def test_case_122_a_terminal_shows_progress_and_then_the_document_alone(cwd: Path) -> None:
    # There each report repaints one line; here every fallback has its own, at most 12 times a second.
    with Watched(["run", "demo", "single"], cwd=cwd) as watched:
        watched.wait_for("loading-a")
        assert watched.text.count("loading-a") == 1
        (cwd / "go").touch()
        assert watched.finish() == 0
        assert [line.strip() for line in watched.lines] == ["Shell", "", "A ready"]


def test_case_124_the_exit_code_tells_success_failure_and_usage_apart(cwd: Path) -> None:
    (cwd / "go").touch()
    assert demo(cwd, "single")[0] == 0
    assert demo(cwd, "boom")[0] == 1
    assert demo(cwd, "single", "--frob")[0] == 2
    assert demo(cwd, "single", "--json", "--ndjson")[0] == 2


def test_case_125_a_failed_invocation_is_one_line_on_standard_error(cwd: Path) -> None:
    # There aborting says "Aborted." and is 1; a signal has the code shells expect, see case 92.
    assert demo(cwd, "broken") == (1, "", "[render-failed] no library\n")


# ------------------------------------------------------------------------ surfaces F


def test_case_071_without_words_there_is_help_and_version_is_name_and_number(cwd: Path) -> None:
    bare = run([], cwd=cwd)
    assert (bare.returncode, bare.stderr) == (0, b"")
    assert b"Usage: trio-agent <command>" in bare.stdout
    version = run(["--version"], cwd=cwd)
    assert (version.returncode, version.stderr) == (0, b"")
    assert re.fullmatch(rb"trio-agent \d\S*\n", version.stdout)


def test_case_073_a_group_without_a_command_is_a_usage_error(cwd: Path) -> None:
    code, stdout, stderr = demo(cwd, "db")
    assert (code, stdout, "clean-up" in stderr) == (2, "", True)


def test_case_074_a_value_follows_its_option_and_is_never_another_option(cwd: Path) -> None:
    assert demo(cwd, "audit", "--max-files=3") == demo(cwd, "audit", "--max-files", "3")
    assert '"maxFiles":3' in demo(cwd, "audit", "--max-files=3")[1]
    for words in (["--max-files"], ["--max-files", "--json"]):
        code, stdout, stderr = demo(cwd, "audit", *words)
        assert (code, stdout, "requires a value" in stderr) == (2, "", True)


def test_case_076_a_flag_takes_no_value(cwd: Path) -> None:
    code, stdout, stderr = demo(cwd, "audit", "--deep=true")
    assert (code, stdout, stderr.startswith("--deep: expected no value")) == (2, "", True)


def test_case_077_minus_five_is_an_argument_where_a_number_is_expected(cwd: Path) -> None:
    assert demo(cwd, "number", "-5", "--json") == (0, "-5\n", "")
    code, stdout, stderr = demo(cwd, "word", "-5")
    assert (code, stdout, stderr.startswith("-5: expected an option")) == (2, "", True)


def test_case_079_plain_data_is_one_canonical_line(cwd: Path) -> None:
    canonical = (0, '{"deep":false,"maxFiles":10}\n', "")
    assert demo(cwd, "audit") == canonical
    assert demo(cwd, "audit", "--json") == canonical
    assert demo(cwd, "nothing") == demo(cwd, "nothing", "--json") == (0, "null\n", "")
    # There a string is quoted as well. Here it is the text that its reader asked for.
    assert demo(cwd, "word", "caf\u00e9") == (0, "caf\u00e9\n", "")
    assert demo(cwd, "word", "caf\u00e9", "--json") == (0, '"caf\u00e9"\n', "")


def test_case_080_a_value_that_is_not_as_declared_is_a_failure(cwd: Path) -> None:
    code, stdout, stderr = demo(cwd, "unsound")
    assert (code, stdout) == (1, "")
    assert stderr == '[invalid-document] value: expected integer, received "many"\n'


def test_case_082_a_broken_bound_names_place_expectation_and_value(cwd: Path) -> None:
    code, stdout, stderr = demo(cwd, "audit", "--max-files", "101")
    assert (code, stdout) == (2, "")
    first, usage, hint = stderr.splitlines()
    assert first == "--max-files: expected number <= 100, received 101"
    assert (usage[:6], hint[:4]) == ("Usage:", "Run ")
    assert not (cwd / "ran").exists()


def test_case_083_machines_get_one_object_on_standard_error(cwd: Path) -> None:
    code, stdout, stderr = demo(cwd, "audit", "--max-files", "101", "--json")
    assert (code, stdout, stderr.count("\n")) == (2, "", 1)
    error = json.loads(stderr)["error"]
    assert error["code"] == "CLI_INPUT_INVALID"
    assert error["issues"][0] == {
        "target": "--max-files",
        "expected": "number <= 100",
        "received": 101,
        "message": "--max-files: expected number <= 100, received 101",
    }
    assert "--help" not in stderr


def test_case_085_json_and_ndjson_exclude_each_other_and_data_has_no_events(cwd: Path) -> None:
    both = demo(cwd, "single", "--json", "--ndjson")
    assert both[:2] == (2, "")
    assert both[2].startswith("--ndjson: expected one of --json and --ndjson, received [")
    code, stdout, stderr = demo(cwd, "audit", "--ndjson")
    assert (code, stderr) == (2, "")
    event = json.loads(stdout)
    assert (event["type"], event["sequence"]) == ("error", 0)
    assert event["error"]["message"] == (
        '--ndjson: expected no --ndjson, this command has no events, received "--ndjson"'
    )
    assert not (cwd / "ran").exists()


def test_case_086_markdown_has_no_trace_of_a_fallback_and_ends_its_line(cwd: Path) -> None:
    (cwd / "go").touch()
    _, stdout, _ = demo(cwd, "single")
    assert "loading" not in stdout
    assert stdout.endswith("ready\n")


def test_case_088_json_is_the_final_value_only(cwd: Path) -> None:
    (cwd / "go").touch()
    assert demo(cwd, "single", "--json") == (0, '{"ready":false}\n', "")


def test_case_089_every_line_of_ndjson_is_an_event_and_one_is_complete(cwd: Path) -> None:
    (cwd / "go").touch()
    code, stdout, stderr = demo(cwd, "boom", "--ndjson")
    events = [json.loads(line) for line in stdout.splitlines()]
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert [event["type"] for event in events].count("complete") == 1
    assert (code, stderr, events[-1]["type"]) == (1, "", "complete")


def test_case_091_a_rejection_is_told_early_and_stands_in_the_document(cwd: Path) -> None:
    command = program("run", "demo", "boom")
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        # The document cannot be there yet: the other boundary waits for the file.
        assert process.stderr.readline() == b"[boundary] boundary failed\n"
        (cwd / "go").touch()
        stdout, rest = process.communicate(timeout=PATIENCE_S)
    assert stdout.decode() == "# Shell\n\n**[boundary]** boundary failed\n\nlate\n"
    assert (process.returncode, rest) == (1, b"")

    assert demo(cwd, "boom", "--json")[:2] == (1, "1\n")
    lines = demo(cwd, "boom", "--ndjson")[1].splitlines()
    assert "error" in [json.loads(line)["type"] for line in lines]


def test_case_092_an_interrupt_cancels_says_so_and_is_130(cwd: Path) -> None:
    command = program("run", "demo", "patient")
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        wait_for(cwd / "started")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S) == (b"", b"Interrupted.\n")
    assert process.returncode == 130
    assert (cwd / "cleaned").exists()


# ------------------------------------------------------------------------ surfaces G


def axis(raw: bytes) -> dict[str, object]:
    """The terminal axis, as the command saw it."""
    return cast("dict[str, object]", json.loads(raw)["value"])


def colour(raw: bytes) -> object:
    """That of standard output."""
    return cast("dict[str, object]", axis(raw)["stdout"])["color"]


TERMINAL = ["run", "demo", "terminal", "--json"]


@pytest.mark.parametrize(("body", "code"), [("return 4", 4), ("raise ValueError('no')", 1)])
def test_case_100_what_main_of_a_plain_script_returns_is_the_exit_code(
    tmp_path: Path, body: str, code: int
) -> None:
    script = tmp_path / "demo" / "scripts" / "plain.py"
    script.parent.mkdir(parents=True)
    script.write_text(f"def main(argv, terminal):\n    {body}\n", encoding="utf-8")

    done = run(["script", "demo", "plain"], cwd=tmp_path)

    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.startswith(b"Traceback (most recent call last):\n") is (code == 1)


@pytest.mark.parametrize(
    ("settings", "depth"),
    [({"FORCE_COLOR": "0"}, "none"), ({"NO_COLOR": "1"}, "none"), ({"TERM": "dumb"}, "none")],
)
def test_case_101_a_terminal_can_be_told_to_have_no_colour(
    cwd: Path, settings: Mapping[str, str], depth: str
) -> None:
    with Watched(TERMINAL, cwd=cwd, columns=1000) as plain:
        assert plain.finish() == 0
    assert colour(plain.raw) == "256"
    with Watched(TERMINAL, cwd=cwd, columns=1000, settings=settings) as watched:
        assert watched.finish() == 0
    assert colour(watched.raw) == depth


@pytest.mark.parametrize(
    ("settings", "depths"),
    [
        ({}, {"none"}),
        ({"FORCE_COLOR": "3"}, {"truecolor"}),
        ({"CLICOLOR_FORCE": "1"}, {"basic", "256", "truecolor"}),
    ],
)
def test_case_101_a_pipe_can_be_told_to_have_colour(
    cwd: Path, settings: Mapping[str, str], depths: set[str]
) -> None:
    done = run(TERMINAL, cwd=cwd, settings=settings)
    assert colour(done.stdout) in depths


def test_case_103_one_file_behind_both_streams_is_known(cwd: Path) -> None:
    with (cwd / "both").open("wb") as both:
        run(TERMINAL, cwd=cwd, stdout=both.fileno(), stderr=subprocess.STDOUT)
    assert axis((cwd / "both").read_bytes())["sharesTarget"] is True
    assert axis(run(TERMINAL, cwd=cwd).stdout)["sharesTarget"] is False
