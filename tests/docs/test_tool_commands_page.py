"""The page about tools as commands: its files are saved, its commands typed."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.docs.pages import blocks, console, read
from tests.surfaces.cli.terminal import run

PAGE = "docs/how-to/tools-as-commands.md"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with the plugin of the page, but for the last version of its projection."""
    names = re.findall(r"^`(shop/\S+\.py)`:$", read(PAGE), re.MULTILINE)
    for name, text in zip(names, blocks(PAGE), strict=False):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "shop" / "plugin.toml").write_text(blocks(PAGE, "toml")[0], encoding="utf-8")
    return tmp_path


def answers(folder: Path, sessions: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is printed for these commands, and their errors."""
    given: list[tuple[str, str]] = []
    for command, _ in sessions:
        program, *words = shlex.split(command)
        assert program == "trio-agent"
        done = run(words, cwd=folder)
        assert done.stderr == b""
        given.append((command, done.stdout.decode()))
    return given


def test_every_command_of_the_page_answers_as_it_says(shop: Path) -> None:
    bulk, confirmed, own, mapped = console(PAGE)
    # A tool has one command: that of the table is gone where it has a module.
    projection = shop / "shop/mcp/shop/tools/find_books_cli.py"
    text = projection.read_text(encoding="utf-8")
    projection.unlink()
    assert answers(shop, [bulk, confirmed]) == [bulk, confirmed]
    projection.write_text(text, encoding="utf-8")
    assert answers(shop, [own]) == [own]
    projection.write_text(blocks(PAGE)[-1], encoding="utf-8")
    assert answers(shop, [mapped]) == [mapped]


def test_the_function_of_the_page_refuses_in_its_own_words(shop: Path) -> None:
    projection = shop / "shop/mcp/shop/tools/find_books_cli.py"
    projection.write_text(blocks(PAGE)[-1], encoding="utf-8")
    done = run(["run", "./shop", "books", "Emma", "--since", "2999"], cwd=shop)
    assert done.returncode == 2
    assert done.stderr.startswith(b"input: expected what books accepts (--since is a year that")
    checked = run(["inspect", "./shop", "--check"], cwd=shop)
    assert checked.returncode == 0, checked.stdout.decode()
