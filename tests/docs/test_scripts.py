"""The scripts of the how-to, saved and started as they are written."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import blocks, console
from tests.surfaces.cli.terminal import PATIENCE_S, environment, program

PAGE = "docs/how-to/write-a-script.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the plugin of the page, a backup of monday and none of tuesday."""
    scripts = tmp_path / "backups" / "scripts"
    scripts.mkdir(parents=True)
    check, prune = blocks(PAGE)
    (newest,) = blocks(PAGE, "sh")
    (scripts / "check.py").write_text(check, encoding="utf-8")
    (scripts / "prune.py").write_text(prune, encoding="utf-8")
    (scripts / "newest.sh").write_text(newest, encoding="utf-8")
    (tmp_path / "monday").mkdir()
    (tmp_path / "tuesday").mkdir()
    for seconds, name in enumerate("ab"):
        backup = tmp_path / "monday" / f"{name}.tar"
        backup.touch()
        os.utime(backup, (seconds, seconds))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "answer"), [pytest.param(*one, id=one[0]) for one in console(PAGE)]
)
def test_what_the_page_types_is_answered_as_it_says(
    folder: Path, command: str, answer: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", command.replace("trio-agent", '"$@"'), "sh", *program()],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert (done.stdout.decode(), done.stderr) == (answer, b"")
    assert done.returncode == ("tuesday" in command)
