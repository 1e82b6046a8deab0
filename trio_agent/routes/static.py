"""Reading what a module declares, with `ast`, without running it.

A route is a function at the top level of its module under a decorator of trio-agent, called
with literals: `@command(description="...", aliases=["x"])`.  The decorator may be imported under
another name.  `result=` may be any spelling of a type and is kept as text.  The body of the
function is never looked at, except for its docstring.

This module decides nothing about names and knows no other module than the one it reads.  The
decorator itself, `commands.command`, checks the same arguments again when the module is
imported; the two lists of arguments change together.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, final

import attrs

from trio_agent.routes.record import Diagnostic, DiagnosticCode, first_paragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FunctionStatement: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

DECORATOR_NAMES: Final = frozenset({"command"})
"""Names of trio-agent that make a function a route."""

_PACKAGE: Final = "trio_agent"


@final
@attrs.frozen(kw_only=True)
class StaticRoute:
    """What one module declares; every field but the first two is empty when it is not literal."""

    handler: str
    line: int
    description: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] = ()
    exit_code: Literal["result"] | None = None
    result: str | None = None


@final
@attrs.frozen
class _Reader:
    """Reads one file and collects what is wrong with it."""

    file: str
    source: bytes
    found: list[Diagnostic] = attrs.field(factory=list[Diagnostic])

    def complain(self, code: DiagnosticCode, node: ast.expr | ast.stmt, message: str) -> None:
        """Note an error at *node*."""
        before = self.source.splitlines()[node.lineno - 1][: node.col_offset]
        self.found.append(
            Diagnostic(
                code=code,
                file=self.file,
                line=node.lineno,
                column=len(before.decode("utf-8", "replace")) + 1,
                message=message,
            )
        )

    def complain_of_module(self, message: str, line: int = 1, column: int = 1) -> None:
        """Note an error of the whole module."""
        self.found.append(
            Diagnostic(code="TA4815", file=self.file, line=line, column=column, message=message)
        )


def read_route(source: bytes, file: str) -> tuple[StaticRoute | None, tuple[Diagnostic, ...]]:
    """Read the one route that a module declares.

    Args:
        source: the module's bytes.
        file: how diagnostics call it.

    Returns:
        The route, or None when the module cannot be read or declares none or several; and what
        is wrong with it.
    """
    reader = _Reader(file, source)
    tree = _parse(reader)
    route = None if tree is None else _only_route(tree, reader)
    return route, tuple(reader.found)


def _parse(reader: _Reader) -> ast.Module | None:
    try:
        return ast.parse(reader.source)
    except SyntaxError as error:
        message = f"is not Python: {error.msg}"
        # Without a place, as for an unknown encoding, Python says 0 or -1.
        reader.complain_of_module(message, max(error.lineno or 1, 1), max(error.offset or 1, 1))
    except (ValueError, RecursionError, MemoryError) as error:
        # Null bytes, and nesting deeper than the parser goes.
        reader.complain_of_module(f"is not Python: {str(error) or type(error).__name__}")
    return None


def _only_route(tree: ast.Module, reader: _Reader) -> StaticRoute | None:
    direct, modules = _imported_names(tree)
    routes = [
        (statement, decorator)
        for statement in tree.body
        if isinstance(statement, FunctionStatement)
        for decorator in statement.decorator_list
        if _decorates(decorator, direct, modules)
    ]
    if not routes:
        reader.complain_of_module(
            "declares no route: decorate one function at the top level with @command(...), or"
            " begin the file's name with _ to keep it private"
        )
        return None
    (function, decorator), *others = routes
    for other, _ in others:
        reader.complain(
            "TA4815",
            other,
            f"declares a second route, {other.name}, after {function.name}; a module has one",
        )
    return None if others else _read_function(function, decorator, reader)


def _imported_names(tree: ast.Module) -> tuple[frozenset[str], frozenset[str]]:
    """Local names of the decorators, and of the package itself."""
    direct: set[str] = set()
    modules: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            modules |= {
                alias.asname or _PACKAGE for alias in statement.names if alias.name == _PACKAGE
            }
        elif isinstance(statement, ast.ImportFrom) and _is_ours(statement):
            direct |= {
                alias.asname or alias.name
                for alias in statement.names
                if alias.name in DECORATOR_NAMES
            }
    return frozenset(direct), frozenset(modules)


def _is_ours(statement: ast.ImportFrom) -> bool:
    return statement.level == 0 and (statement.module or "").partition(".")[0] == _PACKAGE


def _decorates(decorator: ast.expr, direct: frozenset[str], modules: frozenset[str]) -> bool:
    match decorator.func if isinstance(decorator, ast.Call) else decorator:
        case ast.Name(id=name):
            return name in direct
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return module in modules and name in DECORATOR_NAMES
        case _:
            return False


def _read_function(
    function: FunctionStatement, decorator: ast.expr, reader: _Reader
) -> StaticRoute:
    if function.returns is None:
        reader.complain(
            "TA4815",
            function,
            f"{function.name} has no return annotation: write -> Node for nodes, or the type of"
            " its data",
        )
    arguments: Mapping[str, object] = {}
    if isinstance(decorator, ast.Call):
        arguments = _read_arguments(decorator, reader)
    else:
        reader.complain("TA4815", decorator, f"write @{ast.unparse(decorator)}(), with parentheses")
    summary = first_paragraph(ast.get_docstring(function))
    return StaticRoute(
        handler=function.name,
        line=function.lineno,
        description=cast("str | None", arguments.get("description")) or summary,
        title=cast("str | None", arguments.get("title")),
        aliases=tuple(cast("tuple[str, ...]", arguments.get("aliases") or ())),
        exit_code=cast("Literal['result'] | None", arguments.get("exit_code")),
        result=cast("str | None", arguments.get("result")),
    )


def _read_arguments(call: ast.Call, reader: _Reader) -> dict[str, object]:
    arguments: dict[str, object] = {}
    for positional in call.args:
        reader.complain("TA4805", positional, "arguments are given by name")
    for keyword in call.keywords:
        name, value = keyword.arg, keyword.value
        if name is None:
            reader.complain("TA4806", value, "** hides arguments: write each by name")
        elif name == "result":
            arguments |= _read_type(name, value, reader)
        elif name in _SHAPES:
            arguments |= _read_literal(name, value, reader)
        else:
            known = ", ".join((*_SHAPES, "result"))
            reader.complain("TA4805", value, f"{name} is no argument; there are {known}")
    return arguments


def _read_type(name: str, value: ast.expr, reader: _Reader) -> dict[str, object]:
    if isinstance(value, ast.Constant) and value.value is None:
        return {}
    if _is_type(value):
        return {name: ast.unparse(value)}
    reader.complain("TA4806", value, f"{name} is the name of a type, {_shown(value)}")
    return {}


def _read_literal(name: str, value: ast.expr, reader: _Reader) -> dict[str, object]:
    try:
        literal: object = ast.literal_eval(value)
    except (ValueError, TypeError):
        reader.complain(
            "TA4806",
            value,
            f"{name} is read without running the module: write a literal, {_shown(value)}",
        )
        return {}
    expected, is_right = _SHAPES[name]
    if not is_right(literal):
        reader.complain("TA4805", value, f"{name} is {expected}, {_shown(value)}")
        return {}
    return {name: literal}


def _shown(value: ast.expr) -> str:
    text = " ".join(ast.unparse(value).split())
    return f"received {text if len(text) <= 80 else text[:80] + '...'}"


def _is_type(value: ast.expr) -> bool:
    """Whether it spells a type: names, dots, subscripts and `|`, or a string."""
    match value:
        case ast.Name() | ast.Constant(value=str() | None):
            return True
        case ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return _is_type(inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(left) and _is_type(right)
        case _:
            return False


def _is_text(value: object) -> bool:
    return value is None or (isinstance(value, str) and bool(value.strip()))


def _is_texts(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(item, str) for item in cast("list[object]", value)
    )


_SHAPES: Final[dict[str, tuple[str, Callable[[object], bool]]]] = {
    "description": ("a string that is not blank", _is_text),
    "title": ("a string that is not blank", _is_text),
    "aliases": ("a list of strings", _is_texts),
    "exit_code": ("'result' or None", lambda value: value is None or value == "result"),
    "render": ("an object of limits", lambda value: value is None or isinstance(value, dict)),
    "thread": ("True or False", lambda value: isinstance(value, bool)),
}
"""The arguments of every decorator; `render` and `thread` are only used by the decorator."""
