"""`trio-agent inspect`: its words, its page, its JSON, and its exit code."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import cast

import pytest

from tests.surfaces.cli.terminal import PATIENCE_S, environment, run
from trio_agent.routes.examination import examine
from trio_agent.routes.plugin import Plugin
from trio_agent.surfaces.cli.complaint import Complaint
from trio_agent.surfaces.cli.inspect.page import inspection_json, inspection_page
from trio_agent.surfaces.cli.inspect.words import Inspection, decide_inspect
from trio_agent.surfaces.cli.shell import decide, main

TOOL = """
    from trio_agent.routes.tools import tool
    print("imported")

    @tool(
        description="Audit a library, and say what was found, how long it took, and what it needs.",
        title="Audit",
        read_only=True,
        task_support="optional",
        exclude_clients=["codex", "amp"],
        render={"max_elapsed_s": 0.5},
        structured="never",
        scalar="wrap",
        input_schema={"type": "object", "properties": {}},
    )
    async def audit() -> str: ...
    """
SCHEMA = 'input_schema={"type": "object", "properties": {}},'
FILES = {
    "plugin.toml": """
        name = "Curator"
        version = "1.4"
        description = "Audits."
        targets = ["claude"]
        [servers.far]
        url = "https://secret.example.org"
        headers.Authorization = "Bearer secret"
        [servers.curator]
        env.TOKEN = "secret"
        """,
    "mcp/curator/tools/audit.py": TOOL,
    "mcp/curator/tools/audit_cli.py": """
        from trio_agent import tool_command
        @tool_command()
        def x(): ...
        """,
    "mcp/curator/resources/book.py": """
        from trio_agent import resource
        @resource(uri="curator://{book}", mime_type="text/plain")
        def book(book: str) -> str: ...
        """,
    "mcp/curator/prompts/triage.py": "x = 1",
    "mcp/curator/apps/status.html": "<title>Status</title>",
    "mcp/curator/layout.py": """
        from trio_agent import layout
        @layout()
        def frame(children): ...
        """,
    "mcp/hand.py": "",
    "cli/db/clean_up.py": """
        from trio_agent import command
        @command(aliases=["clean"], exit_code="result")
        def clean() -> int:
            '''Clean up.'''
        """,
    "providers/library.py": """
        from trio_agent import provider
        @provider
        def library(): ...
        """,
    "events/stop.py": """
        from trio_agent import event
        @event()
        def stop() -> None: ...
        """,
    "scripts/weekly.sh": "# Once a week.\n",
    "scripts/nightly.py": """
        from trio_agent import script
        @script()
        def nightly() -> None: ...
        """,
}


def write(folder: Path, files: dict[str, str], name: str = "curator") -> Plugin:
    root = folder / name
    root.mkdir(exist_ok=True)
    for file, text in files.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(textwrap.dedent(text), encoding="utf-8")
    return Plugin(name=name, root=root, origin="folder")


def inspect(plugin: Plugin, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "trio_agent", "inspect", os.fspath(plugin.root), *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        env=environment({}),
        check=False,
    )


# ------------------------------------------------------------------------------ words


def test_the_words_say_what_to_show(tmp_path: Path) -> None:
    plugin = write(tmp_path, {})
    root = str(plugin.root)
    assert decide(["inspect", root], 60) == Inspection(plugin=plugin, columns=60)
    assert decide_inspect([root, "--routes"], 80) == Inspection(plugin=plugin)
    assert decide_inspect(["--json", root, "--check"], 80) == Inspection(
        plugin=plugin, is_json=True, is_check=True
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "<plugin>: expected a folder or the name of a package, received nothing"),
        (["a", "b"], "<plugin>: expected a folder or the name of a package, received 'a' and 'b'"),
        (["a", "--jsn"], "unknown option --jsn, did you mean --json?"),
        (["a", "-\n"], "unknown option -\\n"),
        (["no-such-folder/"], "there is no plugin 'no-such-folder/': the folder does not exist"),
    ],
)
def test_wrong_words_are_a_usage_error(words: list[str], message: str) -> None:
    complaint = decide_inspect(words, 80)
    assert isinstance(complaint, Complaint)
    assert complaint.exit_code == 2
    assert complaint.lines[0] == f"trio-agent: {message}"


def test_help_says_what_there_is() -> None:
    text = decide_inspect(["x", "--help"], 80)
    assert isinstance(text, str)
    assert text.startswith("Show what a plugin declares, and what is wrong with it")
    assert "--check" in text
    root = decide(["--help"], 80)
    assert isinstance(root, str)
    assert "inspect" in root


# ------------------------------------------------------------------------------ the page


def test_the_page_shows_routes_by_server_with_their_budgets_and_flags(tmp_path: Path) -> None:
    found = examine(write(tmp_path, FILES))
    page = inspection_page(found, 100)
    rest, _, digest = page.partition("digest ")
    assert digest == f"{found.graph.digest}\n"
    assert rest == textwrap.dedent(
        """\
        Curator 1.4

        Audits.

        Server curator, generated:
          tool:curator/audit               [0.5 s, read-only, task optional, text only, scalar wrap, not for
                                           codex amp, literal schema] Audit: Audit a library, and say what
                                           was found, how long it took, and what it needs.
          resource:curator/book            [60 s, curator://{book} (template), text/plain]
          prompt:curator/triage            [60 s, broken]
          app:curator/status               [ui://curator/status] Status
          mcp/curator/tools/audit_cli.py   how the tool audit looks as a command

        Server far, remote: not made of routes

        Server hand, custom: mcp/hand.py

        Commands:
          cli:db/clean-up   [60 s, also clean, exit code of the value] Clean up.

        Tools as commands:
          curator audit   [tool:curator/audit] Audit a library, and say what was found, how long it took,
                          and what it needs.

        Scripts:
          script:nightly   [60 s, rendered]
          script:weekly    [shell] Once a week.

        Events:
          event:stop   [60 s]

        Providers:
          library   providers/library.py

        Layouts:
          mcp/curator/layout.py   around the routes of curator

        mcp/curator/prompts/triage.py:1:1: TA4810 declares no route: decorate one function at the top level \
with @prompt(...), or begin the file's name with _ to keep it private

        1 error
        """
    )


def test_the_page_of_nothing(tmp_path: Path) -> None:
    page = inspection_page(examine(write(tmp_path, {})), 80)
    assert page.startswith("curator\n\nNothing is wrong.\ndigest ")


def test_warnings_and_broken_servers_are_marked(tmp_path: Path) -> None:
    files = {
        "mcp/a.py": "",
        "mcp/a/tools/x.py": "from trio_agent import tool\n@tool()\ndef x() -> str: ...\n",
        "layout.py": "from trio_agent import layout\n@layout()\ndef x(children): ...\n",
    }
    page = inspection_page(examine(write(tmp_path, files)), 80)
    assert "Server a, generated, broken:\n" in page
    assert "mcp/a/tools/x.py:3:1: TA4850 (warning) x does not say" in page
    assert "layout.py   around every route" in page
    assert "\n1 error, 1 warning\n" in page


# ------------------------------------------------------------------------------ the document


def test_the_document_is_canonical_and_holds_no_secret_and_no_place(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    text = inspection_json(examine(write(tmp_path / "one", FILES)))
    assert inspection_json(examine(write(tmp_path / "two", FILES))) == text
    assert "secret" not in text
    assert str(tmp_path) not in text
    document = cast("dict[str, object]", json.loads(text))
    assert text == json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"
    assert (document["name"], document["version"], document["errors"]) == ("Curator", "1.4", 1)
    assert document["targets"] == ["claude"]
    servers = cast("list[dict[str, list[dict[str, object]]]]", document["servers"])
    assert [str(server["name"]) for server in servers] == ["curator", "far", "hand"]
    assert servers[0]["tools"][0] == {
        "answer": "str",
        "description": "Audit a library, and say what was found, how long it took, and what it"
        " needs.",
        "excludeClients": ["codex", "amp"],
        "handler": "audit",
        "id": "tool:curator/audit",
        "inputSchema": {"properties": {}, "type": "object"},
        "isBroken": False,
        "kind": "tool",
        "line": 16,
        "maxElapsedSeconds": 0.5,
        "module": "curator.mcp.curator.tools.audit",
        "name": "audit",
        "path": "mcp/curator/tools/audit.py",
        "readOnly": True,
        "scalar": "wrap",
        "structured": "never",
        "taskSupport": "optional",
        "title": "Audit",
    }
    assert '"maxElapsedSeconds":60,' in text
    assert document["toolCommands"] == [
        {
            "description": "Audit a library, and say what was found, how long it took, and what it"
            " needs.",
            "isBroken": False,
            "name": "curator audit",
            "needsConfirmation": False,
            "path": "mcp/curator/tools/audit_cli.py",
            "title": "Audit",
            "tool": "tool:curator/audit",
        }
    ]
    (app,) = servers[0]["apps"]
    assert (app["uri"], "maxElapsedSeconds" in app) == ("ui://curator/status", False)
    scripts = cast("list[dict[str, object]]", document["scripts"])
    assert [(one["name"], one["script"]) for one in scripts] == [
        ("nightly", "rendered"),
        ("weekly", "shell"),
    ]
    assert ["maxElapsedSeconds" in one for one in scripts] == [True, False]
    diagnostics = cast("list[dict[str, object]]", document["diagnostics"])
    assert [(one["code"], one["line"]) for one in diagnostics] == [("TA4810", 1)]


# ------------------------------------------------------------------------------ the program


@pytest.mark.parametrize("options", [[], ["--routes"], ["--json"]])
def test_looking_imports_neither_the_plugin_nor_trio(tmp_path: Path, options: list[str]) -> None:
    plugin = write(tmp_path, {**FILES, "mcp/curator/tools/boom.py": TOOL + "    1/0\n"})
    script = (
        "import sys; from trio_agent.surfaces.cli.shell import main;"
        f"code = main(['inspect', {os.fspath(plugin.root)!r}, *{options!r}]);"
        "print(code, *[name for name in ('trio', 'cattrs', 'rich', 'mcp', 'curator')"
        " if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        env=environment({}),
        check=True,
    )
    assert done.stderr == "0\n"
    assert "imported" not in done.stdout


def test_a_check_imports_and_judges(tmp_path: Path) -> None:
    plugin = write(tmp_path, {"mcp/curator/tools/audit.py": TOOL})
    done = inspect(plugin, "--check")
    assert (done.returncode, done.stderr) == (0, "imported\n")
    assert "Nothing is wrong." in done.stdout

    write(tmp_path, {"mcp/curator/tools/b.py": TOOL.replace("print", "1/0; print")})
    assert inspect(plugin).returncode == 0
    done = inspect(plugin, "--check", "--json")
    assert (done.returncode, done.stderr) == (1, "imported\n")
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert (found["code"], found["file"]) == ("TA4848", "mcp/curator/tools/b.py")


def test_a_check_tells_which_field_has_no_form_on_a_command_line(tmp_path: Path) -> None:
    text = "from trio_agent import command\n@command()\ndef x(a: {} = None) -> str: ...\n"
    files = {"cli/bad.py": text.format("dict[str, int] | None"), "cli/good.py": text.format("str")}
    plugin = write(tmp_path, files)
    done = inspect(plugin, "--check", "--json")
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert (done.returncode, found["code"], found["file"]) == (1, "TA4814", "cli/bad.py")
    assert "parameter `a` of " in found["message"]
    assert "has a type without a form on a command line, dict[str, int]" in found["message"]
    # The same is told where somebody runs it, in one line.
    ran = run(["run", "curator", "bad"], cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (1, b"", 1)
    assert found["message"].encode() in ran.stderr


def test_tools_that_are_commands_are_marked(tmp_path: Path) -> None:
    projection = "from trio_agent import tool_command\n@tool_command({})\ndef x(): ...\n"
    said = "exit_code='result', aliases=['y'], confirm=True"
    files = {
        "plugin.toml": "[commands]",
        "cli/a/b.py": "from trio_agent import command\n@command()\ndef b() -> int: ...\n",
        "mcp/a/tools/b.py": "from trio_agent import tool\n@tool(title='B')\ndef b() -> str: ...\n",
        "mcp/a/tools/c.py": "from trio_agent import tool\n@tool(title='C')\ndef c() -> str: ...\n",
        "mcp/a/tools/c_cli.py": projection.format(said),
    }
    page = inspection_page(examine(write(tmp_path, files)), 80)
    assert "  a b   [tool:a/b, --yes, broken] B\n" in page
    assert "  a c   [tool:a/c, --yes, also y, exit code of the value] C\n" in page
    assert "plugin.toml:1:2: TA4813 the command `a b` of tool:a/b is also declared by" in page


def test_a_check_tells_what_does_not_fit_a_tool(tmp_path: Path) -> None:
    projection = "from trio_agent import tool_command\n@tool_command({})\ndef x(): ...\n"
    plugin = write(
        tmp_path,
        {
            "mcp/curator/tools/audit.py": TOOL.replace("audit()", "audit(root: str)").replace(
                SCHEMA, ""
            ),
            "mcp/curator/tools/audit_cli.py": projection.format(
                "positionals=[], flags={'root': {'name': 'json'}}"
            ),
        },
    )
    done = inspect(plugin, "--check")
    assert done.returncode == 1
    assert "audit_cli.py:3:1: TA4845 AuditInput: the option --json is taken" in done.stdout


def test_a_check_of_a_plugin_with_wrong_settings_imports_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin = write(tmp_path, {"mcp/curator/tools/audit.py": TOOL, "plugin.toml": "nmae = 1"})
    assert main(["inspect", str(plugin.root), "--check"]) == 1
    out, err = capfd.readouterr()
    assert "plugin.toml:1:1: TA4805 'nmae' is not a key" in out
    assert err == ""


def test_a_plugin_that_cannot_be_read_is_a_failure(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin = write(tmp_path, {"plugin.toml/x": ""})
    assert main(["inspect", str(plugin.root), "--json"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    error = json.loads(err)["error"]
    assert error["code"] == "invalid-plugin"
    assert "plugin.toml: cannot be read" in error["message"]
