"""The page on shipping a plugin, and the example plugin, as they are: built, installed, and run."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT, blocks
from tests.surfaces.cli.shipping import Installed, ship, write_project

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "docs/how-to/ship-a-plugin.md"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("shipped")
    command, main = blocks(PAGE)
    files = {
        "pyproject.toml": blocks(PAGE, "toml")[0],
        "src/greeter/plugin.toml": 'description = "Greets people."',
        "src/greeter/cli/greet.py": command,
        "src/greeter/__main__.py": main,
        "src/greeter/data/greeting.txt": "Hello",
    }
    example = folder / "examples"
    shutil.copytree(ROOT / "examples", example, ignore=shutil.ignore_patterns("__pycache__"))
    return ship(folder, write_project(folder / "project", files), example)


def test_the_program_of_the_page_greets(installed: Installed) -> None:
    # The page has the layout of the files, too.
    (layout,) = blocks(PAGE, "text")
    assert "src/greeter/data/greeting.txt" in layout

    done = installed.run("greeter", "greet", "Ada")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"Hello, **Ada**.\n", b"")
    assert installed.run("greeter", "--version").stdout == b"greeter 1.4.0\n"
    assert installed.run("python", "-m", "greeter", "greet", "Ada").stdout == done.stdout


def test_the_example_plugin_is_a_program(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "a side.flac").write_bytes(b"same")
    (tmp_path / "b.flac").write_bytes(b"same")

    done = installed.run("curator", "audit-library", str(tmp_path), "--json")

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["files"] == 2
