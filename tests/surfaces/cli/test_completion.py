"""What a shell is told when somebody presses Tab: the candidates, and the shells themselves."""

import os
import select
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import attrs
import pyte
import pytest
from hypothesis import given, strategies as st

from tests.surfaces.cli.terminal import PATIENCE_S, environment, program, write_plugin
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.importing import unload
from trio_agent.routes.plugin import find_plugin
from trio_agent.surfaces.cli.completion.candidates import Completion
from trio_agent.surfaces.cli.completion.shells import (
    SHELLS,
    Shell,
    answer_lines,
    completion_script,
    last_raw_word,
    split_line,
)
from trio_agent.surfaces.cli.completion.words import (
    complete_command,
    complete_plugin,
    complete_program,
)
from trio_agent.surfaces.cli.grammar import read_grammar
from trio_agent.surfaces.cli.help.usage import Row
from trio_agent.surfaces.cli.shell import decide

COMMANDS = {
    "audit": """
        from pathlib import Path
        from typing import Annotated, Literal
        from trio_agent import Agent, Description, Node, Positional, command
        print("printed while importing")

        @command(description="Audit a library.", aliases=["check"])
        async def audit(
            root: Annotated[Path, Positional()],
            more: Annotated[tuple[Literal["one", "two"], ...], Positional()] = (),
            mode: Annotated[Literal["fast", "deep", "a b:c"], Description("How.")] = "fast",
            report: Path | None = None,
            tag: tuple[str, ...] = (),
            quiet: bool = False,
        ) -> Node:
            return Agent.Text("x")
        """,
    "db/clean_up": """
        from trio_agent import command

        @command(description="Clean up.")
        async def clean_up(deep: bool = False) -> str:
            return "done"
        """,
    "broken": "raise RuntimeError('imported')",
}


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[PluginApplication]:
    found = find_plugin(write_plugin(tmp_path, COMMANDS, name="tabdemo"))
    yield PluginApplication(found)
    unload(found)


def terms(completion: Completion) -> list[str]:
    return [row.term for row in completion.rows]


def after(plugin: PluginApplication, *words: str) -> list[str]:
    return terms(complete_plugin(plugin, words))


def test_the_first_words_are_those_of_the_program() -> None:
    assert terms(complete_program([])) == ["inspect", "mcp", "run", "script", "serve"]
    assert terms(complete_program(["--"])) == ["--help", "--version", "--completion"]
    assert terms(complete_program(["--completion", ""])) == list(SHELLS)
    assert terms(complete_program(["mcp", "in"])) == ["invoke"]
    assert complete_program(["run", ""]).place == "folders"
    assert complete_program(["mcp", "invoke", ""]).place == "folders"
    assert complete_program(["nothing", "x", ""]) == Completion()


def test_a_plugin_offers_its_commands_and_groups(plugin: PluginApplication) -> None:
    assert after(plugin) == ["audit", "broken", "db"]
    assert after(plugin, "") == ["audit", "broken", "db"]
    assert after(plugin, "a") == ["audit"]
    assert after(plugin, "-") == ["--help", "--version"]
    assert after(plugin, "db", "") == ["clean-up"]
    assert after(plugin, "db", "-") == ["--help"]
    assert after(plugin, "nothing", "") == []
    assert after(plugin, "--version", "") == []
    assert terms(complete_program(["run", str(plugin.plugin.root), "db", "c"])) == ["clean-up"]
    assert terms(complete_program(["run", "/nowhere/at/all", ""])) == []


