"""What names something else: published names, URIs, and the patterns of `plugin.toml`.

Everything here needs all of the routes at once.  Below: `search`.  Above: `discovery`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.routes.graph import RouteGraph
    from trio_agent.routes.record import RouteRecord, ServerRecord
    from trio_agent.routes.search import Search

LONGEST_NAME: Final = 64
"""Characters of a tool's name as a host sees it, `mcp__server__tool`: what the APIs of model
vendors accept."""

_MOST_NAMED: Final = 12
_VARIABLE: Final = re.compile(r"\{(\+?)[^{}]*\}")


def published_name(record: RouteRecord) -> str:
    """A tool's name as hosts make it: `mcp__curator__audit_library`."""
    return f"mcp__{record.server}__{record.name}"


def check_references(search: Search, graph: RouteGraph) -> None:
    """Complain about names and URIs that collide, and about patterns that match nothing."""
    _check_names(search, graph)
    for server in graph.servers:
        _check_uris(search, server)
    _check_patterns(search, graph)
    _check_web(search, graph)


def _check_names(search: Search, graph: RouteGraph) -> None:
    taken: dict[str, RouteRecord] = {}
    for server in graph.servers:
        for record in server.tools:
            name = published_name(record)
            first = taken.setdefault(name, record)
            if first is not record:
                search.complain(
                    "TA4846",
                    record.path,
                    f"hosts call it {name}, like {first.path}: rename one of them",
                )
            if len(name) > LONGEST_NAME:
                search.complain(
                    "TA4846",
                    record.path,
                    f"hosts call it {name}, which has {len(name)} characters of at most"
                    f" {LONGEST_NAME}: shorten the name of the tool or of its server",
                )


def _check_uris(search: Search, server: ServerRecord) -> None:
    taken: dict[str, RouteRecord] = {}
    for record in (*server.resources, *server.apps):
        if record.uri is None:
            continue
        # Two templates that differ in the names of their variables match the same.
        first = taken.setdefault(_VARIABLE.sub(r"{\1}", record.uri), record)
        if first is not record:
            search.complain(
                "TA4829",
                record.path,
                f"has the URI {record.uri} of {first.path}: a URI is one resource of a server",
                line=record.line,
            )


def _check_patterns(search: Search, graph: RouteGraph) -> None:
    settings = search.manifest.commands
    if settings is None:
        return
    # lazy: it is there already when there are settings, and most plugins have none.
    from trio_agent.routes.settings import matches  # noqa: PLC0415

    tools = [f"{server.name}:{record.name}" for server in graph.servers for record in server.tools]
    for key in ("include", "exclude"):
        for index, pattern in enumerate(getattr(settings, key) or ()):
            if not any(matches(pattern, tool) for tool in tools):
                search.complain_of_manifest(
                    "TA4822",
                    ("commands", key, index),
                    f"{pattern!r} matches no tool; {_listed(tools)}",
                )


def _check_web(search: Search, graph: RouteGraph) -> None:
    settings = search.manifest.web
    for index, shown in enumerate(() if settings is None else settings.apps):
        server = next(_named(graph.servers, shown.app.partition("/")[0]), None)
        if server is not None and server.mode != "generated":
            # Only the server itself knows its apps.
            continue
        path = ("web", "apps", index)
        if graph.find_route(f"app:{shown.app}") is None:
            known = [record.id.partition(":")[2] for one in graph.servers for record in one.apps]
            search.complain_of_manifest(
                "TA4826", path, f"there is no app {shown.app!r:.80}; {_listed(known)}"
            )
        elif shown.tool is not None and server is not None:
            known = [record.name for record in server.tools]
            if shown.tool not in known:
                message = f"{server.name} has no tool {shown.tool!r:.80}; {_listed(known)}"
                search.complain_of_manifest("TA4341", (*path, "tool"), message)


def _named(servers: Sequence[ServerRecord], name: str) -> Iterator[ServerRecord]:
    return (server for server in servers if server.name == name)


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "there are none"
    more = [] if len(names) <= _MOST_NAMED else [f"and {len(names) - _MOST_NAMED} more"]
    return f"there are {', '.join([*names[:_MOST_NAMED], *more])}"
