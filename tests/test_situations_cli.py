"""The situations of `test_situations_mcp` that the command line has too: BR-06, BR-10, BR-38."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surfaces.mcp.served import PATIENCE_S

SAY = """\
from trio_agent import AgentError, command


@command()
async def say(text: str | None = None, size: float = 1.0, way: str = "") -> dict[str, object]:
    if way == "number":
        return {"deep": [1, float("nan")]}
    if way == "meant":
        raise AgentError("E_CLOSED", "closed on Sundays")
    if way:
        raise ConnectionError("postgres://ops:hunter2@db.internal/prod")
    return {"text": text, "size": size}
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "speaker"
    (folder / "cli").mkdir(parents=True)
    (folder / "cli/say.py").write_text(SAY, encoding="utf-8")
    return folder


def say(plugin: Path, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "trio_agent", "run", str(plugin), "say", *words, "--json"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("text", ["123", "true", '{"a":1}', "null", "NaN", ""])
def test_br_06_a_string_stays_the_string_that_was_typed(plugin: Path, text: str) -> None:
    code, out, err = say(plugin, "--text", text)
    assert (code, err) == (0, "")
    assert json.loads(out)["text"] == text


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_br_10_a_number_that_json_has_not_is_a_usage_error(plugin: Path, number: str) -> None:
    code, out, err = say(plugin, f"--size={number}")
    assert (code, out) == (2, "")
    assert json.loads(err)["error"]["code"] == "CLI_INPUT_INVALID"


def test_br_10_such_a_value_is_a_failure_with_its_path(plugin: Path) -> None:
    code, out, err = say(plugin, "--way", "number")
    assert (code, out) == (1, "")
    assert "value.deep[1] is a non-finite number" in json.loads(err)["error"]["message"]


def test_br_38_who_runs_a_command_sees_what_was_thrown(plugin: Path) -> None:
    code, out, err = say(plugin, "--way", "thrown")
    assert (code, out) == (1, "")
    assert "hunter2" in json.loads(err)["error"]["message"]
    assert json.loads(say(plugin, "--way", "meant")[2])["error"] == {
        "code": "E_CLOSED",
        "message": "closed on Sundays",
    }
