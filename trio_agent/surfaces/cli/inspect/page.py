"""What `inspect` shows: a page for people, and one document for machines.

Pure.  Both say the same: what there is, by server and kind, and what is wrong.  Neither holds
values of `env` or `headers`, nor where on the machine the plugin lies.  Below: `usage`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from trio_agent.limits import Limits
from trio_agent.surfaces.cli.help.usage import Row, table
from trio_agent.vocabulary.json import escape_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trio_agent.routes.diagnostic import Diagnostic
    from trio_agent.routes.examination import Examination
    from trio_agent.routes.graph import RouteGraph
    from trio_agent.routes.projections import ToolCommandRecord
    from trio_agent.routes.record import RouteRecord, ServerRecord

_DEFAULT_S: Final = Limits().max_elapsed_s


def budget_s(record: RouteRecord) -> float | None:
    """Seconds that one rendering of a route may take; None for what is not rendered.

    That is a page that is served as it is, and a script that is a program of its own.
    """
    if (record.kind == "app" and not record.module) or record.script in {"plain", "shell"}:
        return None
    budget = _DEFAULT_S if record.max_elapsed_s is None else record.max_elapsed_s
    return int(budget) if budget == int(budget) else budget


# ------------------------------------------------------------------------------ for people


def inspection_page(found: Examination, columns: int) -> str:
    """The page, wrapped to *columns* save for diagnostics, which editors read."""
    manifest, graph = found.manifest, found.graph
    blocks = [
        f"{manifest.name} {manifest.version or ''}".rstrip(),
        manifest.description or "",
        *(_server_table(graph, server, columns) for server in graph.servers),
        table("Commands", _rows(graph, graph.commands), columns),
        table("Tools as commands", _tool_command_rows(graph), columns),
        table("Scripts", _rows(graph, graph.scripts), columns),
        table("Events", _rows(graph, graph.events), columns),
        table("Providers", _provider_rows(graph), columns),
        table("Layouts", _layout_rows(graph), columns),
        "\n".join(_lines(found.diagnostics)),
        f"{_verdict(found)}\ndigest {graph.digest}",
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _server_table(graph: RouteGraph, server: ServerRecord, columns: int) -> str:
    title = f"Server {server.name}, {server.mode}"
    rows = [*_rows(graph, server.routes)]
    rows += [
        Row(term=one.path, text=f"how the tool {one.tool} looks as a command")
        for one in server.projections
    ]
    if graph.errors_of(server):
        title = f"{title}, broken"
    return table(title, rows, columns) or f"{title}: {server.path or 'not made of routes'}"


def _rows(graph: RouteGraph, records: Iterable[RouteRecord]) -> Iterator[Row]:
    for record in records:
        budget = budget_s(record)
        facts = [] if budget is None else [f"{budget:g} s"]
        facts += _flags(record)
        if graph.errors_of(record):
            facts.append("broken")
        told = ": ".join(filter(None, (record.title, record.description)))
        yield Row(term=record.id, text=f"[{', '.join(facts)}] {told}")


def _flags(record: RouteRecord) -> Sequence[str]:
    """What is not as it is for most routes."""
    uri = record.uri or ""
    flags = {
        f"{uri} (template)" if "{" in uri else uri: bool(uri),
        record.mime_type or "": record.kind == "resource",
        record.script or "": True,
        "read-only": record.read_only,
        f"task {record.task_support}": record.task_support in {"optional", "required"},
        "text only": record.structured == "never",
        f"scalar {record.scalar}": record.scalar in {"wrap", "reject"},
        f"not for {' '.join(record.exclude_clients)}": bool(record.exclude_clients),
        f"also {' '.join(record.aliases)}": bool(record.aliases),
        "exit code of the value": record.exit_code is not None,
        "literal schema": record.input_schema is not None,
    }
    return [flag for flag, is_true in flags.items() if flag and is_true]


def _tool_command_rows(graph: RouteGraph) -> Iterator[Row]:
    for record in graph.tool_commands:
        flags = {
            record.tool.id: True,
            "--yes": record.needs_confirmation,
            f"also {' '.join(record.aliases)}": bool(record.aliases),
            "exit code of the value": record.exit_code is not None,
            "broken": bool(graph.errors_of(record) or graph.errors_of(record.tool)),
        }
        facts = ", ".join(flag for flag, is_true in flags.items() if is_true)
        yield Row(term=record.name, text=f"[{facts}] {record.description or record.title or ''}")


def _provider_rows(graph: RouteGraph) -> Iterator[Row]:
    return (Row(term=one.key, text=one.path) for one in graph.providers)


def _layout_rows(graph: RouteGraph) -> Iterator[Row]:
    for one in graph.layouts:
        around = "every route" if one.server is None else f"the routes of {one.server}"
        yield Row(term=one.path, text=f"around {around}")


def _lines(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    for one in diagnostics:
        yield (
            str(one)
            if one.severity == "error"
            else str(one).replace(one.code, f"{one.code} (warning)", 1)
        )


def _verdict(found: Examination) -> str:
    warnings = len(found.diagnostics) - found.errors
    counts = (
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((found.errors, "error"), (warnings, "warning"))
        if count
    )
    return ", ".join(counts) or "Nothing is wrong."


# ------------------------------------------------------------------------------ for machines


def inspection_json(found: Examination) -> str:
    """One line of JSON with sorted keys; what is not known is not written."""
    text = json.dumps(_document(found), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return f"{escape_surrogates(text)}\n"


def _document(found: Examination) -> Mapping[str, object]:
    manifest, graph = found.manifest, found.graph
    return _known(
        name=manifest.name,
        version=manifest.version,
        description=manifest.description,
        targets=manifest.targets,
        package=graph.plugin.name,
        digest=graph.digest,
        servers=[_server(graph, one) for one in graph.servers],
        commands=[_route(graph, one) for one in graph.commands],
        toolCommands=[_tool_command(graph, one) for one in graph.tool_commands],
        scripts=[_route(graph, one) for one in graph.scripts],
        events=[_route(graph, one) for one in graph.events],
        providers=[
            _known(key=one.key, path=one.path, module=one.module, handler=one.handler)
            for one in graph.providers
        ],
        layouts=[
            _known(server=one.server, path=one.path, module=one.module, handler=one.handler)
            for one in graph.layouts
        ],
        diagnostics=[
            _known(
                code=one.code,
                severity=one.severity,
                file=one.file,
                line=one.line,
                column=one.column,
                message=one.message,
                subject=one.subject,
            )
            for one in found.diagnostics
        ],
        errors=found.errors,
    )


def _server(graph: RouteGraph, server: ServerRecord) -> Mapping[str, object]:
    return _known(
        name=server.name,
        mode=server.mode,
        path=server.path,
        isBroken=bool(graph.errors_of(server)),
        tools=[_route(graph, one) for one in server.tools],
        resources=[_route(graph, one) for one in server.resources],
        prompts=[_route(graph, one) for one in server.prompts],
        apps=[_route(graph, one) for one in server.apps],
        projections=[
            _known(tool=one.tool, path=one.path, module=one.module, handler=one.handler)
            for one in server.projections
        ],
    )


def _tool_command(graph: RouteGraph, record: ToolCommandRecord) -> Mapping[str, object]:
    return _known(
        name=record.name,
        tool=record.tool.id,
        path=record.path,
        title=record.title,
        description=record.description,
        aliases=record.aliases or None,
        needsConfirmation=record.needs_confirmation,
        exitCode=record.exit_code,
        isBroken=bool(graph.errors_of(record) or graph.errors_of(record.tool)),
    )


def _route(graph: RouteGraph, record: RouteRecord) -> Mapping[str, object]:
    return _known(
        id=record.id,
        kind=record.kind,
        name=record.name,
        script=record.script,
        path=record.path,
        module=record.module or None,
        handler=record.handler,
        line=record.line,
        title=record.title,
        description=record.description,
        result=record.result,
        answer=record.answer,
        aliases=record.aliases or None,
        exitCode=record.exit_code,
        uri=record.uri,
        mimeType=record.mime_type,
        excludeClients=record.exclude_clients or None,
        taskSupport=record.task_support,
        readOnly=record.read_only,
        structured=record.structured,
        scalar=record.scalar,
        maxElapsedSeconds=budget_s(record),
        inputSchema=record.input_schema,
        isBroken=bool(graph.errors_of(record)),
    )


def _known(**members: object) -> Mapping[str, object]:
    return {name: value for name, value in members.items() if value is not None}
