"""`trio-agent` in pipes and files: real processes."""

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.surfaces.cli.plugins import COMMANDS, demo
from tests.surfaces.cli.terminal import PATIENCE_S, environment, program, run, write_plugin


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    return demo(tmp_path)


def test_a_pipe_gets_one_markdown_document_and_nothing_that_was_printed(cwd: Path) -> None:
    done = run(["run", "demo", "hello", "--name", "x"], cwd=cwd)

    assert (done.returncode, done.stdout) == (0, b"hello **x**\n")
    assert done.stderr == b"printed while importing\nprinted by a component\n"


def test_nothing_that_is_printed_when_the_document_is_there_comes_after_it(tmp_path: Path) -> None:
    write_plugin(
        tmp_path,
        {
            "late": """
                import atexit, sys, threading
                from trio_agent import command

                def print_late() -> None:
                    threading.main_thread().join()
                    print("by a thread")

                @command(description="Leave something behind.")
                async def late() -> int:
                    sys.__stdout__.write("not flushed\\n")
                    threading.Thread(target=print_late).start()
                    atexit.register(print, "at exit")
                    return 1
                """
        },
    )
    done = run(["run", "demo", "late", "--json"], cwd=tmp_path, settings={"PYTHONUNBUFFERED": ""})

    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert set(done.stderr.splitlines()) == {b"not flushed", b"by a thread", b"at exit"}


def test_the_document_has_no_trace_of_a_fallback(cwd: Path) -> None:
    (cwd / "one").touch()
    (cwd / "go").touch()
    done = run(["run", "demo", "show"], cwd=cwd)

    assert done.stdout.decode() == "# Title\n\npart **one** ✓\n\npart **go** worked\n"
    assert (done.returncode, done.stderr) == (0, b"")


def test_programs_that_a_component_starts_do_not_get_into_the_document(cwd: Path) -> None:
    done = run(["run", "demo", "child", "--json"], cwd=cwd)

    assert (done.returncode, done.stdout) == (0, b'"done"\n')
    assert done.stderr == b"from a program\n"


def test_json_is_the_value_in_one_line(cwd: Path) -> None:
    done = run(["run", "demo", "exact", "7", "--tags", "a", "--tags=b", "--json"], cwd=cwd)

    assert (done.returncode, done.stdout) == (0, b'{"number":7,"tags":["a","b"]}\n')


def test_json_of_a_document_without_a_value_is_null(cwd: Path) -> None:
    done = run(["run", "demo", "big", "--json"], cwd=cwd)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"null\n", b"")


def test_ndjson_is_every_event(cwd: Path) -> None:
    (cwd / "bad").touch()
    (cwd / "go").touch()
    done = run(["run", "demo", "show", "--bad", "--ndjson"], cwd=cwd)

    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (1, b"")
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert {event["type"] for event in events} >= {"shell", "complete"}
    assert events[-1]["document"]["status"] == "represented-error"


def test_ndjson_comes_as_it_happens(cwd: Path) -> None:
    command = program("run", "demo", "show", "--ndjson")
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["type"] == "shell"
        (cwd / "one").touch()
        kinds = {"progress"}
        while kinds == {"progress"}:
            kinds = {json.loads(process.stdout.readline())["type"]}
        assert kinds == {"replace"}
        (cwd / "go").touch()
        rest = [json.loads(line)["type"] for line in process.stdout]
        assert rest[-2:] == ["replace", "complete"]
        assert process.wait(PATIENCE_S) == 0


def test_a_boundary_that_failed_is_told_twice_and_is_a_failure(cwd: Path) -> None:
    (cwd / "bad").touch()
    (cwd / "go").touch()
    done = run(["run", "demo", "show", "--bad"], cwd=cwd)

    assert done.returncode == 1
    assert b"**[boundary]** it" in done.stdout
    assert done.stdout.endswith(b"worked\n")
    assert done.stderr == b"[boundary] it [b]broke[/b]\n"


