"""Tools as commands, by `trio-agent run` and by a console script: real processes."""

import json
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.surfaces.cli.terminal import PATIENCE_S, environment, run
from trio_agent.surfaces.cli.complaint import Complaint
from trio_agent.surfaces.cli.shell import decide

FILES = {
    "plugin.toml": "[commands]\nexclude = ['shop:hidden']\n",
    "layout.py": """
        from trio_agent import Agent, Node, RouteInfo, layout

        @layout()
        def frame(children: Node, route: RouteInfo) -> Node:
            return Agent.Result(Agent.Markdown(f"# {route.id}"), children)
        """,
    "providers/till.py": """
        from trio_agent import provider

        @provider
        def till(context) -> str:
            return "the till"
        """,
    "mcp/shop/layout.py": """
        from trio_agent import Agent, Node, layout

        @layout()
        def frame(children: Node) -> Node:
            return [Agent.Text("in the shop"), children]
        """,
    "mcp/shop/tools/list_books.py": """
        print("imported list_books")
        from trio_agent import Agent, Node, ToolContext, tool

        @tool(description="List the books.", read_only=True, result=dict[str, int])
        async def list_books(context: ToolContext, shelves: list[str], most: int = 3) -> Node:
            print("printed by the tool")
            context.progress.report(1, message="looking")
            till = await context.provider("till", str)
            kind = context.invocation.kind
            text = f"{', '.join(shelves)}: {most} by {till} ({kind})"
            return Agent.Result(Agent.Markdown(text), value={"exitCode": most})
        """,
    "mcp/shop/tools/list_books_cli.py": """
        print("imported list_books_cli")
        from trio_agent import tool_command

        @tool_command(
            command="books list",
            aliases=["ls"],
            exit_code="result",
            positionals=["shelves"],
            flags={"most": {"name": "top", "default": 0}},
        )
        def list_books(flags: dict[str, object]) -> dict[str, object]:
            print("printed by the function")
            if flags["most"] == 9:
                raise ValueError("nobody reads nine books")
            return flags
        """,
    "mcp/shop/tools/sell.py": """
        print("imported sell")
        from trio_agent import tool

        @tool(description="Sell a book.")
        async def sell(book: str = "any") -> dict[str, str]:
            return {"sold": book}
        """,
    "mcp/shop/tools/hidden.py": """
        from trio_agent import tool

        @tool(description="Hidden.", read_only=True)
        async def hidden() -> int:
            return 1
        """,
}

SCRIPT = "from trio_agent.console import demo; raise SystemExit(demo())"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        file = folder / "demo" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def cwd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("shop"), FILES)


def ran(cwd: Path, *words: str) -> tuple[int, str, list[str]]:
    done = run(["run", "demo", *words], cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode().splitlines()


def test_a_tool_is_shown_as_a_host_would_get_it(cwd: Path) -> None:
    code, out, told = ran(cwd, "books", "list", "a", "b", "--top=2")
    assert out == "# tool:shop/list_books\n\nin the shop\n\na, b: 2 by the till (cli)\n"
    assert code == 2
    assert told == [
        "imported list_books",
        "imported list_books_cli",
        "printed by the function",
        "printed by the tool",
    ]


def test_json_and_events_are_those_of_the_tool(cwd: Path) -> None:
    assert ran(cwd, "books", "ls", "a", "--json")[:2] == (0, '{"exitCode":0}\n')
    _, out, _ = ran(cwd, "books", "ls", "a", "--ndjson")
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["sequence"] for event in events] == [*range(len(events))]
    assert events[-1]["type"] == "complete"


def test_a_tool_that_is_not_read_only_runs_when_it_is_confirmed(cwd: Path) -> None:
    code, out, told = ran(cwd, "shop", "sell")
    assert (code, out) == (2, "")
    assert told == [
        "imported sell",
        (
            "--yes: expected a confirmation, since the tool is not declared read-only, received"
            " nothing"
        ),
        "Usage: trio-agent run demo shop sell --yes [options]",
        "Run `trio-agent run demo shop sell --help` for help.",
    ]
    assert ran(cwd, "shop", "sell", "--yes", "--input", '{"book": "x"}')[:2] == (
        0,
        '{"sold":"x"}\n',
    )


def test_what_is_wrong_with_the_input_is_told_to_machines_too(cwd: Path) -> None:
    wrong = '{"shelves": [1], "most": "x"}'
    code, out, told = ran(cwd, "books", "list", "--input", wrong, "--json")
    assert (code, out) == (2, "")
    error = json.loads(told[-1])["error"]
    assert (error["code"], [one["target"] for one in error["issues"]]) == (
        "CLI_INPUT_INVALID",
        ["--input.shelves[0]", "--input.most"],
    )
    assert error["issues"][0]["received"] == 1
    code, out, told = ran(cwd, "shop", "sell", "--yes", "--json", "--input", "null")
    assert json.loads(told[-1])["error"]["issues"][0]["target"] == "--input"


