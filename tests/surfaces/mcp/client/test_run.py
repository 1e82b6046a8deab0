"""`trio-agent mcp` from its words to its exit code, with servers in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import trio_agent
from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.mcp.client.alive import is_alive
from tests.testing.folders import DEPOT, write_plugin
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.mcp.client.run import main
from trio_agent.surfaces.mcp.client.words import USAGE, PluginServer, RunWish

if TYPE_CHECKING:
    from collections.abc import Mapping

need_pseudo_terminals()

from tests.surfaces.cli.terminal import Watched  # noqa: E402  # not where there are none

FOREIGN = (sys.executable, str(Path(__file__).with_name("foreign_server.py")))
HERE = {"PYTHONPATH": str(Path(trio_agent.__file__).parents[1])}
"""The trio-agent that is tested, whatever is installed."""
PATIENCE_S = 60


def refuse(wish: RunWish) -> int:
    raise AssertionError(wish)


def call(*words: str) -> int:
    return main(words, refuse)


def started(*words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "trio_agent", "mcp", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **HERE, **(env or {})},
    )


def finished(process: subprocess.Popen[bytes], sent: bytes = b"") -> tuple[int, str, str]:
    try:
        out, err = process.communicate(sent, timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    return process.returncode, out.decode(), err.decode()


# ------------------------------------------------------------------------------------- list


def test_a_plugin_is_listed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("list", str(DEPOT)) == 0

    page = capsys.readouterr().out
    assert page.startswith("depot 2.1.0, over 2025-11-25\n\nTools\n  add      Add two numbers.\n")
    for part in ("Resources\n", "  depot://manual  ", "Resource templates\n", "Prompts\n"):
        assert part in page


def test_a_plugin_is_listed_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("list", str(DEPOT), "depot", "--json") == 0

    (line,) = capsys.readouterr().out.splitlines()
    listing = json.loads(line)
    assert {*listing} == {
        "capabilities",
        "prompts",
        "protocolVersion",
        "resourceTemplates",
        "resources",
        "serverInfo",
        "tools",
    }
    (add,) = [tool for tool in listing["tools"] if tool["name"] == "add"]
    assert add["inputSchema"]["required"] == ["a"]


@pytest.mark.parametrize("way", ["", "modern", "noise"])
def test_any_command_that_serves_can_be_listed(way: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert call("list", "--", *FOREIGN, way) == 0

    captured = capfd.readouterr()
    version = "2026-07-28" if way == "modern" else "2025-06-18"
    assert captured.out == f"foreign 9, over {version}\n\nTools\n" + "".join(
        f"  tool_{number}\n" for number in range(5)
    )
    noise = "trio-agent: the server writes what is no message: Parse error: Expecting value"
    assert (noise in captured.err) == (way == "noise")


# ----------------------------------------------------------------------------------- invoke


def test_what_a_tool_answers_is_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("invoke", str(DEPOT), "add", "--input", '{"a": 1, "b": 2}') == 0

    assert capsys.readouterr() == ("3\n", "")


def test_arguments_can_come_from_a_file_and_the_result_as_json(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "input.json"
    file.write_text('{"name": "Zoë"}', encoding="utf-8")

    assert call("invoke", "tool_1", "--json", "--input-file", str(file), "--", *FOREIGN) == 0

    result = json.loads(capfd.readouterr().out)
    (block,) = result["content"]
    assert json.loads(block["text"]) == ["tool_1", {"name": "Zoë"}, False]


def test_a_tool_that_fails_is_exit_code_1(capfd: pytest.CaptureFixture[str]) -> None:
    assert call("invoke", str(DEPOT), "fail", "--input", '{"way": "said"}') == 1
    said = capfd.readouterr()
    assert call("invoke", str(DEPOT), "fail", "--input", '{"way": "said"}', "--json") == 1
    shown = capfd.readouterr()

    assert (said.out, said.err) == ("", "[E_NOT_FOUND] no such shelf\n")
    assert json.loads(shown.out) == {
        "content": [{"type": "text", "text": "[E_NOT_FOUND] no such shelf"}],
        "structuredContent": {"found": False},
        "isError": True,
    }
    assert shown.err == ""


@pytest.mark.parametrize(
    ("option", "text", "named"),
    [
        ("--input", "[1]", "--input: expected a JSON object, received '[1]'"),
        ("--input", "{", "--input: expected a JSON object: input"),
        ("--input", '{"a": NaN}', "--input: expected a JSON object: input"),
        ("--input-file", "[1]", "--input-file: expected a JSON object, received '[1]'"),
        ("--input-file", "\udcff", "cannot be read: it is not UTF-8"),
        ("--input-file", None, "cannot be read: No such file"),
    ],
)
def test_arguments_that_are_no_object_are_refused_before_anything_starts(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    option: str,
    text: str | None,
    named: str,
) -> None:
    file = tmp_path / "input.json"
    if text is not None:
        file.write_bytes(text.encode(errors="surrogateescape"))
    given = str(file) if option == "--input-file" else str(text)

    assert call("invoke", "x", option, given, "--", "/no/such/program") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert named in captured.err
    assert captured.err.endswith("Run `trio-agent mcp --help` for help.\n")


# ------------------------------------------------------------------------------------- wrong


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["lisst"], 2, "expected list, invoke or run, received 'lisst'"),
        (["list", "/no/such/folder"], 2, "there is no plugin '/no/such/folder'"),
        (["list", str(DEPOT), "attic"], 2, "it has depot"),
        (["list", "--", "/no/such/program"], 1, "/no/such/program cannot be started"),
        (["list", "--", "sh", "-c", "exit 3"], 1, "ended with 3 and did not answer initialize"),
        (["list", "--", "sh", "-c", "kill -9 $$"], 1, "was ended by signal 9"),
        (
            ["invoke", str(DEPOT), "nope", "--input", "{}"],
            1,
            "the server answered with error -32602: Unknown tool: nope",
        ),
    ],
)
def test_a_mistake_is_one_clear_line_and_one_json_object(
    words: list[str], code: int, error: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == code
    plain = capfd.readouterr()
    assert call(words[0], "--json", *words[1:]) == code
    wire = json.loads(capfd.readouterr().err)["error"]

    assert plain.out == ""
    first, *hint = plain.err.splitlines()
    assert first.startswith("trio-agent: ")
    assert error in first
    assert hint == (["Run `trio-agent mcp --help` for help."] if code == 2 else [])
    assert wire["message"] in first
    codes = {2: "CLI_INPUT_INVALID", 1: -32602 if "nope" in words else "server-failed"}
    assert wire["code"] == codes[code]


def test_a_broken_plugin_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = write_plugin(tmp_path / "broken", {"plugin.toml": "name = 3"})

    assert call("list", str(broken), "--json") == 1
    assert json.loads(capsys.readouterr().err)["error"]["code"] == "invalid-plugin"


def test_a_server_without_a_list_has_none_and_another_error_is_one(
    capfd: pytest.CaptureFixture[str],
) -> None:
    # `foreign` says that it has resources, and has no `resources/list`.
    assert call("list", "--json", "--", *FOREIGN) == 0
    assert json.loads(capfd.readouterr().out)["resources"] == []

    code = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message.get('method') == 'initialize':\n"
        "        answer = {'result': {'protocolVersion': '2025-11-25', 'serverInfo': {},"
        " 'capabilities': {'tools': {}}}}\n"
        "    elif 'id' in message:\n"
        "        answer = {'error': {'code': -32603, 'message': 'out of order'}}\n"
        "    else:\n"
        "        continue\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], **answer}), flush=True)\n"
    )
    assert call("list", "--", sys.executable, "-c", code) == 1
    assert "error -32603: out of order" in capfd.readouterr().err


def test_help_is_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    assert capsys.readouterr() == (USAGE, "")


def test_a_reader_that_leaves_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "trio_agent", "mcp", "list", str(DEPOT)],
            stdout=gone,
            stderr=subprocess.PIPE,
            env={**os.environ, **HERE},
            timeout=PATIENCE_S,
            check=False,
        )
    assert done.returncode == 141
    assert b"BrokenPipe" not in done.stderr


# ------------------------------------------------------------------------------------ signals


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_server_too(number: signal.Signals, code: int) -> None:
    process = started("list", "--", *FOREIGN, "deaf", "child")
    assert process.stderr is not None
    pids = [int(process.stderr.readline().split()[1]) for _ in range(2)]
    process.send_signal(number)
    returned, out, err = finished(process)

    assert (returned, out, err) == (code, "", "")
    deadline = time.monotonic() + PATIENCE_S
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline


# ----------------------------------------------------------------------------------- progress


def test_on_a_terminal_progress_is_one_line_that_goes_away(tmp_path: Path) -> None:
    words = ("mcp", "invoke", str(DEPOT), "measure", "--input", '{"shelves": 2}')
    with Watched(words, cwd=tmp_path, settings=HERE) as watched:
        watched.wait_for("shelf 1 (1/2)")
        assert watched.finish() == 0
        assert watched.lines == ["# Depot", "", "**20** items."]


def test_without_a_terminal_there_is_no_progress(capfd: pytest.CaptureFixture[str]) -> None:
    assert call("invoke", "tool_1", "--input", "{}", "--", *FOREIGN) == 0

    captured = capfd.readouterr()
    assert captured.out == '["tool_1", {}, false]\n'
    assert "half" not in captured.err


# ----------------------------------------------------------------------------------------- run


def test_run_is_handed_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = tmp_path / "a.env"
    env.touch()
    wishes: list[RunWish] = []

    def serve(wish: RunWish) -> int:
        wishes.append(wish)
        return 7

    def fail(wish: RunWish) -> int:
        raise PluginError("no such server")

    assert main(["run", "./depot", "--env-file", str(env)], serve) == 7
    assert main(["run", "./depot"], fail) == 1
    assert main(["run", "./depot", "--env-file", str(tmp_path / "b.env")], serve) == 2
    assert main(["run", "./depot", "--env-file", f"{env}{os.pathsep}"], serve) == 2
    assert wishes == [RunWish(server=PluginServer("./depot"), env_files=(str(env),))]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "trio-agent: no such server\n" in captured.err
    assert captured.err.count("--env-file: expected a file") == 2


TOOL = """
    import os

    from trio_agent import tool


    @tool()
    async def level() -> str:
        '''The level that the operator has set.'''
        return os.environ.get("LEVEL", "none")
    """


@pytest.fixture
def operated(tmp_path: Path) -> Path:
    files = {
        "mcp/operated/tools/level.py": TOOL,
        ".env": "LEVEL=own\n",
        "first.env": "LEVEL=first\n",
        "second.env": "LEVEL=second\n",
    }
    return write_plugin(tmp_path / "operated", files)


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ([], "own"),
        (["--no-env"], "none"),
        (["--env-file", "first.env"], "first"),
        (["--env-file", "first.env", "--env-file", "second.env"], "second"),
    ],
)
def test_run_serves_with_the_operators_environment_and_adds_nothing_to_the_output(
    operated: Path, options: list[str], level: str
) -> None:
    words = [word if word.startswith("--") else str(operated / word) for word in options]
    requests: list[dict[str, Any]] = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        },
        {"id": 2, "method": "tools/call", "params": {"name": "level"}},
    ]
    sent = b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in requests)

    code, out, err = finished(started("run", str(operated), *words), sent)

    answers = [cast("dict[str, Any]", json.loads(line)) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["content"] == [{"type": "text", "text": level}]


def test_run_of_a_plugin_that_is_not_there_says_so() -> None:
    code, out, err = finished(started("run", "/no/such/folder"))

    assert (code, out) == (1, "")
    assert err.startswith("trio-agent: there is no plugin '/no/such/folder'")
