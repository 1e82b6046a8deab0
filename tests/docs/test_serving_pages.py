"""The pages on tools and on serving: their examples are saved, served and called as they say."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from tests.docs.pages import ROOT, blocks, load
from tests.surfaces.cli.terminal import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.mcp.rpc import JsonObject

LESSON = "docs/tutorial/tools.md"
HOST = "docs/how-to/serve-to-a-host.md"
SERVING = "docs/reference/serving.md"

TOOLS = ("count_files", "audit_library")
"""Of the lesson, in its order."""


def called(words: Sequence[str], cwd: Path, name: str, **arguments: object) -> JsonObject:
    """The answer of a server that is started by *words* to a call of one of its tools."""
    opening = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        },
    ]
    ran = subprocess.run(
        words,
        input="".join(json.dumps(message) + "\n" for message in messages).encode(),
        capture_output=True,
        cwd=cwd,
        timeout=60,
        check=True,
    )
    answers = [cast("JsonObject", json.loads(line)) for line in ran.stdout.splitlines()]
    (result,) = [answer["result"] for answer in answers if answer.get("id") == 2]
    return cast("JsonObject", result)


def text_of(result: JsonObject) -> str:
    """What a model reads."""
    return "\n\n".join(one["text"] for one in cast("list[dict[str, str]]", result["content"]))


def command_of(page: str) -> str:
    """The last line that a page types to start a server, for the Python that runs the tests."""
    lines = [one for one in blocks(page, "console") if "trio_agent.serve" in one]
    return " ".join([shlex.quote(sys.executable), *lines[-1].split()[2:]])


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """The folder with the plugin of both lessons, and the test of the second."""
    count, report, audit, test = blocks(LESSON)
    files = {
        "curator/library.py": blocks("docs/tutorial/index.md")[0],
        "curator/report.py": report,
        "curator/mcp/curator/tools/count_files.py": count,
        "curator/mcp/curator/tools/audit_library.py": audit,
        "test_lesson.py": test,
        "music/b side.flac": "",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def test_nothing_is_wrong_with_the_lesson(lesson: Path) -> None:
    (command,) = [one for one in blocks(LESSON, "console") if "inspect" in one]

    ran = run(shlex.split(command)[2:], cwd=lesson)

    assert ran.returncode == 0, ran.stdout
    assert "Nothing is wrong." in ran.stdout.decode()


def test_the_tools_of_the_lesson_answer_as_it_says(lesson: Path) -> None:
    words = shlex.split(command_of(LESSON))
    music = str(lesson / "music")

    count = called(words, lesson, "count_files", root=music)
    audit = called(words, lesson, "audit_library", root=music)
    wrong = [called(words, lesson, name, root="/no/such/folder") for name in TOOLS]

    assert (count["structuredContent"], audit["structuredContent"]) == (
        {"result": 1},
        {"files": 1, "findings": ["b side.flac"]},
    )
    said = [one.strip() for one in blocks(LESSON, "text") if "no/such" in one]
    assert [text_of(result) for result in wrong] == said
    assert [result["isError"] for result in wrong] == [True, True]


def test_the_test_of_the_lesson_passes(lesson: Path) -> None:
    program = (
        "import pathlib, sys, trio; sys.path.insert(0, '.'); import test_lesson as page;"
        " trio.run(page.test_a_library_is_audited, pathlib.Path('music'))"
    )

    ran = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=lesson,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize(
    "settings", [None, '[servers.relay]\nmode = "custom"\nentry = "servers/relay.py"\n']
)
def test_the_server_that_was_written_by_hand_is_served(
    tmp_path: Path, settings: str | None
) -> None:
    plugin = tmp_path / "byhand"
    module = plugin / ("mcp/relay.py" if settings is None else "servers/relay.py")
    module.parent.mkdir(parents=True)
    module.write_text(blocks(HOST)[0], encoding="utf-8")
    if settings is not None:
        assert settings in blocks(HOST, "toml")
        (plugin / "plugin.toml").write_text(settings, encoding="utf-8")
    words = [sys.executable, "-P", "-m", "trio_agent.serve", str(plugin), "relay"]

    result = called(words, tmp_path, "greet")

    assert result["content"] == [{"type": "text", "text": "Hello."}]


@pytest.mark.parametrize("page", ["README.md", HOST, LESSON])
def test_the_configuration_of_a_host_is_a_line_that_serves(page: str, tmp_path: Path) -> None:
    (text, *_) = [one for one in blocks(page, "json") if "mcpServers" in one]
    servers = cast("dict[str, dict[str, JsonObject]]", json.loads(text))["mcpServers"]
    (entry,) = servers.values()
    *flags, plugin = cast("list[str]", entry["args"])
    assert (str(entry["command"]), Path(plugin).name) == ("/abs/venv/bin/python", "curator")

    words = [sys.executable, *flags, str(ROOT / "examples" / "curator")]

    result = called(words, tmp_path, "count_files", directory=str(tmp_path))
    assert result["structuredContent"] == {"result": 0}


def test_the_tool_of_the_readme_counts(tmp_path: Path) -> None:
    (tool,) = [one for one in blocks("README.md") if "@tool" in one]
    module = tmp_path / "counting/mcp/counting/tools/count_files.py"
    module.parent.mkdir(parents=True)
    module.write_text(tool, encoding="utf-8")
    (tmp_path / "a").touch()
    words = [sys.executable, "-P", "-m", "trio_agent.serve", "./counting"]

    result = called(words, tmp_path, "count_files", folder=str(tmp_path))

    assert result["structuredContent"] == {"result": 1}


def test_the_programs_that_serve_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    page = load(SERVING, monkeypatch)

    assert {"main", "load", "serve"} <= vars(page).keys()
