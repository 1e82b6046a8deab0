"""The commands of the README and the tutorial, saved and run as they are written."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.docs.pages import blocks, console
from tests.surfaces.cli.terminal import run

LESSON = "docs/tutorial/index.md"
READERS = "docs/tutorial/readers.md"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with the plugin of the README, and notes to count."""
    plugin = tmp_path / "notes" / "cli"
    plugin.mkdir(parents=True)
    (plugin / "count_words.py").write_text(blocks("README.md")[0], encoding="utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.md").write_text("one two", encoding="utf-8")
    (tmp_path / "mine" / "b.md").write_text("three", encoding="utf-8")
    return tmp_path


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """A folder with the plugin of the tutorial, and 412 songs of which three have a space."""
    (tmp_path / "curator" / "cli").mkdir(parents=True)
    library, command = blocks(LESSON)
    (tmp_path / "curator" / "library.py").write_text(library, encoding="utf-8")
    (tmp_path / "curator/cli/audit_library.py").write_text(command, encoding="utf-8")
    music = tmp_path / "music"
    music.mkdir()
    for number in range(409):
        (music / f"{number}.flac").touch()
    for letter in "bcd":
        (music / f"{letter} side.flac").touch()
    return tmp_path


def test_the_example_of_the_readme_runs(notes: Path) -> None:
    words = ("run", "./notes", "count-words", "mine")

    document = run(words, cwd=notes)
    value = run((*words, "--json"), cwd=notes)
    events = run((*words, "--ndjson"), cwd=notes)

    assert document.stdout.decode() == "# Notes\n\n**3** words in **2** files.\n"
    assert value.stdout.decode() == '{"files":2,"words":3}\n'
    types = [json.loads(line)["type"] for line in events.stdout.splitlines()]
    assert types == ["shell", "replace", "complete"]
    assert (document.stderr, value.stderr, events.stderr) == (b"", b"", b"")


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        pytest.param(command, answer, id=command)
        for page in (LESSON, READERS)
        for command, answer in console(page)
        # Not what needs a folder that may not be read, which root always may.
        if command.startswith("trio-agent ") and "locked" not in command
    ],
)
def test_what_the_tutorial_types_is_answered_as_it_says(
    lesson: Path, command: str, answer: str
) -> None:
    words = shlex.split(command.removesuffix(" | cat").replace("~/", ""))

    finished = run(words[1:], cwd=lesson)

    # An ellipsis in the page stands for what was left out of a line.
    pattern = re.escape(answer).replace(re.escape("{...}"), r"\{.*\}")
    printed = (finished.stdout + finished.stderr).decode()
    assert re.fullmatch(pattern, printed), printed
