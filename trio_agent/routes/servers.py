"""The MCP servers of a plugin: the folders below `mcp/`, and what lies in them.

    mcp/curator/tools/audit_library.py        tool:curator/audit_library
    mcp/curator/tools/audit_library_cli.py    how that tool looks as a command; no route
    mcp/curator/resources/catalog.py          resource:curator/catalog
    mcp/curator/prompts/triage.py             prompt:curator/triage
    mcp/curator/layout.py                     stands around all of them

A route is a file right below its folder; its stem is its name, verbatim.
Below: `search`.  Above: `discovery`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from trio_agent.routes.record import ProjectionRecord, RouteRecord, ServerRecord
from trio_agent.routes.static import state
from trio_agent.routes.walk import is_segment, misnamed, walk_modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.routes.search import Search
    from trio_agent.routes.static import StaticRoute

FOLDER: Final = "mcp"

_Kind: TypeAlias = Literal["tool", "resource", "prompt"]

_PROJECTION: Final = "_cli"
"""How the stem of a tool's projection ends."""


def find_servers(search: Search) -> tuple[ServerRecord, ...]:
    """Every server that has routes, by name."""
    servers: list[ServerRecord] = []
    for name, is_folder in search.entries(FOLDER):
        if is_folder and _is_named(search, name):
            server = _find_server(search, name)
            if server.routes:
                servers.append(server)
    return tuple(servers)


def _is_named(search: Search, name: str) -> bool:
    if is_segment(name):
        return True
    for path in walk_modules(search.path(f"{FOLDER}/{name}")):
        file = path.relative_to(search.plugin.root).as_posix()
        search.diagnostics.append(misnamed(file, name))
    return False


def _find_server(search: Search, name: str) -> ServerRecord:
    folder = f"{FOLDER}/{name}"
    tools, projections = _find_tools(search, name)
    server = ServerRecord(
        name=name,
        tools=tools,
        resources=_find_routes(search, name, "resource"),
        prompts=_find_routes(search, name, "prompt"),
        projections=projections,
        layout=search.read_layout(f"{folder}/layout.py", name),
    )
    if server.layout is not None and not server.routes:
        search.complain(
            "TA4832",
            server.layout.path,
            f"is a layout around nothing: {folder} has no tools, resources or prompts",
        )
    return server


def _find_tools(
    search: Search, server: str
) -> tuple[tuple[RouteRecord, ...], tuple[ProjectionRecord, ...]]:
    tools: list[RouteRecord] = []
    projections: list[ProjectionRecord] = []
    for file, stem in _modules(search, server, "tool"):
        tool = stem.removesuffix(_PROJECTION)
        if tool == stem:
            tools.append(_route(search, file, server, "tool", search.read(file, "tool")))
        elif search.has_file(f"{FOLDER}/{server}/tools/{tool}.py"):
            static = search.read(file, "tool_command")
            projections.append(_projection(search, file, server, tool, static))
        else:
            # A name that ends like a projection's is a tool's own, if the module says so.
            static = search.read(file, "tool", "tool_command")
            if static is None or static.decorator == "tool":
                tools.append(_route(search, file, server, "tool", static))
            else:
                _complain_of_orphan(search, file, tool)
                projections.append(_projection(search, file, server, tool, static))
    return tuple(tools), tuple(projections)


def _find_routes(search: Search, server: str, kind: _Kind) -> tuple[RouteRecord, ...]:
    return tuple(
        _route(search, file, server, kind, search.read(file, kind))
        for file, _ in _modules(search, server, kind)
    )


def _modules(search: Search, server: str, kind: _Kind) -> Iterator[tuple[str, str]]:
    for file, stem in search.direct_modules(f"{FOLDER}/{server}/{kind}s", kind, "warning"):
        search.complain_of_package(
            file, "TA4802", f"is a {kind}, and {{folder}}/ has its name: rename one of them"
        )
        yield file, stem


def _route(
    search: Search, file: str, server: str, kind: _Kind, static: StaticRoute | None
) -> RouteRecord:
    stem = file.rpartition("/")[2].removesuffix(".py")
    record = RouteRecord(
        id=f"{kind}:{server}/{stem}",
        kind=kind,
        server=server,
        path=file,
        module=search.module_name(file),
    )
    return state(record, static)


def _projection(
    search: Search, file: str, server: str, tool: str, static: StaticRoute | None
) -> ProjectionRecord:
    return ProjectionRecord(
        server=server,
        tool=tool,
        path=file,
        module=search.module_name(file),
        handler=None if static is None else static.handler,
        line=1 if static is None else static.line,
    )


def _complain_of_orphan(search: Search, file: str, tool: str) -> None:
    search.complain(
        "TA4843",
        file,
        f"is the command of a tool {tool} that is not there: add {tool}.py beside it, or remove it",
    )
