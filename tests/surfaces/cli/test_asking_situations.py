"""What may happen to a process while a command asks: signals, resizes, lost readers, odd locales.

Real processes on real terminals.  What may happen while nobody is asked is in `test_command_line`
and `test_on_terminal`.
"""

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path

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
    "all": """
        from datetime import date
        from typing import Annotated, Literal
        import attrs
        from trio_agent import CommandContext, Description, Ge, command
        from trio_agent import Pattern

        @attrs.frozen
        class Order:
            name: Annotated[str, Description("Who it is for")]
            day: date
            paper: Literal["matt", "gloss"]
            copies: Annotated[int, Ge(1)] = 1
            scale: float = 1.0
            framed: bool = True
            extras: list[Literal["tape", "box", "card"]] = []
            code: Annotated[str | None, Pattern("[A-Z]+")] = None

        @command(description="Ask for everything that a form may hold.")
        async def all(context: CommandContext) -> dict[str, object]:
            answer = await context.elicit("What is it to be?", Order)
            order = answer.content
            return {} if order is None else {
                "name": order.name, "day": order.day.isoformat(), "paper": order.paper,
                "copies": order.copies, "scale": order.scale, "framed": order.framed,
                "extras": order.extras, "code": order.code,
            }
        """,
    "name": """
        import attrs
        from trio_agent import Agent, CommandContext, Node, command

        @attrs.frozen
        class Name:
            name: str

        @command(description="Ask for a name.")
        async def name(context: CommandContext) -> Node:
            answer = await context.elicit("Who is it? \\u2713", Name)
            return Agent.Text("\\n".join([f"{answer.content}"] * 20_000))
        """,
    "beside": """
        import attrs
        import trio
        from pathlib import Path
        from trio_agent import Agent, CommandContext, Node, Suspense, command, component

        @attrs.frozen
        class Name:
            name: str

        @component
        async def Ask(context: CommandContext, stubborn: bool) -> Node:
            try:
                return Agent.Text((await context.elicit("Who is it?", Name)).action)
            finally:
                if stubborn:
                    Path("cleaning").touch()
                    with trio.CancelScope(shield=True):
                        await trio.sleep_forever()

        @component
        async def Other() -> Node:
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return Agent.Text("other")

        @command(description="Ask beside other work.")
        async def beside(context: CommandContext, stubborn: bool = False) -> Node:
            return [
                Suspense(Ask(context, stubborn), fallback=Agent.Progress(message="Asking")),
                Suspense(Other(), fallback=Agent.Progress(1, total=4, message="Working")),
            ]
        """,
    "tells": """
        import trio
        from trio_agent import Agent, CommandContext, Node, Suspense, command, component

        @component
        async def Wait(context: CommandContext) -> Node:
            context.log("info", "not worth a line")
            context.log("warning", {"files": 3}, logger="scan")
            context.resource_updated("file:///x")
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return Agent.Text("done")

        @command(description="Tell what is on the way.")
        async def tells(context: CommandContext) -> Node:
            return Suspense(Wait(context), fallback=Agent.Progress(message="Waiting"))
        """,
    "fails": """
        import attrs
        import trio
        from trio_agent import CommandContext, command

        @attrs.frozen
        class Name:
            name: str

        async def fail() -> None:
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            raise ValueError("it broke")

        @command(description="Ask until something else fails.")
        async def fails(context: CommandContext) -> str:
            asked = context.defer(context.elicit, "Who is it?", Name)
            await context.defer(fail)
            return (await asked).action
        """,
}


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    root = write_plugin(tmp_path, COMMANDS, name="asking")
    (root / "scripts").mkdir()
    script = (
        "from trio_agent import ScriptContext, script\n\n\n"
        "@script()\n"
        "async def sure(context: ScriptContext) -> str:\n"
        '    form = {"type": "object", "properties": {}}\n'
        '    return (await context.elicit("Sure?", form)).action\n'
    )
    (root / "scripts" / "sure.py").write_text(script, encoding="utf-8")
    return tmp_path


