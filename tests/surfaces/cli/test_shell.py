import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.cli.plugins import COMMANDS
from tests.surfaces.cli.terminal import write_plugin
from trio_agent import __main__
from trio_agent.context.terminal import Terminal
from trio_agent.errors import StreamError
from trio_agent.protocol.output import Ending
from trio_agent.routes.importing import unload
from trio_agent.routes.plugin import find_plugin
from trio_agent.surfaces.cli import shell
from trio_agent.surfaces.cli.aside import Aside
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.complaint import Complaint
from trio_agent.surfaces.cli.plugin_words import MAX_LISTED
from trio_agent.surfaces.cli.preparing import Prepared, exit_code, prepare
from trio_agent.surfaces.cli.run import ProcessRun
from trio_agent.surfaces.cli.session import Session
from trio_agent.surfaces.cli.shell import decide
from trio_agent.surfaces.cli.streams import ByteStream, StandardStreams
from trio_agent.surfaces.cli.terminal.watching import EventProjection
from trio_agent.vocabulary.json import Json


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[str]:
    root = write_plugin(tmp_path, COMMANDS, name="shelldemo")
    (root / "plugin.toml").write_text(
        'name = "Demo"\nversion = "1.2"\ndescription = "Shows things."\n', encoding="utf-8"
    )
    yield str(root)
    unload(find_plugin(root))


def refused(*words: str) -> Complaint:
    decision = decide(words, 80)
    assert isinstance(decision, Complaint)
    return decision


def test_the_manifest_is_what_help_and_version_say(plugin: str) -> None:
    text = decide(["run", plugin], 80)
    assert isinstance(text, str)
    assert text.startswith("Demo 1.2\n\nShows things.\n")
    assert decide(["run", plugin, "--version"], 80) == "Demo 1.2\n"


def test_a_broken_manifest_is_a_failure_and_no_wrong_word(plugin: str) -> None:
    (Path(plugin) / "plugin.toml").write_text("nonsense", encoding="utf-8")

    assert refused("run", plugin).exit_code == 1
    assert refused("run", plugin + "x").exit_code == 2


def test_only_the_plugin_itself_has_a_version(plugin: str) -> None:
    complaint = refused("run", plugin, "db", "--version")

    assert complaint.lines == (
        "trio-agent: expected a command (clean-up), received --version",
        f"Run `trio-agent run {plugin} db --help` for help.",
    )


@pytest.mark.parametrize("words", [[], ["--help"], ["--json"], ["audit"]])
@pytest.mark.parametrize("has_folder", [False, True])
def test_a_plugin_without_commands_says_so(
    tmp_path: Path, words: list[str], has_folder: bool
) -> None:
    root = tmp_path / "empty"
    (root / "cli" if has_folder else root).mkdir(parents=True)
    complaint = refused("run", str(root), *words)

    expected = "<plugin>: expected a folder with commands below cli/"
    assert complaint.lines == (f"trio-agent: {expected}, received {root}, which has none",)
    assert complaint.exit_code == 2
    assert decide(["run", str(root), "--version"], 80) == "empty\n"


def test_why_a_plugin_has_no_commands_is_told(tmp_path: Path) -> None:
    root = write_plugin(tmp_path, {"bad-name": "print('x')"})
    first, why = refused("run", str(root), "--help").lines

    assert first.endswith("which has none")
    assert why.startswith("cli/bad-name.py:1:1: TA4803 ")


def test_an_unknown_command_is_told_with_those_that_exist(plugin: str) -> None:
    assert refused("run", plugin, "db", "claen-up").lines == (
        "trio-agent: there is no command 'claen-up' (clean-up), did you mean clean-up?",
        f"Run `trio-agent run {plugin} db --help` for help.",
    )


def test_many_commands_are_not_listed_in_a_line(tmp_path: Path) -> None:
    text = COMMANDS["broken"]
    root = write_plugin(tmp_path, {f"c{number:02}": text for number in range(MAX_LISTED)})
    names = ", ".join(f"c{number:02}" for number in range(MAX_LISTED))
    assert refused("run", str(root), "x").error["message"] == f"there is no command 'x' ({names})"

    write_plugin(tmp_path, {"more": text})
    where = f"`trio-agent run {root} --help` lists {MAX_LISTED + 1}"
    assert refused("run", str(root), "x").error["message"] == f"there is no command 'x' ({where})"
    assert refused("run", str(root), "--json").error["message"] == (
        f"expected a command ({where}), received --json"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--bogus"], "unknown option --bogus"),
        (["--hlep"], "unknown option --hlep, did you mean --help?"),
        (["--a\nb"], "unknown option --a\\nb"),
        (["-"], "there is no command '-'"),
        (["demo"], "there is no command 'demo', did you mean trio-agent run demo?"),
        (["demo", "hi"], "there is no command 'demo', did you mean trio-agent run demo ...?"),
        (["rnu", "demo"], "there is no command 'rnu', did you mean run?"),
        (["runs"], "there is no command 'runs', did you mean trio-agent run runs?"),
        (
            ["run", "--json"],
            "<plugin>: expected a folder or the name of a package, received nothing",
        ),
        (
            ["run", "--json", "demo"],
            "<plugin>: expected a folder or the name of a package, received --json",
        ),
        (
            ["run", "--bogus"],
            "<plugin>: expected a folder or the name of a package, received --bogus",
        ),
    ],
)
def test_the_first_words_are_refused_with_what_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path)

    assert refused(*words).error["message"] == message


