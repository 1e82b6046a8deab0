"""The names that `trio_agent` hands out when they are first asked for."""

import ast
from pathlib import Path

import pytest

import trio_agent


def imported_for_checkers() -> dict[str, str]:
    """Name and home of everything that a type checker sees in the package."""
    source = Path(str(trio_agent.__file__)).read_text(encoding="utf-8")
    (guarded,) = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    return {
        alias.asname or alias.name: str(statement.module)
        for statement in guarded.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def test_what_a_checker_sees_is_what_is_loaded() -> None:
    assert imported_for_checkers() == trio_agent._HOME_OF
    for name, home in trio_agent._HOME_OF.items():
        value = getattr(trio_agent, name)
        assert getattr(trio_agent, name) is value, home


def test_names_are_listed_before_they_are_loaded() -> None:
    assert set(trio_agent._HOME_OF) <= set(dir(trio_agent))


def test_an_unknown_name_is_refused_as_any_module_does() -> None:
    with pytest.raises(AttributeError, match="module 'trio_agent' has no attribute 'Tool'"):
        getattr(trio_agent, "Tool")  # noqa: B009  # a checker knows that it is not there