def test_what_the_function_refuses_is_one_line(cwd: Path) -> None:
    code, out, told = ran(cwd, "books", "list", "a", "--top", "9")
    assert (code, out) == (2, "")
    assert told[-3] == (
        "input: expected what list_books accepts (nobody reads nine books), received"
        ' {"most": 9, "shelves": ["a"]}'
    )


def test_a_console_script_has_the_same_commands(cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT, "books", "list", "a"],
        cwd=cwd,
        env=environment({"PYTHONPATH": str(cwd)}),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout.decode().splitlines()[-1]) == (
        0,
        "a: 0 by the till (cli)",
    )


def test_lists_of_commands_name_tools_without_importing_them(cwd: Path) -> None:
    script = (
        "import sys; from trio_agent.surfaces.cli.shell import main;"
        "codes = [main(['run', 'demo', *words, '--help']) for words in ([], ['books'], ['shop'])];"
        "print(codes, *[name for name in ('trio', 'cattrs', 'demo') if name in sys.modules],"
        " file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stderr == "[0, 0, 0]\n"
    assert "  books   (group)\n  shop    (group)\n" in done.stdout
    assert "  list   List the books.\n" in done.stdout
    assert "  sell   Sell a book.\n" in done.stdout
    assert "hidden" not in done.stdout


def test_help_of_a_command_imports_its_tool_and_says_what_runs(cwd: Path) -> None:
    code, out, told = ran(cwd, "books", "list", "--help")
    assert (code, told) == (0, ["imported list_books", "imported list_books_cli"])
    assert out.startswith("List the books.\n\nUsage: trio-agent run demo books list <shelves...>")
    assert "Aliases: ls" in out
    assert "Runs the MCP tool `tool:shop/list_books`." in out
    assert "come from `mcp/shop/tools/list_books_cli.py`." in out
    assert "--yes" not in out


def test_a_command_whose_words_are_taken_does_not_run(tmp_path: Path) -> None:
    command = "from trio_agent import command\n@command()\ndef books() -> int: ...\n"
    write(tmp_path, {**FILES, "cli/books.py": command})
    code, out, told = ran(tmp_path, "books", "list", "a")
    assert (code, out) == (1, "")
    assert len(told) == 1
    assert "cli/books.py:3:1: TA4813 the command `books` is also a group" in told[0]


def test_a_function_that_returns_no_input_is_a_failure_of_the_plugin(tmp_path: Path) -> None:
    text = FILES["mcp/shop/tools/list_books_cli.py"].replace("return flags", "return None")
    write(tmp_path, {**FILES, "mcp/shop/tools/list_books_cli.py": text})
    code, out, told = ran(tmp_path, "books", "list", "a")
    assert (code, out) == (1, "")
    assert "list_books returns the input of tool:shop/list_books, an object" in told[-1]


def test_a_name_that_is_taken_is_told_with_its_place(tmp_path: Path) -> None:
    text = FILES["mcp/shop/tools/list_books_cli.py"].replace('"top"', '"json"')
    write(tmp_path, {**FILES, "mcp/shop/tools/list_books_cli.py": text})
    code, out, told = ran(tmp_path, "books", "list", "--help")
    assert (code, out) == (1, "")
    assert "list_books_cli.py:12: " in told[-1]
    assert "the option --json is taken" in told[-1]


def test_an_unknown_word_is_answered_with_the_tools_of_its_group(
    cwd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cwd)
    complaint = decide(["run", "demo", "shop", "sel"], 80)
    assert isinstance(complaint, Complaint)
    assert "there is no command 'sel' (sell), did you mean sell?" in complaint.lines[0]


@pytest.mark.parametrize(
    ("table", "is_told"), [("", True), ("[commands]\nexclude = ['*']\n", False)]
)
def test_a_plugin_of_tools_alone_is_told_how_they_become_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, *, is_told: bool
) -> None:
    name = "mcp/shop/tools/sell.py"
    write(tmp_path, {name: FILES[name], "plugin.toml": table})
    monkeypatch.chdir(tmp_path)
    complaint = decide(["run", "demo"], 80)
    assert isinstance(complaint, Complaint)
    assert ("with a table [commands] in plugin.toml." in complaint.lines[-1]) is is_told


def test_a_plugin_without_such_commands_pays_nothing_for_them(tmp_path: Path) -> None:
    command = "from trio_agent import command\n@command()\ndef x() -> int:\n    return 1\n"
    write(tmp_path, {"cli/x.py": command})
    script = (
        "import sys; from trio_agent.surfaces.cli.shell import main; main(['run', 'demo', 'x']);"
        "print(*sorted(name for name in sys.modules if 'tool' in name or 'projections' in name"
        " or name.endswith('.flags')), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stdout == b"1\n"
    assert not [name for name in done.stderr.split() if name.startswith(b"trio_agent")]
