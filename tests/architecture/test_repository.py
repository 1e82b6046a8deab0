"""The gates, on this repository."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture import gates

ROOT = Path(__file__).parents[2]

GATES: tuple[Callable[[Path], list[str]], ...] = (
    gates.oversized_files,
    gates.silent_modules,
    gates.compiled_reprs,
    gates.import_cycles,
    gates.hidden_imports,
    gates.text_without_encoding,
    gates.undocumented_names,
    gates.undrawn_errors,
    gates.code_table_differences,
    gates.limit_table_differences,
    gates.silent_examples,
)


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: str(gate.__name__))
def test_the_repository_keeps_the_rule(gate: Callable[[Path], list[str]]) -> None:
    assert gate(ROOT) == []


def test_no_file_tells_where_it_was_written() -> None:
    # A checkout directly below the file system's root is too short a word to look for.
    machine = tuple(str(path) for path in (ROOT, Path.home()) if len(path.parts) > 2)

    assert gates.forbidden_words(ROOT, machine) == []


def test_the_gates_look_at_something() -> None:
    assert len(list(gates.modules(ROOT, *gates.PACKAGES))) > 10
    assert len(list(gates.texts(ROOT))) > 20
    assert gates.literal_values((ROOT / "trio_agent/errors.py").read_text("utf-8"), "ErrorCode")
    assert gates.class_defaults((ROOT / "trio_agent/limits.py").read_text("utf-8"), "Limits")


def test_both_packages_are_typed() -> None:
    assert all((ROOT / package / "py.typed").is_file() for package in gates.PACKAGES)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = "python -m pip install tox && python -m tox"

    assert f"\n$ {command}\n" in readme
    assert f"{{ {command}; }}" in script


def test_every_page_of_the_documentation_is_reachable_from_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]

    assert [page for page in pages if f"- {page}\n" not in navigation] == []