@pytest.mark.parametrize(
    ("mode", "stdout", "stderr"),
    [
        ([], "", "[render-failed] it \x1b[31mbroke\n"),
        (
            ["--json"],
            "",
            '{"error":{"code":"render-failed","message":"it \\u001b[31mbroke"}}\n',
        ),
        (
            ["--ndjson"],
            (
                '{"type":"error","sequence":0,"error":{"code":"render-failed",'
                '"message":"it \\u001b[31mbroke"}}\n'
            ),
            "",
        ),
    ],
)
def test_a_failed_invocation_has_no_document(
    cwd: Path, mode: list[str], stdout: str, stderr: str
) -> None:
    done = run(["run", "demo", "broken", *mode], cwd=cwd)

    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (1, stdout, stderr)


@pytest.mark.parametrize(
    ("code", "expected", "stderr"),
    [
        (0, 0, b""),
        (3, 3, b""),
        (255, 255, b""),
        (
            256,
            1,
            b"trio-agent: value.exitCode: expected an integer from 0 to 255, received 256\n",
        ),
    ],
)
def test_a_result_may_say_the_exit_code(cwd: Path, code: int, expected: int, stderr: bytes) -> None:
    done = run(["run", "demo", "judge", str(code), "--json"], cwd=cwd)

    assert (done.returncode, done.stderr) == (expected, stderr)
    assert done.stdout == b'{"exitCode":%d}\n' % code


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["nope"], 2, "there is no command 'nope'"),
        (["rnu"], 2, "there is no command 'rnu', did you mean run?"),
        (["run"], 2, "<plugin>: expected a folder or the name of a package, received nothing"),
        (["run", "--json"], 2, '{"error":{"code":"CLI_INPUT_INVALID","message":"<plugin>: exp'),
        (["run", "./nowhere"], 2, "the folder does not exist"),
        (["run", "demo", "helo"], 2, "), did you mean hello?"),
        (["run", "demo", "db"], 2, "expected a command (clean-up), received nothing"),
        (["run", "demo", "--json"], 2, "received --json"),
        (["run", "demo", "unimportable"], 1, "No module named 'no_such_module_anywhere'"),
        (["run", "demo", "exact", "x"], 2, '<number>: expected integer, received "x"'),
        (["run", "demo", "hello", "--json", "--ndjson"], 2, "one of --json and --ndjson"),
        (["run", "demo", "exact", str(2**53)], 2, "9007199254740992"),
    ],
)
def test_what_cannot_be_run_is_one_clear_line(
    cwd: Path, words: list[str], code: int, complaint: str
) -> None:
    done = run(words, cwd=cwd)

    assert (done.returncode, done.stdout) == (code, b"")
    assert (
        complaint in done.stderr.decode().removeprefix("printed while importing\n").split("\n")[0]
    )
    assert b"Traceback" not in done.stderr


def test_wrong_words_are_an_event_for_who_reads_events(cwd: Path) -> None:
    done = run(["run", "demo", "show", "x", "--ndjson"], cwd=cwd)

    event = json.loads(done.stdout)
    assert (done.returncode, done.stderr, event["type"], event["sequence"]) == (2, b"", "error", 0)
    assert list(event["error"]) == ["code", "issues", "message", "usage"]
    assert [issue["received"] for issue in event["error"]["issues"]] == ["x"]


def test_a_plugin_that_takes_its_own_name_away_has_been_loaded_by_then(cwd: Path) -> None:
    text = """
        import sys
        import types
        from trio_agent import command

        @command(description="Odd.")
        async def odd() -> str:
            return "odd"

        sys.modules["strange"] = types.ModuleType("strange")
        """
    write_plugin(cwd, {"odd": text}, name="strange")
    done = run(["run", "strange", "odd"], cwd=cwd)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"odd\n", b"")


