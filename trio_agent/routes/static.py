"""Reading what a module declares, with `ast`, without running it.

A route is a function at the top level of its module under a decorator of trio-agent, called
with literals: `@command(description="...", aliases=["x"])`.  `result=` may be any spelling of a
type and is kept as text.  The body of the function is never looked at, except for its docstring.

Below: `source` finds the function, `arguments` reads its decorator.  Above: `search`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal, cast, final

import attrs

from trio_agent.routes.arguments import read_arguments
from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.facts import BARE, CONTRACTS, UNANNOTATED, DecoratorName
from trio_agent.routes.source import SourceReader, find_declaration, parse_module, unparse
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.routes.diagnostic import Diagnostic
    from trio_agent.routes.record import (
        ProjectionRecord,
        RouteRecord,
        ScalarRule,
        StructuredRule,
        TaskAsks,
        TaskSupport,
    )
    from trio_agent.routes.source import Declaration


@final
@attrs.frozen(kw_only=True)
class StaticRoute:
    """What one module declares.

    Attributes:
        decorator: which one.
        handler: name of the decorated function.
        line: of the function.
        description: of the decorator, else the first paragraph of the function's docstring.
        answer: the return annotation, as it is written.
        facts: the arguments of the decorator that are right; types as they are written.
    """

    decorator: DecoratorName
    handler: str
    line: int
    description: str | None = None
    answer: str | None = None
    facts: Mapping[str, object] = attrs.field(factory=dict[str, object])

    __repr__ = shown


def read_route(
    source: bytes, file: str, *wanted: DecoratorName
) -> tuple[StaticRoute | None, tuple[Diagnostic, ...]]:
    """Read the one route that a module declares.

    Args:
        source: the module's bytes.
        file: how diagnostics call it.
        wanted: what may be declared in its place; messages name the first.

    Returns:
        The route, or None when the module cannot be read or declares none or several; and what
        is wrong with it.
    """
    reader = SourceReader(file, source, wanted)
    tree = parse_module(reader)
    route = None if tree is None else read_declaration(tree, reader)
    return route, tuple(reader.found)


def read_declaration(tree: ast.Module, reader: SourceReader) -> StaticRoute | None:
    """The one route that a module declares; None, and a complaint, without it."""
    found = find_declaration(tree, reader)
    return None if found is None else _read_function(found, reader)


def _read_function(found: Declaration, reader: SourceReader) -> StaticRoute:
    function, decorator = found.function, found.decorator
    if function.returns is None and found.name not in UNANNOTATED:
        reader.complain(
            reader.contract,
            function,
            f"{function.name} has no return annotation: write -> Node for nodes, or the type of"
            " its data",
        )
    if found.name == "tool_command" and isinstance(function, ast.AsyncFunctionDef):
        reader.complain(
            CONTRACTS[found.name],
            function,
            f"{function.name} is an async def; the words of a command are read by a def",
        )
    facts: Mapping[str, object] = {}
    if isinstance(decorator, ast.Call) and found.name not in BARE:
        facts = read_arguments(found.name, decorator, reader)
    else:
        _check_parentheses(found, reader)
    summary = first_paragraph(ast.get_docstring(function))
    return StaticRoute(
        decorator=found.name,
        handler=function.name,
        line=function.lineno,
        description=cast("str | None", facts.get("description")) or summary,
        answer=None if function.returns is None else unparse(function.returns),
        facts=facts,
    )


def _check_parentheses(found: Declaration, reader: SourceReader) -> None:
    decorator = found.decorator
    if isinstance(decorator, ast.Call):
        wrong = f"@{unparse(decorator.func)}, without"
    elif found.name in BARE:
        return
    else:
        wrong = f"@{unparse(decorator)}(), with"
    reader.complain(reader.contract, decorator, f"write {wrong} parentheses")


def state(record: RouteRecord, static: StaticRoute | None) -> RouteRecord:
    """*record* with what its module says; as it is when the module could not be read."""
    if static is None:
        return record
    facts = static.facts
    render = cast("Mapping[str, float]", facts.get("render") or {})
    annotations = cast("Mapping[str, object]", facts.get("annotations") or {})
    read_only = facts.get("read_only")
    if read_only is None and isinstance(annotations.get("readOnlyHint"), bool):
        read_only = annotations["readOnlyHint"]
    return attrs.evolve(
        record,
        handler=static.handler,
        line=static.line,
        description=static.description,
        answer=static.answer,
        title=cast("str | None", facts.get("title")),
        result=cast("str | None", facts.get("result")),
        aliases=_texts(facts.get("aliases")),
        exit_code=cast("Literal['result'] | None", facts.get("exit_code")),
        uri=cast("str | None", facts.get("uri")),
        mime_type=cast("str | None", facts.get("mime_type", record.mime_type)),
        exclude_clients=_texts(facts.get("exclude_clients")),
        task_support=cast("TaskSupport | None", facts.get("task_support")),
        task_asks=cast("TaskAsks | None", facts.get("task_asks")),
        read_only=cast("bool | None", read_only),
        structured=cast("StructuredRule | None", facts.get("structured")),
        scalar=cast("ScalarRule | None", facts.get("scalar")),
        max_elapsed_s=render.get("max_elapsed_s"),
        input_schema=cast("Mapping[str, object] | None", facts.get("input_schema")),
    )


def state_projection(record: ProjectionRecord, static: StaticRoute) -> ProjectionRecord:
    """*record* with what its module says.

    The docstring is about the function, which turns flags into an input, and not for help.
    """
    facts = static.facts
    return attrs.evolve(
        record,
        handler=static.handler,
        line=static.line,
        command=cast("str | None", facts.get("command")),
        aliases=_texts(facts.get("aliases")),
        confirm=cast("bool | None", facts.get("confirm")),
        description=cast("str | None", facts.get("description")),
        title=cast("str | None", facts.get("title")),
        exit_code=cast("Literal['result'] | None", facts.get("exit_code")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(cast("tuple[str, ...]", value or ()))
