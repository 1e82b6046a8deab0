"""Questions of a command: asked on a real terminal, and told where nobody can answer."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.cli.terminal import Watched, environment, program, run, write_plugin
from trio_agent.context.question import ask_roots, ask_user
from trio_agent.context.terminal import Terminal, TerminalStream
from trio_agent.errors import RequestError
from trio_agent.routes.importing import unload
from trio_agent.routes.plugin import find_plugin
from trio_agent.surfaces.cli.asking.host import CommandHost, can_answer
from trio_agent.surfaces.cli.asking.terminal import Keyboard, TerminalAsking
from trio_agent.surfaces.cli.streams import ByteStream, StandardStreams
from trio_agent.testing import ScriptedHost, accepted, invoke_cli
from trio_agent.testing.memory_streams import MemoryStreams

need_pseudo_terminals()

COMMANDS = {
    "ask": """
        from typing import Literal
        import attrs
        from trio_agent import Agent, CommandContext, Node, command

        @attrs.frozen
        class Answers:
            copies: int
            paper: Literal["matt", "gloss"] = "matt"

        @command(description="Ask.")
        async def ask(context: CommandContext, name: str = "cat") -> Node:
            answer = await context.elicit(f"How shall {name} be printed?", Answers)
            said = None if answer.content is None else [answer.content.copies, answer.content.paper]
            return Agent.Result(Agent.Text(f"{answer.action}: {said}"), value=said)
        """,
    "both": """
        import attrs
        import trio
        from trio_agent import Agent, CommandContext, Node, Suspense, command, component

        @attrs.frozen
        class Name:
            name: str

        @component
        async def Who(context: CommandContext, number: int) -> Node:
            answer = await context.elicit(f"Who is number {number}?", Name)
            return Agent.Text(f"{number} is {answer.content}")

        @component
        async def Slow() -> Node:
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return Agent.Text("slow")

        @command(description="Ask twice, beside other work.", render={"max_elapsed_s": 2})
        async def both(context: CommandContext) -> Node:
            waiting = Agent.Progress(message="Waiting for names")
            return [
                Suspense(Who(context, 1), fallback=waiting),
                Suspense(Who(context, 2), fallback=waiting),
                Suspense(Slow(), fallback=Agent.Progress(message="Working slowly")),
            ]
        """,
    "sure": """
        import attrs
        from trio_agent import CommandContext, command

        @attrs.frozen
        class Nothing:
            pass

        @command(description="Confirm.")
        async def sure(context: CommandContext) -> str:
            return (await context.elicit("Are you \\x1b[2Jsure?", Nothing)).action
        """,
    "model": """
        from trio_agent import CommandContext, command

        @command(description="Ask a model.")
        async def model(context: CommandContext, roots: bool = False) -> str:
            if roots:
                return str(await context.roots())
            return (await context.sample("x", max_tokens=1)).text
        """,
}


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    write_plugin(tmp_path, COMMANDS, name="asking")
    return tmp_path


def test_a_form_is_filled_in_by_typing(cwd: Path) -> None:
    with Watched(["run", "asking", "ask"], cwd=cwd) as watched:
        watched.wait_for("copies:")
        watched.type(b"many\n")
        watched.wait_for('expected integer, received "many"\ncopies:')
        watched.type(b"2\n")
        watched.wait_for("paper (1-2) [matt]:")
        watched.type(b"gloss\n")
        assert watched.finish() == 0
        assert watched.lines == [
            "How shall cat be printed?",
            "(! declines, Ctrl-D cancels)",
            "copies: many",
            'expected integer, received "many"',
            "copies: 2",
            "  1  matt",
            "  2  gloss",
            "paper (1-2) [matt]: gloss",
            "accept: [2, 'gloss']",
        ]


def test_the_document_of_a_command_that_asked_goes_where_it_always_goes(cwd: Path) -> None:
    with Watched(["run", "asking", "ask"], cwd=cwd, piped_stdout=True) as watched:
        watched.wait_for("copies:")
        watched.type(b"2\n\n")
        assert watched.finish() == 0
        assert watched.piped == b"accept: [2, 'matt']\n"


@pytest.mark.parametrize(("keys", "said"), [(b"\x04", "cancel: None"), (b"!\n", "decline: None")])
def test_a_question_may_be_left_alone(cwd: Path, keys: bytes, said: str) -> None:
    with Watched(["run", "asking", "ask"], cwd=cwd) as watched:
        watched.wait_for("copies:")
        watched.type(keys)
        assert watched.finish() == 0
        assert watched.lines[-1] == said


def test_two_questions_take_turns_and_the_picture_steps_aside(cwd: Path) -> None:
    with Watched(["run", "asking", "both"], cwd=cwd) as watched:
        watched.wait_for("name:")
        # Which of two that begin at once comes first is up to Trio.
        first, second = (1, 2) if "number 1" in watched.text else (2, 1)
        assert f"number {second}" not in watched.text
        assert "Working slowly" not in watched.text
        watched.type(b"Ada\n")
        watched.wait_for(lambda text: text.endswith("name:") and f"number {second}" in text)
        watched.type(b"Bob\n")
        watched.wait_for("Working slowly")
        assert "Waiting for names" not in watched.text
        (cwd / "go").touch()
        assert watched.finish() == 0
        assert "Working slowly" not in watched.text
        tail = watched.text[watched.text.index("1 is") :]
        names = {first: "Ada", second: "Bob"}
        assert tail == f"1 is Name(name='{names[1]}')\n\n2 is Name(name='{names[2]}')\n\nslow"


def test_a_form_without_fields_is_confirmed_and_nothing_in_it_is_obeyed(cwd: Path) -> None:
    with Watched(["run", "asking", "sure"], cwd=cwd) as watched:
        watched.wait_for("[y/n]:")
        assert watched.lines[0] == "Are you \\x1b[2Jsure?"
        watched.type(b"n\n")
        assert watched.finish() == 0
        assert watched.lines[-1] == "decline"


def test_ctrl_c_ends_a_question_and_the_terminal_is_as_it_was(cwd: Path) -> None:
    with Watched(["run", "asking", "both"], cwd=cwd) as watched:
        watched.wait_for("name:")
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.lines[-1] == "Interrupted."


def test_a_signal_ends_a_question(cwd: Path) -> None:
    with Watched(["run", "asking", "ask"], cwd=cwd) as watched:
        watched.wait_for("copies:")
        watched.send(signal.SIGTERM)
        assert watched.finish() == 143


def test_what_is_typed_after_the_end_is_left_to_the_shell(cwd: Path) -> None:
    reading, writing = os.openpty()
    command = [*program("run", "asking", "sure")]
    with subprocess.Popen(
        command, cwd=cwd, stdin=writing, stdout=writing, stderr=writing, env=environment()
    ) as process:
        shown = b""
        while b"[y/n]: " not in shown:
            shown += os.read(reading, 4096)
        os.write(reading, b"y\nleft over\n")
        assert process.wait(30) == 0
    assert os.read(writing, 100) == b"left over\n"
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("settings", [{"CI": "1"}, {"CLAUDECODE": "1"}])
def test_a_build_and_an_agent_are_not_asked(cwd: Path, settings: dict[str, str]) -> None:
    with Watched(["run", "asking", "ask"], cwd=cwd, settings=settings) as watched:
        assert watched.finish() == 2
        assert "[input-required] How shall cat be printed? (copies, paper)" in watched.text


def test_without_a_terminal_it_is_told_what_was_asked(cwd: Path) -> None:
    done = run(["run", "asking", "ask"], cwd=cwd)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        "trio-agent: [input-required] How shall cat be printed? (copies, paper)\n"
        "trio-agent: it asks at a terminal that a person sits at\n"
    )


def test_a_machine_is_told_what_was_asked(cwd: Path) -> None:
    done = run(["run", "asking", "ask", "--json"], cwd=cwd)
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, done.stdout, error["code"]) == (2, b"", "input-required")
    (question,) = error["questions"]
    assert question["method"] == "elicitation/create"
    assert question["params"]["message"] == "How shall cat be printed?"


def test_a_reader_of_events_gets_it_as_the_last_one(cwd: Path) -> None:
    done = run(["run", "asking", "both", "--ndjson"], cwd=cwd)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (2, b"")
    assert [event["sequence"] for event in events] == [*range(len(events))]
    assert [events[0]["type"], events[-1]["type"]] == ["shell", "error"]
    assert len(events[-1]["error"]["questions"]) == 2


@pytest.mark.parametrize("option", [[], ["--roots"]])
def test_a_command_line_has_no_model_and_no_directories(cwd: Path, option: list[str]) -> None:
    done = run(["run", "asking", "model", *option], cwd=cwd)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"this host cannot be asked" in done.stderr


async def test_a_test_may_answer(cwd: Path) -> None:
    root = cwd / "asking"
    host = ScriptedHost(lambda question: accepted(copies=4, paper="gloss"))
    answered = await invoke_cli(root, ["ask"], host=host)
    assert (answered.exit_code, answered.value) == (0, [4, "gloss"])
    alone = await invoke_cli(root, ["ask"], tty=True)
    assert alone.exit_code == 2
    assert "[input-required]" in alone.stderr
    unload(find_plugin(root))


def test_who_can_answer_has_a_keyboard_and_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, inner = os.openpty()
    tty = TerminalStream(kind="tty")
    stream = ByteStream(inner, "standard error", encoding="utf-8", is_terminal=True)

    def streams(stderr: TerminalStream, environ: dict[str, str]) -> StandardStreams:
        where = Terminal(host_surface="cli", stdout=TerminalStream(kind="pipe"), stderr=stderr)
        return StandardStreams(stdout=stream, stderr=stream, terminal=where, environ=environ)

    reading, writing = os.pipe()
    assert can_answer(streams(tty, {}), inner)
    assert not can_answer(streams(tty, {}), reading)
    assert not can_answer(streams(TerminalStream(kind="pipe"), {}), inner)
    assert not can_answer(streams(tty, {"CURSOR_AGENT": "1"}), inner)
    assert not can_answer(MemoryStreams(tty=True).standard, inner)
    for fd in (terminal, inner, reading, writing):
        os.close(fd)


async def test_a_line_comes_in_pieces_and_one_that_is_cancelled_is_not_lost() -> None:
    reading, writing = os.pipe()
    keyboard = Keyboard(reading)
    os.write(writing, b"half")
    with trio.move_on_after(0.05):
        await keyboard.read_line()
    os.write(writing, b" and half\r\nnext\nlast")
    assert await keyboard.read_line() == b"half and half"
    assert await keyboard.read_line() == b"next"
    os.close(writing)
    assert await keyboard.read_line() == b"last"
    assert await keyboard.read_line() is None
    os.close(reading)


async def test_bytes_that_are_no_text_are_asked_for_again() -> None:
    reading, writing = os.pipe()
    streams = MemoryStreams(tty=True)
    asking = TerminalAsking(streams.stderr, None, reading)
    os.write(writing, b"\xff\nAda\n")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    answer = await asking.ask(ask_user("Who?", schema))
    assert answer == {"action": "accept", "content": {"name": "Ada"}}
    assert "expected text in utf-8" in streams.stderr.text
    os.close(reading)
    os.close(writing)


async def test_a_terminal_that_has_gone_answers_with_the_end() -> None:
    terminal, inner = os.openpty()
    stream = ByteStream(inner, "standard error", encoding="utf-8", is_terminal=True)
    asking = TerminalAsking(stream, None, inner)
    os.close(terminal)
    assert await asking.ask(ask_user("Sure?", {"type": "object", "properties": {}})) == {
        "action": "cancel"
    }
    os.close(inner)


async def test_a_terminal_that_cannot_be_read_has_ended() -> None:
    terminal, inner = os.openpty()
    os.close(inner)
    # How Linux says that the other end is gone.
    assert await Keyboard(terminal).read_line() is None
    os.close(terminal)


async def test_where_nobody_can_answer_a_question_stays_open() -> None:
    host = CommandHost(MemoryStreams(tty=False).standard, None, None)
    question = ask_user("Sure?", {"type": "object", "properties": {}})
    assert await host.ask("key", question) is None
    with pytest.raises(RequestError, match="cannot be asked: roots"):
        await host.ask("key", ask_roots())