def test_a_plugin_is_found_as_the_shell_would_find_it(
    plugin: PluginApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plugin.plugin.root.parent
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PLUGINS", str(folder))
    for typed in ("~/tabdemo", "$PLUGINS/tabdemo", "${PLUGINS}/tabdemo"):
        assert terms(complete_program(["run", typed, "a"])) == ["audit"], typed


def test_the_scripts_of_a_plugin_are_offered_and_then_files(plugin: PluginApplication) -> None:
    root = plugin.plugin.root
    (root / "scripts").mkdir()
    (root / "scripts" / "by_night.py").write_text('"""Count."""', encoding="utf-8")
    assert terms(complete_program(["script", str(root), ""])) == ["by-night"]
    assert terms(complete_program(["script", str(root), "-"])) == ["--help"]
    assert complete_program(["script", str(root), "by-night", "x"]).place == "files"
    assert terms(complete_program(["script", "/nowhere/at/all", ""])) == []


def test_the_options_of_inspect_are_offered_once() -> None:
    every = ["--routes", "--check", "--json", "--help"]
    assert terms(complete_program(["inspect", "x", "--"])) == every
    assert terms(complete_program(["inspect", "x", "--check", "--"])) == [
        "--routes",
        "--json",
        "--help",
    ]


def test_the_program_of_a_plugin_offers_its_script_too(plugin: PluginApplication) -> None:
    assert terms(complete_plugin(plugin, ["--c"], is_program=True)) == ["--completion"]
    assert terms(complete_plugin(plugin, ["--completion", "z"], is_program=True)) == ["zsh"]


def test_a_command_offers_the_options_that_may_still_be_given(plugin: PluginApplication) -> None:
    every = ["--mode", "--report", "--tag", "--quiet", "--json", "--ndjson", "--help"]
    assert after(plugin, "audit", "-") == every
    assert after(plugin, "check", "x", "--q") == ["--quiet"]
    left = ["--report", "--tag", "--help"]
    given = ("--mode=fast", "--quiet", "--tag", "x", "--json")
    assert after(plugin, "audit", *given, "--") == left
    assert after(plugin, "db", "clean-up", "--") == ["--deep", "--json", "--help"]


def test_a_value_is_one_of_its_choices_or_a_path(plugin: PluginApplication) -> None:
    assert after(plugin, "audit", "--mode", "") == ["fast", "deep", "a b:c"]
    assert after(plugin, "audit", "--mode=d") == ["--mode=deep"]
    assert after(plugin, "audit", "--tag", "") == []
    assert after(plugin, "audit", "--nothing=x") == []
    found = complete_plugin(plugin, ["audit", "--report=x"])
    assert (found.place, found.prefix) == ("files", "--report=")
    assert complete_plugin(plugin, ["audit", "--report", ""]).place == "files"


def test_an_argument_is_told_by_its_place(plugin: PluginApplication) -> None:
    assert complete_plugin(plugin, ["audit", ""]).place == "files"
    assert after(plugin, "audit", "x", "") == ["one", "two"]
    assert after(plugin, "audit", "x", "one", "t") == ["two"]
    assert after(plugin, "audit", "--quiet", "--mode", "fast", "x", "") == ["one", "two"]
    assert after(plugin, "audit", "--", "x", "") == ["one", "two"]
    assert after(plugin, "audit", "x", "--", "t") == ["two"]
    assert after(plugin, "db", "clean-up", "") == []


@attrs.frozen
class Anything:
    name: str
    count: int = 0
    is_loud: bool = False
    path: Path = Path()


WORDS = st.lists(
    st.sampled_from(["--", "--name", "--name=", "--is-loud", "--path", "-", "x", "", "--json"])
    | st.text(max_size=6),
    min_size=1,
    max_size=6,
)


@given(words=WORDS, has_events=st.booleans())
def test_a_candidate_begins_with_what_was_typed(words: list[str], has_events: bool) -> None:
    found = complete_command(read_grammar(Anything), words, has_events=has_events)
    assert all(row.term.startswith(words[-1]) for row in found.rows)


@given(line=st.text(max_size=30), shell=st.sampled_from(SHELLS), words=WORDS)
def test_whatever_a_shell_gives_is_answered(line: str, shell: Shell, words: list[str]) -> None:
    split = split_line(line)
    assert split
    if line[-1:].isspace():
        assert split[-1] == "" == last_raw_word(line)
    rows = tuple(Row(term=word, text=line) for word in words)
    lines = [*answer_lines(shell, Completion(rows=rows), last_raw_word(line))]
    assert len(lines) == len(rows) + (1 if shell == "bash" else 2)


@given(words=st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
def test_a_quoted_line_comes_apart_into_its_words(words: list[str]) -> None:
    assert split_line(shlex.join(words)) == words


def test_an_open_quote_is_the_word_that_is_being_typed() -> None:
    assert split_line('x run "my fo') == ["x", "run", "my fo"]
    assert split_line("x it's") == ["x", "its"]
    assert split_line("x a\\") == ["x", "a\\"]
    assert last_raw_word('x "my fo') == '"my fo'


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the plugin, and with `tool`, which is `trio-agent`."""
    write_plugin(tmp_path, COMMANDS, name="tabdemo")
    (tmp_path / "my notes").mkdir()
    tool = tmp_path / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {shlex.join(program())} "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    return tmp_path


def asked(place: Path, *command: str) -> str:
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=place,
        env=environment({"PATH": path, "HOME": str(place)}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.stderr == b""
    return done.stdout.decode()


def write_script(place: Path, shell: Shell) -> str:
    script = place / f"tool.{shell}"
    script.write_text(completion_script(shell, "tool"), encoding="utf-8")
    return str(script)


BASH = """
    source {script}
    COMP_LINE={line}
    COMP_POINT=${{#COMP_LINE}}
    _complete_tool tool
    printf '%s\\n' "${{COMPREPLY[@]}}"
    """


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tool run tabdemo ", ["audit", "broken", "db"]),
        ("tool run tabdemo audit --mode ", ["fast", "deep", "a\\ b:c"]),
        ("tool run tabdemo audit --mode=d", ["deep"]),
        ("tool run tabdemo audit --mode='a b:", ["a b:c"]),
        ("tool run tabdemo broken --", [""]),
        ("tool run tabdemo audit ", [""]),
        ("tool run tabdemo audit x t", ["two"]),
        ("tool r", ["run"]),
    ],
)
def test_bash_gets_its_candidates(place: Path, line: str, expected: list[str]) -> None:
    script = BASH.format(script=shlex.quote(write_script(place, "bash")), line=shlex.quote(line))
    said = asked(place, "bash", "--norc", "-c", textwrap.dedent(script))
    assert said.splitlines() == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tool run tabdemo ", ["audit\tAudit a library.", "broken", "db\t(group)"]),
        ("tool run tabdemo audit --mode=d", ["--mode=deep"]),
        ("tool run tabdemo audit --m", ["--mode\tHow."]),
        ("tool run tabdemo audit --report=my", ["--report=my notes/"]),
        ("tool run my", ["my notes/\tDirectory"]),
    ],
)
def test_fish_gets_its_candidates(place: Path, line: str, expected: list[str]) -> None:
    script = write_script(place, "fish")
    said = asked(place, "fish", "-N", "-c", f"source {script}; complete -C {shlex.quote(line)}")
    assert sorted(said.splitlines()) == sorted(expected)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_tab_in_bash_completes_the_line(place: Path) -> None:
    begin = f"source {shlex.quote(write_script(place, 'bash'))}"
    line = "tool run tabdemo audit --mode=de"
    complete_by_tab(place, ["bash", "--norc", "-i"], begin, line, "--mode=deep")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tool run tabdemo au", "tool run tabdemo audit"),
        ("tool run tabdemo audit --mode=de", "--mode=deep"),
        ("tool run tabdemo audit --report=my", "--report=my\\ notes/"),
    ],
)
def test_tab_in_zsh_completes_the_line(place: Path, line: str, expected: str) -> None:
    script = write_script(place, "zsh")
    begin = f"autoload -Uz compinit; compinit -u -D; source {shlex.quote(script)}"
    complete_by_tab(place, ["zsh", "-f", "-i"], begin, line, expected)


def complete_by_tab(place: Path, shell: list[str], begin: str, line: str, expected: str) -> None:
    """Type *line* and Tab into an interactive shell, and wait for what should come of it."""
    screen = pyte.Screen(120, 30)
    stream = pyte.ByteStream(screen)
    terminal, inner = os.openpty()
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": path, "HOME": str(place), "PS1": "$ ", "TERM": "vt100"}
    with subprocess.Popen(
        shell,
        cwd=place,
        env=environment(settings),
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    ) as process:
        os.close(inner)
        try:
            # Echoed with the quotes, and printed without them.
            os.write(terminal, f"{begin}; echo re''ady\r".encode())
            _wait_for("ready", terminal, screen, stream)
            # Nothing may be typed after it: zsh takes Tab for a tab then.
            os.write(terminal, f"{line}\t".encode())
            _wait_for(expected, terminal, screen, stream)
        finally:
            process.kill()
            os.close(terminal)


def _wait_for(text: str, terminal: int, screen: pyte.Screen, stream: pyte.ByteStream) -> None:
    while text not in "\n".join(screen.display):
        ready, _, _ = select.select([terminal], [], [], PATIENCE_S)
        assert ready, f"{text!r} did not come: {screen.display}"
        stream.feed(os.read(terminal, 4096))


def test_nothing_is_said_of_what_is_wrong(place: Path) -> None:
    settings = environment({"TRIO_AGENT_COMPLETE": "tcsh"})
    done = subprocess.run(program(), env=settings, capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_a_list_of_commands_imports_neither_trio_nor_the_plugin(place: Path) -> None:
    code = (
        "import sys; from trio_agent.surfaces.cli.completion.words import complete_program;"
        "found = complete_program(['run', 'tabdemo', '']);"
        "assert found.rows;"
        "sys.exit('trio' in sys.modules or 'tabdemo.cli.audit' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=place, check=True, timeout=PATIENCE_S)


def test_the_script_is_refused_for_a_shell_that_is_not_known() -> None:
    assert "expected one of bash, fish, zsh, received tcsh" in str(
        decide(["--completion", "tcsh"], 80)
    )
    assert "received nothing" in str(decide(["--completion"], 80))
    assert "complete -c trio-agent" in str(decide(["--completion", "fish"], 80))
