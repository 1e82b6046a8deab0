"""What works and could be better: warnings for `inspect`, seen without importing anything.

    TA4850   a tool or prompt that does not say what it is for
    TA4851   a fact in the text of a result that its value lacks
    TA4852   a module that declares a route and lies where nobody looks for one

Nothing of this keeps a route from running, so only `inspect` asks.  TA4851 sees f-strings inside
`Agent.Result(..., value=...)` in the module of a tool, and nothing beyond: text that is put
together elsewhere, or in another module, is not followed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.source import (
    FunctionStatement,
    SourceReader,
    declarations,
    parse_module,
    unparse,
)
from trio_agent.routes.walk import read_file, walk_modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.routes.graph import RouteGraph
    from trio_agent.routes.record import RouteRecord

_TEXTS: Final = frozenset({"Context", "Markdown", "Text"})
"""Leaves of `Agent` that hold text."""

_PLACES: Final = {
    "command": "cli/",
    "tool": "mcp/NAME/tools/",
    "resource": "mcp/NAME/resources/",
    "prompt": "mcp/NAME/prompts/",
    "app": "mcp/NAME/apps/",
    "script": "scripts/",
    "event": "events/",
    "provider": "providers/",
    "layout": "layout.py",
    "tool_command": "mcp/NAME/tools/TOOL_cli.py",
}
_DESCRIBED: Final = frozenset({"tool", "prompt"})


def advise(graph: RouteGraph) -> Iterator[Diagnostic]:
    """Every piece of advice, in no order.

    Raises:
        PluginError: a file or folder cannot be read.
    """
    for record in graph.routes:
        if record.handler is None:
            continue
        if record.kind in _DESCRIBED and record.description is None:
            yield _warn_of(record)
        if record.kind == "tool" and record.structured != "never":
            yield from _facts_beside_the_value(graph, record)
    yield from _strays(graph)


def _warn_of(record: RouteRecord) -> Diagnostic:
    return Diagnostic(
        code="TA4850",
        severity="warning",
        file=record.path,
        line=record.line,
        message=f"{record.handler} does not say what it is for, which is all that a model chooses"
        " by: add description=, or a docstring",
    )


# ------------------------------------------------------------------------------ facts in text


def _facts_beside_the_value(graph: RouteGraph, record: RouteRecord) -> Iterator[Diagnostic]:
    reader = SourceReader(record.path, read_file(graph.plugin.root / record.path), ("tool",))
    tree = parse_module(reader)
    for function in () if tree is None else tree.body:
        # What was given to the tool, the model knows already.
        known = (
            _parameters(function) if _is_function(function, record.handler) else frozenset[str]()
        )
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and _name_of(call) == "Result":
                for leaf, fact in _missing_facts(call, known):
                    reader.complain("TA4851", leaf, _told(fact), severity="warning")
    yield from reader.found


def _is_function(statement: ast.stmt, name: str | None) -> bool:
    return isinstance(statement, FunctionStatement) and statement.name == name


def _parameters(function: ast.stmt) -> frozenset[str]:
    return frozenset(part.arg for part in ast.walk(function) if isinstance(part, ast.arg))


def _told(fact: ast.expr) -> str:
    return (
        f"the text says {unparse(fact)[:80]}, and the value does not: a host that shows a model"
        " the value only leaves it out; put it into the value, or say structured='never'"
    )


def _missing_facts(result: ast.Call, known: frozenset[str]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What the f-strings of a result's text say that its value has no part in, and in which leaf.

    Only the leaf's place is used: before Python 3.12 what is inside an f-string has none.
    """
    value = next((one.value for one in result.keywords if one.arg == "value"), None)
    if value is None or isinstance(value, ast.Constant):
        return
    covered = known | _names(value)
    for child in result.args:
        for leaf in ast.walk(child):
            if isinstance(leaf, ast.Call) and _name_of(leaf) in _TEXTS:
                yield from ((leaf, fact) for fact in _uncovered(leaf, covered))


def _uncovered(leaf: ast.Call, covered: frozenset[str]) -> Iterator[ast.expr]:
    for part in ast.walk(leaf):
        if isinstance(part, ast.FormattedValue):
            names = _names(part.value)
            if names and covered.isdisjoint(names):
                yield part.value


def _name_of(call: ast.Call) -> str | None:
    match call.func:
        case ast.Attribute(value=ast.Name(), attr=name):
            return name
        case _:
            return None


def _names(expression: ast.expr) -> frozenset[str]:
    return frozenset(part.id for part in ast.walk(expression) if isinstance(part, ast.Name))


# ------------------------------------------------------------------------------ strays


def _strays(graph: RouteGraph) -> Iterator[Diagnostic]:
    root = graph.plugin.root
    known = {found.file for found in graph.diagnostics} | {*_places(graph)}
    silent = tuple(f"mcp/{one.name}/" for one in graph.servers if one.mode != "generated")
    for path in walk_modules(root):
        file = path.relative_to(root).as_posix()
        if file not in known and not file.startswith(silent):
            yield from _stray(file, read_file(path))


def _places(graph: RouteGraph) -> Iterator[str | None]:
    """The files that are looked for, and found."""
    yield from (record.path for record in graph.routes)
    yield from (record.path for record in graph.layouts)
    yield from (record.path for record in graph.providers)
    for server in graph.servers:
        yield server.path
        yield from (record.path for record in server.projections)


def _stray(file: str, source: bytes) -> Iterator[Diagnostic]:
    if b"trio_agent" not in source:
        return
    reader = SourceReader(file, source, ("tool",))
    tree = parse_module(reader)
    for found in () if tree is None else declarations(tree)[:1]:
        yield Diagnostic(
            code="TA4852",
            severity="warning",
            file=file,
            line=found.function.lineno,
            message=f"declares @{found.name}, {found.function.name}, and lies where nobody looks for"
            f" one: its place is {_PLACES[found.name]}",
        )
