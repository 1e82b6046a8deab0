"""Which functions of a module stand under a decorator of trio-agent, and what a docstring begins with.

A decorator may be imported under another name.  Nothing is judged here: `source` and `arguments`
do, and say what is wrong.  Imports neither attrs nor typing; see `folders`.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, TypeAlias

    FunctionStatement: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_PACKAGE: Final = "trio_agent"

NAMES: Final = frozenset(
    {
        "command",
        "tool",
        "resource",
        "prompt",
        "app",
        "script",
        "event",
        "layout",
        "provider",
        "tool_command",
    }
)
"""The decorators; a test holds them against `facts`."""


def parse(source: bytes) -> ast.Module | None:
    """The tree of a module; None when it is no Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Null bytes are a ValueError; nesting deeper than the parser goes is one of the others.
        return None


def decorated(tree: ast.Module) -> list[tuple[str, FunctionStatement, ast.expr]]:
    """Every function at the top level under a decorator of trio-agent, in order: its name, it, and it as written."""
    direct, modules = _imported_names(tree)
    return [
        (name, statement, decorator)
        for statement in tree.body
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        for decorator in statement.decorator_list
        if (name := _decorates(decorator, direct, modules)) is not None
    ]


def _imported_names(tree: ast.Module) -> tuple[Mapping[str, str], frozenset[str]]:
    """Local names of the decorators with their own, and local names of the package itself."""
    direct: dict[str, str] = {}
    modules: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            modules |= {
                alias.asname or _PACKAGE for alias in statement.names if alias.name == _PACKAGE
            }
        elif isinstance(statement, ast.ImportFrom) and _is_ours(statement):
            direct |= {
                alias.asname or alias.name: alias.name
                for alias in statement.names
                if alias.name in NAMES
            }
    return direct, frozenset(modules)


def _is_ours(statement: ast.ImportFrom) -> bool:
    return statement.level == 0 and (statement.module or "").partition(".")[0] == _PACKAGE


def _decorates(
    decorator: ast.expr, direct: Mapping[str, str], modules: frozenset[str]
) -> str | None:
    match decorator.func if isinstance(decorator, ast.Call) else decorator:
        case ast.Name(id=local):
            return direct.get(local)
        case ast.Attribute(value=ast.Name(id=module), attr=attribute):
            return attribute if module in modules and attribute in NAMES else None
        case _:
            return None


def first_paragraph(docstring: str | None) -> str | None:
    """A docstring's first paragraph as one line; None when there is none."""
    if docstring is None:
        return None
    lines: list[str] = []
    for line in docstring.strip().splitlines():
        if not line.strip():
            break
        lines.append(line.strip())
    return " ".join(lines) or None
