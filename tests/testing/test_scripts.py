"""The scripts of a plugin in a test: the rendered ones in process, the others as processes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
import trio
from trio.testing import MockClock

from tests.testing.folders import opened, write_plugin
from trio_agent.testing import (
    CliOutcome,
    HarnessError,
    Provenance,
    cli_json,
    run_script,
    script_json,
    script_ndjson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.routes.application import PluginApplication

FILES = {
    "scripts/nightly.py": """
        from collections.abc import Sequence
        import trio
        from trio_agent import Agent, Node, ScriptContext, Suspense, component, script

        @component
        async def Tidied() -> Node:
            await trio.sleep(30)
            print("tidied up")
            return Agent.Markdown("All **tidy**.")

        @script(description="Tidy up.")
        async def nightly(argv: Sequence[str], context: ScriptContext) -> Node:
            if "fail" in argv:
                raise ValueError("it is no night")
            surface = context.axes.terminal.value.host_surface
            tidied = Suspense(Tidied(), fallback=Agent.Progress(message="Tidying"))
            return Agent.Result(tidied, value=[surface, *argv])
        """,
    "scripts/count.py": """
        import json
        import sys

        def main(argv, terminal):
            print(json.dumps([terminal.stdout.kind, *argv]))
            print("counted", file=sys.stderr)
            return 4
        """,
    "scripts/whole.py": "print('1')\nprint('2')\nraise ValueError('three')\n",
    "scripts/ends.py": """
        import os
        import signal

        def main():
            os.kill(os.getpid(), signal.SIGKILL)
        """,
    "scripts/waits.py": """
        import pathlib
        import sys
        import time

        def main(argv):
            pathlib.Path(argv[0]).write_text("started", encoding="utf-8")
            time.sleep(3600)
        """,
}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[PluginApplication]:
    with opened(write_plugin(tmp_path / "house", FILES)) as application:
        yield application


async def test_a_rendered_script_gives_its_document_in_process(
    house: PluginApplication, autojump_clock: MockClock
) -> None:
    outcome = await run_script(house, "nightly", ["--deep", "--", "--json"])

    assert outcome == CliOutcome(
        exit_code=0,
        stdout="All **tidy**.\n",
        stderr="tidied up\n",
        status="success",
        value=["script", "--deep", "--", "--json"],
        provenance=Provenance(level="script-dispatch", plugin="house", route="script:nightly"),
    )


async def test_a_rendered_script_on_a_terminal_shows_what_is_waited_for(
    house: PluginApplication, autojump_clock: MockClock
) -> None:
    outcome = await run_script(house, "nightly", tty=True)

    assert "Tidying" in outcome.stderr
    assert outcome.stdout == "All \x1b[1mtidy\x1b[0m.\n"


async def test_a_rendered_script_that_fails_has_the_exit_code_1(house: PluginApplication) -> None:
    outcome = await run_script(house, "nightly", ["fail"])

    assert (outcome.exit_code, outcome.stdout, outcome.status) == (1, "", None)
    assert outcome.stderr == "[render-failed] it is no night\n"


async def test_machines_read_a_value_and_events(
    house: PluginApplication, autojump_clock: MockClock
) -> None:
    assert await script_json(house, "nightly", ["x"]) == ["script", "x"]
    events = await script_ndjson(house, "nightly")
    assert [event["type"] for event in events] == ["shell", "replace", "complete"]
    with pytest.raises(AssertionError, match="expected the exit code 0, received 1"):
        await script_json(house, "nightly", ["fail"])


async def test_case_100_a_program_returns_its_exit_code_or_raises(house: PluginApplication) -> None:
    counted = await run_script(house, "count", ["a", "--json"])
    assert (counted.exit_code, counted.status, counted.value) == (4, None, None)
    assert json.loads(counted.stdout) == ["pipe", "a", "--json"]
    assert counted.stderr == "counted\n"
    assert str(counted.provenance) == "script-dispatch, house, script:count"

    raised = await run_script(house, "whole")
    assert (raised.exit_code, raised.stdout) == (1, "1\n2\n")
    assert "Traceback" in raised.stderr
    assert raised.stderr.endswith("ValueError: three\n")


async def test_lines_that_a_program_prints_are_read_likewise(house: PluginApplication) -> None:
    assert await script_json(house, "count", exit_code=4) == ["pipe", "--json"]
    with pytest.raises(AssertionError, match="expected one line of JSON"):
        await script_json(house, "whole", exit_code=1)


@pytest.mark.skipif(os.name == "nt", reason="has no such signal")
async def test_a_program_that_a_signal_ended_has_the_code_that_a_shell_reports(
    house: PluginApplication,
) -> None:
    assert (await run_script(house, "ends")).exit_code == 137


async def test_a_program_ends_with_the_patience_of_the_test(
    house: PluginApplication, tmp_path: Path
) -> None:
    started = tmp_path / "started"

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_script, house, "waits", [str(started)])
        while not started.exists():
            await trio.sleep(0.01)
        nursery.cancel_scope.cancel()


async def test_a_program_is_told_nothing_but_its_words(house: PluginApplication) -> None:
    with pytest.raises(TypeError, match=r"scripts/count.py is a program of its own, .* told tty"):
        await run_script(house, "count", tty=True)


@pytest.mark.parametrize(
    ("name", "code", "stdout", "stderr"),
    [
        ("--help", 0, "Tidy up.", ""),
        ("nightyl", 2, "", "there is no script 'nightyl'"),
    ],
)
async def test_words_that_start_nothing_are_answered(
    house: PluginApplication, name: str, code: int, stdout: str, stderr: str
) -> None:
    outcome = await run_script(house, name)

    assert (outcome.exit_code, outcome.provenance.route) == (code, None)
    assert stdout in outcome.stdout
    assert stderr in outcome.stderr


async def test_a_script_is_no_command_and_a_plugin_has_to_be_there(
    house: PluginApplication, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match="which has none"):
        await cli_json(house, ["nightly"])
    with pytest.raises(HarnessError, match="script-dispatch, nowhere"):
        await run_script(tmp_path / "nowhere", "nightly")
    with pytest.raises(TypeError, match="list of words"):
        await script_json(house, "nightly", cast("list[str]", "x"))