def test_a_plugin_whose_name_is_taken_is_refused(cwd: Path) -> None:
    (cwd / "demo").rename(cwd / "json")
    done = run(["run", "./json", "hello"], cwd=cwd)

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"the name is taken by" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_help_and_version_go_to_standard_output(cwd: Path) -> None:
    for words, expected in {
        (): "Runs the commands of a plugin, ",
        ("--help",): "Usage: trio-agent <command>",
        ("run", "--help"): "Usage: trio-agent run <plugin>",
        ("run", "demo"): "Say hello.",
        ("run", "demo", "--help"): "db      ",
        ("run", "demo", "db", "-h"): "Clean up.",
        ("run", "demo", "hi", "--help"): "--name <string>",
        ("--version",): "trio-agent 0.",
        ("run", "demo", "--version"): "demo",
    }.items():
        done = run(words, cwd=cwd)
        assert (done.returncode, expected in done.stdout.decode()) == (0, True), words
        assert done.stderr in (b"", b"printed while importing\n")


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["run", "demo", "--help"], ["run", "demo", "db", "-h"]]
)
def test_a_list_of_commands_imports_no_trio_and_nothing_of_the_plugin(
    cwd: Path, words: list[str]
) -> None:
    (cwd / "demo" / "__init__.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    done = run(words, cwd=cwd, settings={"PYTHONPROFILEIMPORTTIME": "1"})

    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert done.returncode == 0
    assert imported.isdisjoint({"trio", "cattrs", "rich", "asyncio", "demo", "unittest"})
    assert "trio_agent.surfaces.cli.help.overview" in imported


def test_a_pipe_needs_no_rich(cwd: Path) -> None:
    done = run(["run", "demo", "hello"], cwd=cwd, settings={"PYTHONPROFILEIMPORTTIME": "1"})

    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "trio" in imported
    assert imported.isdisjoint({"rich", "asyncio", "unittest", "pygments", "mcp"})


@pytest.mark.parametrize("mode", [[], ["--ndjson"]])
def test_a_reader_that_leaves_ends_it_quietly(cwd: Path, mode: list[str]) -> None:
    command = program("run", "demo", "big", *mode)
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(4)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE_S) == 141


def test_help_without_a_reader_ends_quietly_too(cwd: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(["--help"], cwd=cwd, stdout=writing)
    os.close(writing)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("words", [["--help"], ["run", "demo", "hello", "--json"]])
def test_a_full_disk_is_one_clear_line(cwd: Path, words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = run(words, cwd=cwd, stdout=full.fileno())

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        b"trio-agent: cannot write to standard output: No space left on device"
    )


def test_a_failure_that_cannot_be_written_is_one_clear_line_too(cwd: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run(["run", "demo", "broken", "--ndjson"], cwd=cwd, stdout=full.fileno())

    assert done.returncode == 1
    assert b"cannot write to standard output: No space" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "stdout"),
    [(["exact", "7"], 0, b'{"number":7,"tags":[]}\n'), (["broken"], 1, b"")],
)
def test_standard_error_on_a_full_disk_is_nobodys_loss_but_its_own(
    cwd: Path, words: list[str], code: int, stdout: bytes
) -> None:
    with open("/dev/full", "wb") as full:
        done = run(["run", "demo", *words], cwd=cwd, stderr=full.fileno())

    assert (done.returncode, done.stdout) == (code, stdout)


@pytest.mark.parametrize(
    ("closed", "code", "stdout"),
    [("<&-", 0, b"hello **world**\n"), (">&-", 1, b""), ("2>&-", 0, b"hello **world**\n")],
)
def test_streams_may_be_closed(cwd: Path, closed: str, code: int, stdout: bytes) -> None:
    line = " ".join(program("run", "demo", "hello"))
    done = subprocess.run(
        ["sh", "-c", f"{line} {closed}"],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert (done.returncode, done.stdout) == (code, stdout)
    assert b"Traceback" not in done.stderr
    if closed == ">&-":
        assert b"cannot write to standard output: it is closed" in done.stderr


def test_a_file_gets_the_document(cwd: Path) -> None:
    with (cwd / "out").open("wb") as out:
        done = run(["run", "demo", "hello"], cwd=cwd, stdout=out.fileno())

    assert done.returncode == 0
    assert (cwd / "out").read_bytes() == b"hello **world**\n"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"PYTHONIOENCODING": "ascii"}, b"\\u2713"),
        ({"PYTHONIOENCODING": "cp1252"}, b"\\u2713"),
        ({"PYTHONIOENCODING": "utf-16-le"}, "✓".encode("utf-16-le")),
        ({"LC_ALL": "C"}, "✓".encode()),
        # The words themselves were not understood: each byte is a lone surrogate by then.
        ({"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, b"\\udce2"),
    ],
)
def test_no_encoding_is_an_error(cwd: Path, settings: dict[str, str], expected: bytes) -> None:
    done = run(["run", "demo", "hello", "--name", "✓"], cwd=cwd, settings=settings)

    assert done.returncode == 0
    assert expected in done.stdout
    assert b"Traceback" not in done.stderr


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("number", "code", "notice"),
    [(signal.SIGINT, 130, b"Interrupted.\n"), (signal.SIGTERM, 143, b"Terminated.\n")],
)
def test_a_signal_cancels_and_components_clean_up(
    cwd: Path, number: signal.Signals, code: int, notice: bytes
) -> None:
    command = program("run", "demo", "patient")
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        wait_for(cwd / "started")
        process.send_signal(number)
        assert process.communicate(timeout=PATIENCE_S) == (b"", notice)
    assert process.returncode == code
    assert (cwd / "cleaned").exists()


