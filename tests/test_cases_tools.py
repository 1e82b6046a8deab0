"""The reference's behavioural cases, continued: tools as commands, in real child processes.

The table of all cases is in `test_cases`.  Here are `surfaces` cases 94 to 97.
"""

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.surfaces.cli.terminal import run

TOOL = """
    from pathlib import Path
    from trio_agent import tool

    @tool(description="Echo.", read_only=True)
    def echo(text: str = "nothing") -> str:
        Path("ran").touch()
        return text
    """
PROJECTION = """
    from trio_agent import tool_command

    @tool_command({})
    def echo(flags: dict[str, object]) -> dict[str, object]:
        raise ValueError("not today")
    """
FILES = {"plugin.toml": "[commands]\n", "mcp/s/tools/echo.py": TOOL}


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        file = folder / "demo" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")


def ran(folder: Path, *words: str) -> tuple[int, str, str]:
    done = run(words, cwd=folder)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("given", ["[1]", "null", "{bad", "7", '{"text": "a", "text": "b"}', ""])
def test_case_094_an_input_that_is_no_object_is_refused_before_anything_runs(
    tmp_path: Path, given: str
) -> None:
    write(tmp_path, FILES)
    code, out, errors = ran(tmp_path, "run", "demo", "s", "echo", "--input", given)
    assert (code, out) == (2, "")
    assert errors.startswith("--input: expected ")
    assert not (tmp_path / "ran").exists()


def test_case_094_without_an_input_it_is_an_empty_object(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    assert ran(tmp_path, "run", "demo", "s", "echo", "--json") == (0, '"nothing"\n', "")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("include = ['s:nothing']", "TA4822 's:nothing' matches no tool; there are s:echo"),
        ("include = []", "TA4822 include is a list of at least one pattern, received []"),
        ("exclude = ['s:nothing']", "TA4822 's:nothing' matches no tool; there are s:echo"),
    ],
)
def test_case_095_a_pattern_that_matches_nothing_is_an_error(
    tmp_path: Path, table: str, said: str
) -> None:
    write(tmp_path, FILES | {"plugin.toml": f"[commands]\n{table}\n"})
    code, out, _ = ran(tmp_path, "inspect", "demo", "--check")
    assert code == 1
    assert f"plugin.toml:2:12: {said}" in out or f"plugin.toml:2:11: {said}" in out


def test_case_095_everything_may_be_excluded(tmp_path: Path) -> None:
    write(tmp_path, FILES | {"plugin.toml": "[commands]\nexclude = ['*']\n"})
    assert ran(tmp_path, "inspect", "demo", "--check")[0] == 0
    assert ran(tmp_path, "run", "demo", "s", "echo")[0] == 2


def test_case_097_a_projection_needs_its_tool_and_known_keys(tmp_path: Path) -> None:
    files = {
        "mcp/s/tools/lost_cli.py": PROJECTION.format(""),
        "mcp/s/tools/echo_cli.py": PROJECTION.format("flag={}"),
    }
    write(tmp_path, FILES | files)
    code, out, _ = ran(tmp_path, "inspect", "demo", "--check")
    assert code == 1
    assert "lost_cli.py:1:1: TA4843 is the command of a tool lost that is not there" in out
    assert "echo_cli.py:4:20: TA4805 flag is no argument; there are description" in out
    # The reference builds nothing then; here the command itself says what is wrong with it.
    code, _, errors = ran(tmp_path, "run", "demo", "s", "echo")
    assert code == 1
    assert "TA4805 flag is no argument" in errors


def test_case_097_what_the_function_raises_is_a_usage_error(tmp_path: Path) -> None:
    write(tmp_path, FILES | {"mcp/s/tools/echo_cli.py": PROJECTION.format("")})
    code, out, errors = ran(tmp_path, "run", "demo", "s", "echo", "--text", "a")
    assert (code, out) == (2, "")
    assert errors.startswith(
        'input: expected what echo accepts (not today), received {"text": "a"}\n'
    )
    assert not (tmp_path / "ran").exists()