def call(plugin: str, *words: str) -> Call:
    found = decide(["run", plugin, *words], 80)
    assert isinstance(found, Call)
    return found


def test_a_command_is_prepared_with_the_name_it_was_declared_under(plugin: str) -> None:
    prepared = prepare(call(plugin, "hi", "--name", "x", "--json"), 80)

    assert isinstance(prepared, Prepared)
    assert prepared.mode == "json"
    assert prepared.policy is None
    invocation = prepared.invocation
    assert (invocation.kind, invocation.target, invocation.route_id) == (
        "cli",
        "hello",
        "cli:hello",
    )
    assert invocation.props.value == {"name": "x", "shout": False}


def test_the_help_of_a_command_names_its_aliases(plugin: str) -> None:
    text = prepare(call(plugin, "hello", "-h"), 500)

    assert isinstance(text, str)
    assert "Aliases: hi" in text
    assert f"Usage: trio-agent run {plugin} hello [options]" in text


def test_a_module_that_cannot_be_imported_has_no_help(plugin: str) -> None:
    complaint = prepare(call(plugin, "unimportable", "--help"), 80)

    assert isinstance(complaint, Complaint)
    assert complaint.exit_code == 1


@pytest.mark.parametrize(
    ("value", "policy", "code"),
    [
        (None, "result", 0),
        ({"exitCode": 7}, None, 0),
        ({"exitCode": 7}, "result", 7),
        ({}, "result", 0),
        ([7], "result", 0),
    ],
)
def test_the_policy_of_the_command_chooses_the_exit_code(
    value: object, policy: object, code: int
) -> None:
    json = None if value is None else Json.of(value)

    assert exit_code(Ending("success", json), policy) == code  # type: ignore[arg-type]  # a parameter
    assert exit_code(Ending("represented-error", json), policy) == 1  # type: ignore[arg-type]  # same


@pytest.mark.parametrize("code", [-1, 256, True, "3", 3.0, None])
def test_an_exit_code_that_is_none_is_said(code: object) -> None:
    wrong = exit_code(Ending("success", Json.of({"exitCode": code})), "result")

    assert isinstance(wrong, str)
    assert wrong.startswith("value.exitCode: expected an integer from 0 to 255, received ")


def test_the_end_of_a_second_signal_takes_the_picture_away(
    plugin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    stderr = ByteStream(writing, "standard error", encoding="utf-8", is_terminal=True)
    streams = StandardStreams(stdout=stderr, stderr=stderr, terminal=Terminal.synthetic())
    found = call(plugin, "hello")
    prepared = prepare(found, 80)
    assert isinstance(prepared, Prepared)
    aside = Aside(stderr)
    run = ProcessRun(Session(found, prepared, streams, aside), streams)
    aside.write(b"printed")
    codes: list[int] = []
    monkeypatch.setattr("os._exit", codes.append)

    run.end_now(130)

    assert (codes, os.read(reading, 99)) == ([130], b"printed\n")
    os.close(reading)
    os.close(writing)


def test_a_picture_without_an_end_is_no_end() -> None:
    with pytest.raises(StreamError):
        EventProjection().finish()


def test_the_program_collects_no_garbage_before_there_is_some(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["trio-agent", "--version"])
    try:
        assert __main__.main() == 0
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_ctrl_c_before_there_is_an_invocation_is_an_interruption(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(words: object, columns: int) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(shell, "decide", interrupt)

    assert shell.main([]) == 130
    assert capfd.readouterr() == ("", "Interrupted.\n")


def test_the_words_of_the_process_are_the_default(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["trio-agent", "--version"])

    assert shell.main() == 0
    assert capfd.readouterr().out.startswith("trio-agent ")


def test_ctrl_c_while_the_program_starts_is_an_interruption(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*, ends_process: bool) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(shell, "main", interrupt)
    try:
        assert __main__.main() == 130
    finally:
        gc.enable()
    assert capfd.readouterr() == ("", "Interrupted.\n")


def test_serve_is_another_program_behind_the_same_name() -> None:
    command = [sys.executable, "-m", "trio_agent", "serve"]

    told = subprocess.run([*command, "--help"], capture_output=True, check=False, timeout=60)
    wrong = subprocess.run([*command, "./no/such"], capture_output=True, check=False, timeout=60)

    assert (told.returncode, told.stdout[:6]) == (0, b"Usage:")
    assert (wrong.returncode, wrong.stdout) == (1, b"")
    assert b"there is no plugin" in wrong.stderr


def test_a_group_is_described_by_the_docstring_of_its_folder(tmp_path: Path) -> None:
    root = write_plugin(
        tmp_path,
        {
            "db/clean_up": COMMANDS["hello"],
            "db/__init__": '"""Look after\nthe database.\n\nMore."""\n1 / 0\n',
            "db/deep/more": COMMANDS["hello"],
            "torn/__init__": "def (",
            "torn/more": COMMANDS["hello"],
            "bare/more": COMMANDS["hello"],
        },
        name="groupdemo",
    )
    text = decide(["run", str(root)], 80)
    assert isinstance(text, str)
    assert "  db     Look after the database.\n" in text
    assert "  bare   (group)\n" in text
    assert "  torn   (group)\n" in text
    inner = decide(["run", str(root), "db", "--help"], 80)
    assert isinstance(inner, str)
    assert inner.startswith("Look after the database.\n\nUsage:")
