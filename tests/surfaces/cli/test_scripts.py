"""`trio-agent script`, in real processes: pipes, terminals, signals."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.cli.scripts import demo
from tests.surfaces.cli.terminal import PATIENCE_S, Watched, environment, program, run

need_pseudo_terminals()

ODD_WORDS = ["", "-", "--help", "-h", "--version", "--x=1", "a b\n", "*", "$HOME", "\udcff", "漢"]


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    return demo(tmp_path)


def start(
    cwd: Path, *words: str, text: str = "", settings: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[bytes]":
    """Start a script of the plugin with something to read, to its end."""
    return subprocess.run(
        program("script", "demo", *words),
        cwd=cwd,
        input=text.encode(),
        capture_output=True,
        env=environment(settings),
        timeout=PATIENCE_S,
        check=False,
    )


def told(done: "subprocess.CompletedProcess[bytes]") -> tuple[int, str, str]:
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# ------------------------------------------------------------------------------ rendered


def test_a_rendered_script_prints_its_document_and_nothing_else(cwd: Path) -> None:
    printed = "printed while importing\nprinted by a component\n"
    assert told(start(cwd, "say")) == (0, "script on script\n", printed)


def test_every_word_arrives_but_the_modes(cwd: Path) -> None:
    done = start(cwd, "say", *ODD_WORDS, "--json", "--", "--json", "--ndjson")

    value = json.loads(done.stdout.decode("utf-8"))
    assert done.returncode == 0
    # JSON cannot carry a lone surrogate in UTF-8, so it is escaped there.
    assert value == [*ODD_WORDS, "--", "--json", "--ndjson"]


def test_ndjson_is_every_event(cwd: Path) -> None:
    done = start(cwd, "say", "--ndjson", "a")

    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["type"] for event in events] == ["shell", "complete"]
    assert events[-1]["document"]["value"] == ["a"]


def test_data_is_printed_as_that_of_a_command(cwd: Path) -> None:
    (cwd / "demo" / ".env").write_text("SAID=by the operator\n", encoding="utf-8")

    done = start(cwd, "data", "a", "--json")
    assert told(done) == (0, '["a","by the operator"]\n', "")
    done = start(cwd, "data", "--ndjson")
    assert done.returncode == 2
    assert b"expected no --ndjson, this script has no events" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (["say", "--json", "--ndjson"], 2, "--ndjson: expected one of --json and --ndjson"),
        (["wordless", "a"], 2, "argument 1: expected no words, this script takes none"),
        (["wordless", "--help"], 2, 'received "--help"'),
        (["nope"], 2, "there is no script 'nope'"),
        (["broken"], 1, "broken.py:2: ModuleNotFoundError: No module named 'no_such_module"),
        (["odd"], 1, "odd.py:4:21: TA4805 description is a string"),
        (["unimportable"], 1, "unimportable.py:1: ModuleNotFoundError: No module named 'no_such"),
        (["vanished"], 1, "vanished.py:1: main is no function when the module has run, received"),
        (["needy"], 1, "needy.py:1: main takes by name argv and terminal, each if it wants to"),
        (["lost"], 1, "No such file or directory, it begins with '#!/no/such/interpreter'"),
        (["main", "return", "256"], 1, "expected None or an integer from 0 to 255, received 256"),
        (["main", "return", "-1"], 1, "received -1"),
        (["main", "return", "True"], 1, "received True"),
        (["main", "return", "'x'"], 1, "received 'x'"),
    ],
)
def test_what_cannot_be_started_is_one_clear_line(
    cwd: Path, words: list[str], code: int, line: str
) -> None:
    returned, stdout, stderr = told(start(cwd, *words))

    (said,) = stderr.removeprefix("printed while importing\n").splitlines()[:1]
    assert (returned, stdout) == (code, "")
    assert said.startswith("trio-agent: ")
    assert line in said
    assert "Traceback" not in stderr


def test_a_rendered_script_complains_as_it_was_asked_to(cwd: Path) -> None:
    done = start(cwd, "broken", "--json")
    assert (done.returncode, json.loads(done.stderr)["error"]["code"]) == (1, "invalid-plugin")
    # A program gets the words, so none of them is about our complaints.
    assert start(cwd, "unimportable", "--json").stderr.startswith(b"trio-agent: ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], (1, "shell\n\n**[boundary]** it broke\n", "[boundary] it broke\n")),
        (["--json"], (1, "1\n", "[boundary] it broke\n")),
        (["badly"], (1, "", "trio-agent: badly\n")),
        (
            ["badly", "--json"],
            (1, "", '{"error":{"code":"render-failed","message":"badly"}}\n'),
        ),
    ],
)
def test_a_script_that_fails_does_so_as_a_command(
    cwd: Path, words: list[str], expected: tuple[int, str, str]
) -> None:
    code, stdout, stderr = told(start(cwd, "fails", *words))
    assert (code, stdout) == expected[:2]
    assert stderr.endswith(expected[2]) or "[render-failed] badly" in stderr


def test_a_reader_that_left_ends_a_rendered_script_quietly(cwd: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(["script", "demo", "say"], cwd=cwd, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr.count(b"\n")) == (141, 2)


def test_a_rendered_script_is_live_on_a_terminal_and_cleans_up(cwd: Path) -> None:
    with Watched(["script", "demo", "patient"], cwd=cwd) as watched:
        watched.wait_for("waiting")
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.lines[-1] == "Interrupted."
    assert (cwd / "cleaned").exists()


def test_a_rendered_script_is_terminated(cwd: Path) -> None:
    with Watched(["script", "demo", "patient"], cwd=cwd) as watched:
        watched.wait_for("waiting")
        watched.send(signal.SIGTERM)
        assert watched.finish() == 143
    assert (cwd / "cleaned").exists()


# ------------------------------------------------------------------------------ main


def test_main_gets_the_words_and_has_the_streams_to_itself(cwd: Path) -> None:
    words = [*ODD_WORDS, "--json", "--", "--ndjson"]
    done = start(cwd, "main", *words, text="what is read")

    assert (done.returncode, done.stderr) == (0, b"to stderr\n")
    assert json.loads(done.stdout) == {
        "argv": words,
        "sys.argv": words,
        "name": "demo.scripts.main",
        "stdin": "what is read",
        "surface": "script",
        "kind": "pipe",
        "said": None,
        "told": True,
    }


def test_the_operator_has_a_word_in_the_environment(cwd: Path) -> None:
    (cwd / "demo" / ".env").write_text("SAID=by the operator\n", encoding="utf-8")

    assert json.loads(start(cwd, "main").stdout)["said"] == "by the operator"
    assert b"by the operator" in start(cwd, "shell").stdout


@pytest.mark.parametrize(("value", "code"), [("None", 0), ("0", 0), ("4", 4), ("255", 255)])
def test_a_number_is_the_exit_code(cwd: Path, value: str, code: int) -> None:
    assert told(start(cwd, "main", "return", value)) == (code, "", "")


def test_a_program_that_raises_has_its_own_traceback(cwd: Path) -> None:
    code, stdout, stderr = told(start(cwd, "main", "raise", "raise ValueError('it broke')"))

    first, second, *_, last = stderr.splitlines()
    assert (code, stdout) == (1, "")
    assert first == "Traceback (most recent call last):"
    assert second.startswith(f'  File "{cwd}/demo/scripts/main.py", line ')
    assert last == "ValueError: it broke"


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        ("raise SystemExit", (0, "", "")),
        ("raise SystemExit(5)", (5, "", "")),
        ("raise SystemExit('so it ends')", (1, "", "so it ends\n")),
        ("raise KeyboardInterrupt", (130, "", "Interrupted.\n")),
    ],
)
def test_a_program_ends_as_any_other(
    cwd: Path, raised: str, expected: tuple[int, str, str]
) -> None:
    assert told(start(cwd, "main", "raise", raised)) == expected


def test_a_module_may_end_the_program_before_main(cwd: Path) -> None:
    assert told(start(cwd, "leaves")) == (9, "", "")


def test_an_async_main_runs_on_trio(cwd: Path) -> None:
    assert told(start(cwd, "nested")) == (3, "", "")
    assert told(start(cwd, "nested", "interrupt")) == (130, "", "Interrupted.\n")
    code, stdout, stderr = told(start(cwd, "nested", "raise"))
    assert (code, stdout) == (1, "")
    assert "ValueError: late" in stderr
    assert "trio_agent" not in stderr


def test_a_parser_finds_the_words_where_it_looks(cwd: Path) -> None:
    assert told(start(cwd, "argparser", "--json")) == (0, "None True\n", "")
    code, stdout, stderr = told(start(cwd, "argparser", "--nope"))
    assert (code, stdout) == (2, "")
    assert stderr.startswith("usage: argparser.py ")


def test_what_does_not_say_what_it_takes_gets_nothing(cwd: Path) -> None:
    assert told(start(cwd, "opaque")) == (0, "called without anything\n", "")


def test_a_plain_program_imports_no_trio(cwd: Path) -> None:
    (cwd / "demo/scripts/bare.py").write_text(
        "import sys\ndef main(): print([name for name in ('trio', 'cattrs') if name in sys.modules])\n",
        encoding="utf-8",
    )
    assert told(start(cwd, "bare")) == (0, "[]\n", "")


def test_main_sees_the_terminal_and_an_interrupt(cwd: Path) -> None:
    with Watched(["script", "demo", "main", "wait"], cwd=cwd) as watched:
        watched.wait_for("waiting")
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.lines[-1].endswith("Interrupted.")
    with Watched(["script", "demo", "main"], cwd=cwd, columns=200) as watched:
        watched.type(b"typed\n\x04")
        assert watched.finish() == 0
        assert '"stdin": "typed\\n", "surface": "script", "kind": "tty"' in watched.text


def test_main_is_terminated_as_any_program(cwd: Path) -> None:
    with Watched(["script", "demo", "main", "wait"], cwd=cwd) as watched:
        watched.wait_for("waiting")
        watched.send(signal.SIGTERM)
        assert watched.finish() == -signal.SIGTERM


# ------------------------------------------------------------------------------ from line to line


def test_a_module_that_runs_itself_is_main(cwd: Path) -> None:
    done = start(cwd, "whole", "--json", "--", "\udcff", text="what is read")

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {
        "argv": ["--json", "--", "\udcff"],
        "path": f"{cwd}/demo/scripts/whole.py",
        "name": "__main__",
        "module": True,
        "stdin": "what is read",
        "told": True,
    }


def test_a_module_that_runs_itself_ends_as_it_wants(cwd: Path) -> None:
    assert start(cwd, "whole", "exit").returncode == 5
    done = start(cwd, "whole", "raise")
    _, second, *_, last = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert second.startswith(f'  File "{cwd}/demo/scripts/whole.py", line ')
    assert last == "ValueError: it broke"


def test_a_package_that_cannot_be_imported_is_no_failure_of_the_script(cwd: Path) -> None:
    (cwd / "demo" / "__init__.py").write_text("1 / 0\n", encoding="utf-8")
    code, stdout, stderr = told(start(cwd, "whole"))
    assert (code, stdout) == (1, "")
    assert stderr.startswith("trio-agent: cannot import demo.scripts: ")
    assert stderr.endswith("__init__.py:1: ZeroDivisionError: division by zero\n")


# ------------------------------------------------------------------------------ shells


def test_the_process_becomes_the_shell_script(cwd: Path) -> None:
    words = [*ODD_WORDS, "--json", "--", "--ndjson"]
    command = program("script", "demo", "shell", *words)
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment({"SAID": "yes"}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        stdout, stderr = process.communicate(b"what is read", PATIENCE_S)

    path, *argv, read, said, number, end = stdout.split(b"\0")
    assert (process.returncode, stderr, end) == (7, b"to stderr\n", b"")
    assert path == os.fsencode(cwd / "demo" / "scripts" / "shell.sh")
    assert argv == [*map(os.fsencode, words)]
    assert (read, said, int(number)) == (b"what is read", b"yes", process.pid)


def test_a_file_that_may_not_be_executed_is_given_to_bash(cwd: Path) -> None:
    assert told(start(cwd, "soft", "a", "--json")) == (0, "soft bash a --json\n", "")


def test_a_broken_pipe_inside_a_shell_script_is_silent(cwd: Path) -> None:
    # Python ignores SIGPIPE, and what it starts would complain of the pipe instead.
    assert told(start(cwd, "shell", "pipe")) == (141, "y\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_shell_script_gets_its_signals_itself(cwd: Path, number: signal.Signals) -> None:
    with Watched(["script", "demo", "shell", "wait"], cwd=cwd) as watched:
        watched.wait_for("waiting")
        if number == signal.SIGINT:
            watched.type(b"\x03")
        else:
            os.killpg(watched.process.pid, number)
        assert watched.finish() == -number


# ------------------------------------------------------------------------------ the list


def list_of(words: Sequence[str], cwd: Path) -> tuple[int, str, str]:
    return told(run(["script", *words], cwd=cwd))


def test_a_list_imports_nothing(cwd: Path) -> None:
    code, stdout, stderr = list_of(["demo"], cwd)

    assert (code, stderr) == (0, "")
    assert "\nScripts:\n" in stdout
    assert list_of(["demo", "--help"], cwd) == (code, stdout, stderr)
    check = (
        "import sys; from trio_agent.__main__ import main; sys.argv = ['x', 'script', 'demo'];"
        "main(); assert not {'trio', 'cattrs', 'rich', 'demo'} & {*sys.modules}"
    )
    subprocess.run(
        [sys.executable, "-c", check], cwd=cwd, env=environment(), check=True, capture_output=True
    )
