"""The curator's scripts, as cron runs them."""

import json
import os
import sys
from pathlib import Path

import pytest

from curator.scripts.nightly import nightly
from tests.examples.test_curator_command import CURATOR, without_privileges
from tests.surfaces.cli.terminal import Watched, run
from trio_agent.testing import expect_document, render_route

NIGHTLY = ["script", str(CURATOR), "nightly"]


@pytest.fixture
def libraries(tmp_path: Path) -> list[Path]:
    roots = [tmp_path / "music", tmp_path / "films"]
    for root in roots:
        root.mkdir()
        (root / "one").write_bytes(b"same")
        (root / "two").write_bytes(b"same")
    (roots[1] / "three").write_bytes(b"")
    return roots


def test_the_report_has_a_line_for_each_library(libraries: list[Path], tmp_path: Path) -> None:
    done = run([*NIGHTLY, *map(str, libraries)], cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, b"")
    title, *lines = done.stdout.decode().rstrip().split("\n\n")
    assert title == "# Tonight"
    assert lines == [
        f"`{libraries[0]}`: 2 files, 8 B, of which 4 B in duplicates; 0 findings.",
        f"`{libraries[1]}`: 3 files, 8 B, of which 4 B in duplicates; 1 finding.",
    ]


def test_the_numbers_are_for_whoever_keeps_them(libraries: list[Path], tmp_path: Path) -> None:
    done = run([*NIGHTLY, "--json", str(libraries[0])], cwd=tmp_path)

    (receipt,) = json.loads(done.stdout)["libraries"]
    assert (receipt["files"], receipt["root"]) == (2, str(libraries[0]))


def test_without_words_it_is_the_library_of_the_server(
    libraries: list[Path], tmp_path: Path
) -> None:
    done = run(NIGHTLY, cwd=tmp_path, settings={"CURATOR_ROOT": str(libraries[1])})
    assert b"films`: 3 files" in done.stdout
    assert run(NIGHTLY, cwd=tmp_path).stderr.startswith(b"[no-library] expected a directory")


async def test_what_cannot_be_read_is_an_error_while_the_report_stands() -> None:
    with without_privileges() as root:
        (root / "closed").mkdir(mode=0)
        rendered = await render_route(nightly, {"argv": [str(root)]})
    expect_document(rendered.document).has_status("represented-error").has_error(
        "unread", f"{root}: 1 problem"
    )
    assert rendered.document.value is not None


def test_on_a_terminal_the_report_is_what_stays(libraries: list[Path], tmp_path: Path) -> None:
    with Watched([*NIGHTLY, str(libraries[0])], cwd=tmp_path, columns=200) as watched:
        assert watched.finish() == 0
        assert "2 files, 8 B" in watched.text
        assert "Auditing" not in watched.text


def test_the_shell_script_appends_the_report_to_a_log(
    libraries: list[Path], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    settings = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    words = ["script", str(CURATOR), "nightly-log", str(log), str(libraries[0])]

    for _ in range(2):
        done = run(words, cwd=tmp_path, settings=settings)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert log.read_text(encoding="utf-8").count("# Tonight\n") == 2
    assert run(words[:3], cwd=tmp_path).stderr.rstrip().endswith(b"the file to append to")