def test_a_second_signal_does_not_wait_for_a_cleanup(cwd: Path) -> None:
    command = program("run", "demo", "patient", "--stubborn")
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        wait_for(cwd / "started")
        process.send_signal(signal.SIGTERM)
        wait_for(cwd / "cleaned")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S) == (b"", b"")
    assert process.returncode == 130


def test_what_a_component_writes_is_dropped_when_standard_error_is_closed(tmp_path: Path) -> None:
    text = """
        import sys
        from trio_agent import command

        @command(description="Write.")
        async def tell() -> str:
            return f"wrote {sys.stdout.write('told')}"
        """
    write_plugin(tmp_path, {"tell": text})
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(program('run', 'demo', 'tell'))} 2>&-"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"wrote 4\n")


def test_an_interrupt_that_a_component_raises_is_an_interruption(tmp_path: Path) -> None:
    text = """
        from trio_agent import command

        @command(description="Ask, and get Ctrl-C for an answer.")
        async def ask() -> str:
            raise KeyboardInterrupt
        """
    write_plugin(tmp_path, {"ask": text})
    done = run(["run", "demo", "ask"], cwd=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"Interrupted.\n")


def test_a_signal_ends_it_also_while_nobody_reads(cwd: Path) -> None:
    command = program("run", "demo", "big")
    with subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 143


def test_what_is_wrong_with_a_plugin_is_told_beside_the_word_that_it_hides(tmp_path: Path) -> None:
    root = write_plugin(tmp_path, {"bad-name": "print('x')", "broken": COMMANDS["broken"]})
    done = run(["run", str(root), "bad-name"], cwd=tmp_path)
    first, why, hint = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout) == (2, b"")
    assert first == "trio-agent: there is no command 'bad-name' (broken)"
    assert why.startswith("cli/bad-name.py:1:1: TA4803 ")
    assert hint.startswith("Run `")


def test_a_misspelt_key_of_the_plugin_is_refused_before_a_command_runs(cwd: Path) -> None:
    (cwd / "demo" / "plugin.toml").write_text('naem = "x"\n', encoding="utf-8")
    done = run(["run", "demo", "hello"], cwd=cwd)
    assert (done.returncode, done.stdout) == (1, b"")
    assert "plugin.toml:1:1: TA4805 'naem' is not a key" in done.stderr.decode()


def test_an_author_may_see_where_it_was_raised(cwd: Path) -> None:
    words = ["run", "demo", "broken"]
    quiet = run(words, cwd=cwd)
    loud = run(words, cwd=cwd, settings={"TRIO_AGENT_DEBUG": "1"})
    assert quiet.returncode == loud.returncode == 1
    assert quiet.stdout == loud.stdout == b""
    assert b"Traceback" not in quiet.stderr
    assert b"Traceback" in loud.stderr


@pytest.mark.parametrize("mode", [[], ["--json"]])
def test_what_a_component_prints_never_costs_the_result(tmp_path: Path, mode: list[str]) -> None:
    text = """
        import sys
        from trio_agent import command

        @command(description="Print, and answer.")
        def chatty() -> int:
            for number in range(3):
                print("progress", number)
                print("more", number, file=sys.stderr, flush=True)
            return 7
        """
    write_plugin(tmp_path, {"chatty": text})
    reading, writing = os.pipe()
    os.close(reading)
    with open("/dev/full", "w", encoding="utf-8") as full:
        for stderr in (full.fileno(), writing):
            done = run(["run", "demo", "chatty", *mode], cwd=tmp_path, stderr=stderr)
            assert (done.returncode, done.stdout) == (0, b"7\n")
    os.close(writing)