def test_every_kind_of_field_is_filled_in(cwd: Path) -> None:
    with Watched(["run", "asking", "all"], cwd=cwd, rows=60, columns=200) as watched:
        watched.wait_for("name: Who it is for\nname:")
        # All at once: what is typed ahead is the answer as well.
        watched.type(b"Ada\ntomorrow\nGLOSS\n0\n3\n\nno\n3, tape\nx1\n")
        watched.wait_for("received 0")
        watched.wait_for('day: expected date such as 2026-01-31, received "tomorrow"\nday (date):')
        watched.type(b"2026-02-28\n")
        watched.wait_for('received "x1"\ncode:')
        watched.type(b"\n")
        assert watched.finish() == 0
        assert json.loads(watched.lines[-1]) == {
            "name": "Ada",
            "day": "2026-02-28",
            "paper": "gloss",
            "copies": 3,
            "scale": 1.0,
            "framed": False,
            "extras": ["card", "tape"],
            "code": None,
        }


def test_a_warning_for_the_log_is_a_line_on_standard_error(cwd: Path) -> None:
    (cwd / "go").touch()
    done = run(["run", "asking", "tells"], cwd=cwd)
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert done.stderr == b"scan: {'files': 3}\n"


def test_a_warning_for_the_log_stands_above_the_picture(cwd: Path) -> None:
    with Watched(["run", "asking", "tells"], cwd=cwd) as watched:
        watched.wait_for(lambda text: "Waiting" in text and text.startswith("scan: {'files': 3}\n"))
        (cwd / "go").touch()
        assert watched.finish() == 0
        assert watched.lines == ["scan: {'files': 3}", "done"]


def test_a_rendered_script_asks_as_a_command_does(cwd: Path) -> None:
    with Watched(["script", "asking", "sure"], cwd=cwd) as watched:
        watched.wait_for("Sure?\n[y/n]:")
        watched.type(b"yes\n")
        assert watched.finish() == 0
        assert watched.lines[-1] == "accept"


def test_a_window_that_changes_while_somebody_types_is_left_alone(cwd: Path) -> None:
    with Watched(["run", "asking", "beside"], cwd=cwd) as watched:
        watched.wait_for("name:")
        watched.resize(40, 10)
        watched.type(b"Ad")
        watched.wait_for("name: Ad")
        assert "Working" not in watched.text
        watched.type(b"a\n")
        # And then the picture fits.
        watched.wait_for("Working")
        assert max(map(len, watched.lines)) < 40
        (cwd / "go").touch()
        assert watched.finish() == 0
        assert watched.lines[-3:] == ["accept", "", "other"]


def test_a_second_ctrl_c_does_not_wait_for_the_cleanup_of_a_question(cwd: Path) -> None:
    with Watched(["run", "asking", "beside", "--stubborn"], cwd=cwd) as watched:
        watched.wait_for("name:")
        watched.type(b"\x03")
        watched.follow_until((cwd / "cleaning").exists)
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.echoes_lines
        assert "Working" not in watched.text


@pytest.mark.parametrize(
    ("words", "settings"),
    [(["name"], {}), (["beside"], {}), (["name"], {"TERM": "dumb"})],
)
def test_ctrl_c_leaves_the_question_and_one_line(
    cwd: Path, words: list[str], settings: dict[str, str]
) -> None:
    with Watched(["run", "asking", *words], cwd=cwd, settings=settings) as watched:
        watched.wait_for("name:")
        watched.type(b"A")
        watched.wait_for("name: A")
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.lines[-2:] == ["name: A^C", "Interrupted."]
        assert watched.echoes_lines


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGTERM, 143, "Terminated."), (signal.SIGINT, 130, "Interrupted.")],
)
def test_a_signal_from_elsewhere_leaves_the_question_and_one_line(
    cwd: Path, number: signal.Signals, code: int, said: str
) -> None:
    with Watched(["run", "asking", "name"], cwd=cwd) as watched:
        watched.wait_for("name:")
        watched.send(number)
        assert watched.finish() == code
        assert watched.lines[-2:] == ["name:", said]
        assert watched.echoes_lines


def test_ctrl_s_does_not_keep_a_question_from_ending(cwd: Path) -> None:
    with Watched(["run", "asking", "name"], cwd=cwd) as watched:
        watched.wait_for("name:")
        watched.type(b"\x13")
        watched.send(signal.SIGTERM)
        assert watched.process.wait(PATIENCE_S) == 143


def test_what_fails_beside_a_question_is_told_on_a_line_of_its_own(cwd: Path) -> None:
    with Watched(["run", "asking", "fails"], cwd=cwd) as watched:
        watched.wait_for("name:")
        (cwd / "go").touch()
        assert watched.finish() == 1
        assert watched.lines[-2:] == ["name:", "[render-failed] it broke"]


