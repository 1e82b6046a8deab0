"""Help that is answered before anything is imported: the same text as by the long way, or none."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from tests.surfaces.cli.terminal import (
    PATIENCE_S,
    Watched,
    environment,
    program,
    run,
    write_plugin,
)
from trio_agent.routes import facts
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.decorated import NAMES
from trio_agent.routes.glance import list_commands, read_settings
from trio_agent.routes.plugin import Plugin
from trio_agent.surfaces.cli.help.listing import with_headings
from trio_agent.surfaces.cli.help.quick import package_text, program_text
from trio_agent.surfaces.cli.plugin_words import decide_plugin
from trio_agent.surfaces.cli.shell import decide

COMMAND = "from trio_agent import command\n@command({})\nasync def x() -> str:\n    {}\n"
TEXTS = st.sampled_from(
    [
        COMMAND.format("description='Does x.', aliases=['al']", "..."),
        COMMAND.format("", "'''From the docstring,\n\ttwo lines.\n\n    And more.'''"),
        COMMAND.format("title='A title'", "..."),
        COMMAND.format("description=' ', title='' 'T'", "..."),
        COMMAND.format("description=f'{1}', title=3, nonsense=2, result=str", "..."),
        COMMAND.format("**{}", "'''Said.'''"),
        COMMAND.format("description='one', **{}", "..."),
        COMMAND.format("'positional'", "..."),
        COMMAND.format("", "...").replace("command({})", "command"),
        COMMAND.format("description='twice'", "...") * 2,
        "import trio_agent as t\n@t.command(description='By module.')\ndef x() -> str: ...\n",
        "from trio_agent import command as c, tool\n@c(description='Renamed.')\ndef x() -> str: ...\n",
        "from trio_agent import tool\n@tool(description='No command.')\ndef x() -> str: ...\n",
        "from other import command\n@command(description='Not ours.')\ndef x() -> str: ...\n",
        "'''A summary\nof a group.\n\nMore.'''\n",
        "no python",
        "\0",
        "",
    ]
)
PARTS = st.sampled_from(["a", "b", "clean_up", "A", "_private", "no-name", "x.y", "1a", "__init__"])
FILES = st.dictionaries(
    st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: f"cli/{'/'.join(parts)}.py"),
    TEXTS,
    max_size=7,
)
OTHERS = st.dictionaries(
    st.sampled_from(["layout.py", "mcp/s/tools/t.py", "mcp/s/tools/t_cli.py", "mcp/x.py"]),
    TEXTS,
    max_size=2,
)
SETTINGS = st.sampled_from(
    [
        None,
        "name = 'Named'\nversion = '1.2'\ndescription = '''Said.\n\nMore.'''",
        "version = '1'",
        "name = ' '",
        "version = 1",
        "nmae = 'x'",
        "[commands]",
        "[servers.s]\nentry = 'cli/a.py'",
        "no toml",
    ]
)
WORDS = st.lists(
    st.sampled_from(["a", "b", "clean-up", "clean_up", "A", "-h", "--help", "--version", "-", ""]),
    max_size=3,
)


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@given(
    files=FILES,
    others=OTHERS,
    settings=SETTINGS,
    words=WORDS,
    columns=st.integers(20, 120),
)
def test_what_is_told_quickly_is_what_the_long_way_tells(
    files: dict[str, str],
    others: dict[str, str],
    settings: str | None,
    words: list[str],
    columns: int,
) -> None:
    said = {} if settings is None else {"plugin.toml": settings}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "demo"
        root.mkdir()
        write(root, {**files, **others, **said})
        asked = ["run", str(root), *words]
        quick = program_text(asked, columns)
        assert quick is None or quick == decide(asked, columns)
        if settings is None and not others and not words:
            # Nothing is told slowly that could have been told at once.
            assert (quick is None) is not isinstance(decide(asked, columns), str)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-h"],
        ["--help", "x"],
        ["--version"],
        ["run"],
        ["run", "--help"],
        ["frob"],
        ["run", "./x"],
    ],
)
def test_the_program_itself_is_told_quickly_or_not_at_all(words: list[str]) -> None:
    quick = program_text(words, 72)
    assert quick is None or quick == decide(words, 72)
    assert (quick is None) is (words[:1] in (["run"], ["frob"]))


def test_a_package_is_told_quickly_where_it_says_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = COMMAND.format("description='Does x.'", "...")
    root = write_plugin(tmp_path, {"a": text, "db/b": text}, name="quick_demo")
    monkeypatch.syspath_prepend(tmp_path)
    plugin = Plugin(name="quick_demo", root=root, origin="package")
    group = decide_plugin(PluginApplication(plugin), "demo", ["db", "-h"], 80)
    assert package_text("quick_demo", "demo", ["db", "-h"], 80) == group
    # Otherwise its distribution has to be asked.
    assert package_text("quick_demo", "demo", [], 80) is None
    write(root, {"plugin.toml": "version = '2'"})
    page = decide_plugin(PluginApplication(plugin), "demo", [], 80)
    assert package_text("quick_demo", "demo", [], 80) == page
    assert isinstance(page, str)
    assert page.startswith("quick_demo 2\n")
    assert "--completion" in page
    for unknown in ("quick_demo.db", "quick_demo.cli", "no_such_package_anywhere", "a b", ""):
        assert package_text(unknown, "demo", [], 80) is None


def test_what_cannot_be_read_is_not_told_quickly(tmp_path: Path) -> None:
    root = tmp_path / "demo"
    write(root, {"x.py": ""})
    assert list_commands(str(root)) is None
    write(root, {"cli/a/b.py": COMMAND.format("", "...")})
    assert list_commands(str(root)) == {"a": "(group)"}
    assert list_commands(str(root), ["a"]) == {"b": ""}
    for words in (["b"], ["a", "b"], ["a", "c"], ["x_y"]):
        assert list_commands(str(root), words) is None
    (root / "plugin.toml").mkdir()
    assert read_settings(str(root)) is None
    assert program_text(["run", str(root)], 80) is None
    (root / "cli").rename(root / "other")
    (root / "cli").symlink_to(root / "other", target_is_directory=True)
    assert list_commands(str(root)) is None


def test_the_decorators_are_those_whose_arguments_are_known() -> None:
    assert set(get_args(facts.DecoratorName)) == NAMES


PLUGIN = {
    "hello": COMMAND.format("description='Say hello to everybody who is there.'", "..."),
    "db/clean_up": "raise SystemExit('imported')",
}


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["run", "demo"], ["run", "demo", "db", "--help"]]
)
def test_it_imports_neither_attrs_nor_typing_nor_trio_nor_the_plugin(
    tmp_path: Path, words: list[str]
) -> None:
    write_plugin(tmp_path, PLUGIN)
    script = (
        f"import sys; sys.argv[1:] = {words!r}\n"
        "before = {*sys.modules}\n"
        "from trio_agent.__main__ import main\n"
        "code = main()\n"
        "names = ('attr', 'attrs', 'typing', 'trio', 'cattrs', 're', 'demo', 'textwrap')\n"
        "print(code, [name for name in names if name in {*sys.modules} - before], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stderr == b"0 []\n"
    assert done.stdout == run(words, cwd=tmp_path).stdout


def test_the_headings_of_one_command_are_bold_too(tmp_path: Path) -> None:
    write_plugin(tmp_path, {"a": COMMAND.format(r"description='Obey \x1b[2J.'", "...")})
    words = ["run", "demo", "a", "--help"]
    with Watched(words, cwd=tmp_path) as watched:
        assert watched.finish() == 0
        assert watched.raw.startswith(b"Obey \\x1b[2J.\r\n\r\n\x1b[1mUsage:\x1b[0m trio-agent run")
        assert b"\x1b[1mOptions:\x1b[0m\r\n" in watched.raw
    with Watched(words, cwd=tmp_path, settings={"FORCE_COLOR": "0"}) as watched:
        assert watched.finish() == 0
        assert b"\x1b" not in watched.raw


def test_headings_are_bold_where_a_terminal_has_colour(tmp_path: Path) -> None:
    write_plugin(tmp_path, PLUGIN)
    words = ["run", "demo", "--help"]
    plain = run(words, cwd=tmp_path, settings={"COLUMNS": "40"}).stdout.decode()
    for settings, expected in (
        ({}, with_headings(plain)),
        ({"NO_COLOR": "1"}, plain),
        ({"TERM": "dumb"}, plain),
    ):
        with Watched(words, cwd=tmp_path, columns=40, settings=settings) as watched:
            assert watched.finish() == 0
            assert watched.raw.decode().replace("\r\n", "\n") == expected
    assert "\x1b[1mCommands:\x1b[0m\n" in with_headings(plain)
    assert "\n\x1b[1mUsage:\x1b[0m trio-agent run demo" in with_headings(plain)


@pytest.mark.parametrize("text", ["caf\u00e9 \u2713", "\x1b[2J", "\ud83d\ude00", "a\u202eb"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-16-le"])
def test_bytes_are_those_of_the_long_way(tmp_path: Path, text: str, encoding: str) -> None:
    command = COMMAND.format(f"description={text!a}", "...")
    write_plugin(tmp_path, {"a": command})
    settings = {"PYTHONIOENCODING": encoding}
    quick = run(["run", "demo"], cwd=tmp_path, settings=settings)
    # A table that nobody knows makes it take the long way, which refuses nothing else here.
    (tmp_path / "demo" / "plugin.toml").write_text("[errors]\n", encoding="utf-8")
    slow = run(["run", "demo"], cwd=tmp_path, settings=settings)
    assert (quick.returncode, slow.returncode) == (0, 0)
    assert quick.stdout == slow.stdout


def test_a_pipe_that_does_not_wait_gets_all_of_it(tmp_path: Path) -> None:
    commands = {f"c{number}": PLUGIN["hello"] for number in range(1300)}
    write_plugin(tmp_path, commands)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with subprocess.Popen(
        program("run", "demo"), cwd=tmp_path, env=environment(), stdout=writer
    ) as process:
        os.close(writer)
        with os.fdopen(reader, "rb") as stream:
            text = stream.read()
        assert process.wait(PATIENCE_S) == 0
    assert text.count(b"Say hello") == 1300
    assert text.endswith(b"about a command.\n")
