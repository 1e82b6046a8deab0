"""One module as text and tree: which function in it is decorated as what.

A declaration is a function at the top level under a decorator of trio-agent, which may be
imported under another name.  The body of the function is never looked at.

This module decides nothing about names of routes and knows no other module than the one it
reads.  Below: `facts`.  Above: `arguments` and `static`, which read what is declared.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias, cast, final

import attrs

from trio_agent.routes.decorated import decorated
from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.facts import BARE, CONTRACTS, UNANNOTATED, DecoratorName
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.diagnostic import DiagnosticCode, Severity

FunctionStatement: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@final
@attrs.frozen
class SourceReader:
    """Reads one file and collects what is wrong with it."""

    file: str
    source: bytes
    wanted: Sequence[DecoratorName]
    found: list[Diagnostic] = attrs.field(factory=list[Diagnostic])

    __repr__ = shown

    @property
    def contract(self) -> DiagnosticCode:
        """The code for a module that does not hold what it should."""
        return CONTRACTS[self.wanted[0]]

    def complain(
        self,
        code: DiagnosticCode,
        node: ast.expr | ast.stmt,
        message: str,
        *,
        severity: Severity = "error",
    ) -> None:
        """Note what is wrong at *node*."""
        before = self.source.splitlines()[node.lineno - 1][: node.col_offset]
        self.found.append(
            Diagnostic(
                code=code,
                severity=severity,
                file=self.file,
                line=node.lineno,
                column=len(before.decode("utf-8", "replace")) + 1,
                message=message,
            )
        )

    def complain_of_module(self, message: str, line: int = 1, column: int = 1) -> None:
        """Note an error of the whole module."""
        self.found.append(
            Diagnostic(
                code=self.contract, file=self.file, line=line, column=column, message=message
            )
        )


@final
@attrs.frozen
class Declaration:
    """A function under a decorator of ours."""

    name: DecoratorName
    function: FunctionStatement
    decorator: ast.expr

    __repr__ = shown


def parse_module(reader: SourceReader) -> ast.Module | None:
    """The module's tree; None, and a complaint, when it is not Python."""
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


def find_declaration(tree: ast.Module, reader: SourceReader) -> Declaration | None:
    """The one declaration that is wanted; None, and a complaint, without it."""
    first, *others = declarations(tree) or (None,)
    wanted = reader.wanted[0]
    if first is None:
        reader.complain_of_module(
            f"declares no {'route' if wanted not in UNANNOTATED else wanted}: decorate one function"
            f" at the top level with {_written(wanted)}, or begin the file's name with _ to keep"
            " it private"
        )
        return None
    if first.name not in reader.wanted:
        reader.complain(
            reader.contract,
            first.decorator,
            f"declares {_spoken(first.name)}, {first.function.name}, where {_spoken(wanted)}"
            f" belongs: decorate it with {_written(wanted)}, or move the file",
        )
        return None
    for other in filter(None, others):
        reader.complain(
            reader.contract,
            other.function,
            f"declares a second route, {other.function.name}, after {first.function.name};"
            " a module has one",
        )
    return None if others else first


def _spoken(name: DecoratorName) -> str:
    if name == "tool_command":
        return "a tool's command"
    return f"an {name}" if name in {"app", "event"} else f"a {name}"


def _written(name: DecoratorName) -> str:
    return f"@{name}" if name in BARE else f"@{name}(...)"


def declarations(tree: ast.Module) -> list[Declaration]:
    """Every function at the top level under a decorator of trio-agent, in order."""
    return [
        Declaration(cast("DecoratorName", name), function, decorator)
        for name, function, decorator in decorated(tree)
    ]


def unparse(value: ast.expr) -> str:
    """An expression as text of one line; never fails."""
    try:
        return " ".join(ast.unparse(value).split())
    except (ValueError, RecursionError):
        # A number of more digits than Python writes out, or an expression deeper than it goes.
        return "an expression that cannot be shown"
