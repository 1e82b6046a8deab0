"""The curator's tools as commands, as people type them."""

import json
from pathlib import Path

import pytest

from tests.surfaces.cli.terminal import run

CURATOR = Path(__file__).parents[2] / "examples" / "curator"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        for size in range(1, 5):
            (tmp_path / side / f"{size}.txt").write_bytes(b"x" * size)
    (tmp_path / "right" / "1.txt").write_bytes(b"y")
    return tmp_path


def ran(cwd: Path, *words: str) -> tuple[int, str, str]:
    done = run(["run", str(CURATOR), *words], cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_paths_are_those_from_where_somebody_is(library: Path) -> None:
    for words in (["largest", "--top", "2"], ["largest", ".", "--count=2"]):
        code, out, errors = ran(library / "left", *words)
        assert (code, errors) == (0, "")
        assert "the 2 largest have 7 B" in out
    code, out, _ = ran(library, "compare", "left", "right", "--json")
    assert (code, json.loads(out)["same"]) == (0, 3)
    assert ran(library, "diff", "left", "right", "--json")[1] == out


def test_the_others_take_their_whole_input(library: Path) -> None:
    given = json.dumps({"directory": str(library), "pattern": "*.txt"})
    assert ran(library, "curator", "count_files", "--input", given, "--json") == (0, "8\n", "")
    code, out, errors = ran(library, "curator", "count_files", "--input", '{"pattern": 1}')
    assert (code, out) == (2, "")
    assert errors.startswith("--input.pattern: expected string, received 1\n")


def test_the_audit_is_a_command_by_itself_and_no_second_one(library: Path) -> None:
    code, _, errors = ran(library, "curator", "audit_library")
    assert code == 2
    assert "there is no command 'audit_library'" in errors
