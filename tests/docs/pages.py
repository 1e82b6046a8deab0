"""The examples of the documentation: found in its pages, and made into modules."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/curator/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read(page: str) -> str:
    """The text of a page, by its path in the repository."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str = "python") -> list[str]:
    """The fenced examples of a page in one language."""
    return [body for found, body in _FENCE.findall(read(page)) if found == language]


def console(page: str) -> Iterator[tuple[str, str]]:
    """What a page types into a shell, and what it says comes back; not where it says nothing."""
    for session in blocks(page, "console"):
        command, _, answer = session.partition("\n")
        if answer:
            yield command.removeprefix("$ "), answer


def load(page: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """All Python examples of a page, one after another, as a module."""
    name = "example_of_" + Path(page).stem.replace("-", "_")
    module = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile("\n".join(blocks(page)), page, "exec"), module.__dict__)
    return module