def test_a_question_outlives_ctrl_z(cwd: Path) -> None:
    shell = '"$@"; echo stopped; read line; fg > jobs.txt'
    with Watched(["run", "asking", "beside"], cwd=cwd, shell=shell) as watched:
        watched.wait_for("name:")
        watched.type(b"\x1a")
        watched.wait_for("stopped")
        # This line is the shell's.
        watched.type(b"typed\n")
        watched.follow_until((cwd / "jobs.txt").exists)
        watched.type(b"Ada\n")
        watched.wait_for("Working")
        (cwd / "go").touch()
        assert watched.finish() == 0
        assert watched.lines[-3:] == ["accept", "", "other"]


def test_a_reader_that_left_while_somebody_typed_ends_it_quietly(cwd: Path) -> None:
    with Watched(
        ["run", "asking", "name"], cwd=cwd, shell='"$@" | true; echo ${PIPESTATUS[0]}'
    ) as (watched):
        watched.wait_for("name:")
        watched.type(b"Ada\n")
        watched.finish()
        assert watched.lines[-2:] == ["name: Ada", "141"]


@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [
        (">/dev/full", 1, "asking: cannot write to standard output: No space left on device"),
        (">&-", 1, "asking: cannot write to standard output: it is closed"),
        (">out", 0, "name: Ada"),
    ],
)
def test_standard_output_may_be_anything_while_it_asks(
    cwd: Path, redirected: str, code: int, said: str
) -> None:
    shell = f'"$@" {redirected}; exit $?'
    with Watched(["run", "asking", "name"], cwd=cwd, shell=shell) as watched:
        watched.wait_for("name:")
        watched.type(b"Ada\n")
        assert watched.finish() == code
        assert watched.lines[-1].endswith(said.removeprefix("asking"))


@pytest.mark.parametrize("redirected", ["<&-", "</dev/null", "< <(echo Ada)", "2>errors"])
def test_without_a_keyboard_or_a_screen_nobody_is_asked(cwd: Path, redirected: str) -> None:
    shell = f'"$@" {redirected}; exit $?'
    with Watched(["run", "asking", "name"], cwd=cwd, shell=shell) as watched:
        assert watched.finish() == 2
    errors = cwd / "errors"
    said = errors.read_text(encoding="utf-8") if errors.exists() else watched.text
    assert "[input-required] Who is it?" in said
    assert "name:" not in said


def test_a_closed_standard_error_takes_no_question(cwd: Path) -> None:
    with Watched(["run", "asking", "name"], cwd=cwd, shell='"$@" 2>&-; exit $?') as watched:
        assert watched.finish() == 2
        assert watched.text == ""


@pytest.mark.parametrize(
    "settings",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_where_there_is_no_utf_8_a_question_is_read_and_answered_in_what_there_is(
    cwd: Path, settings: dict[str, str]
) -> None:
    with Watched(["run", "asking", "name"], cwd=cwd, settings=settings, shell='"$@" >out') as (
        watched
    ):
        watched.wait_for("name:")
        assert watched.lines[0] == "Who is it? \\u2713"
        watched.type(b"Jos\xc3\xa9\n")
        watched.wait_for("expected text in ")
        watched.type(b"Jose\n")
        assert watched.finish() == 0
    assert (cwd / "out").read_bytes().startswith(b"Name(name='Jose')\n")


def test_a_terminal_that_is_closed_ends_a_question(cwd: Path) -> None:
    reading, writing = os.openpty()
    take = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
    line = f"trap '' HUP; exec {shlex.join(program('run', 'asking', 'name'))} >out"
    command = ["sh", "-c", line]
    with subprocess.Popen(
        [program()[0], "-I", "-S", "-c", f"{take}; os.execvp('sh', {command!r})"],
        cwd=cwd,
        stdin=writing,
        stdout=writing,
        stderr=writing,
        env=environment(),
        start_new_session=True,
    ) as process:
        os.close(writing)
        shown = b""
        while b"name: " not in shown:
            shown += os.read(reading, 4096)
        os.close(reading)
        # With SIGHUP ignored, as by nohup, the end of the input cancels.
        assert process.wait(PATIENCE_S) == 0
    assert (cwd / "out").read_bytes().startswith(b"None\n")
