"""The MCP servers of a plugin: what lies below `mcp/`, and what `plugin.toml` adds.

    mcp/curator/tools/audit_library.py        tool:curator/audit_library
    mcp/curator/tools/audit_library_cli.py    how that tool looks as a command; no route
    mcp/curator/resources/catalog.py          resource:curator/catalog
    mcp/curator/prompts/triage.py             prompt:curator/triage
    mcp/curator/apps/status.html              app:curator/status
    mcp/curator/layout.py                     stands around all of them
    mcp/relay.py                              the custom server `relay`

A route is a file right below its folder; its stem is its name, verbatim.  Of a server that is
not made of routes nothing is read.  Below: `modes`, `tools_folder`, `search`.  Above: `discovery`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trio_agent.routes.folders import is_segment
from trio_agent.routes.modes import ServerSigns
from trio_agent.routes.record import ServerRecord
from trio_agent.routes.server_routes import (
    FOLDERS,
    find_apps,
    find_prompts,
    find_resources,
    find_tools,
)
from trio_agent.routes.walk import misnamed, walk_modules

if TYPE_CHECKING:
    from trio_agent.routes.record import ServerMode
    from trio_agent.routes.search import Search

FOLDER: Final = "mcp"


def find_servers(search: Search) -> tuple[ServerRecord, ...]:
    """Every server, by name."""
    entries = [
        (name.removesuffix(".py"), is_folder)
        for name, is_folder in search.entries(FOLDER)
        if is_folder or name.endswith(".py")
    ]
    safe = {(name, is_folder) for name, is_folder in entries if _is_named(search, name, is_folder)}
    settings = search.manifest.servers
    names = sorted({*settings, *(name for name, _ in safe)})
    found = (
        _find_server(
            search,
            ServerSigns(
                name=name,
                settings=settings.get(name),
                has_routes=(name, True) in safe and _has_routes(search, name),
                has_module=(name, False) in safe,
            ),
        )
        for name in names
    )
    return tuple(server for server in found if server is not None)


def _is_named(search: Search, name: str, is_folder: bool) -> bool:  # noqa: FBT001  # of an entry
    if is_segment(name):
        return True
    place = f"{FOLDER}/{name}"
    modules = walk_modules(search.path(place)) if is_folder else [search.path(f"{place}.py")]
    for path in modules:
        file = path.relative_to(search.plugin.root).as_posix()
        search.diagnostics.append(misnamed(file, name))
    return False


def _has_routes(search: Search, name: str) -> bool:
    return any(
        not is_folder and entry.endswith(suffix)
        for folder, suffixes in FOLDERS.items()
        for suffix in suffixes
        for entry, is_folder in search.entries(f"{FOLDER}/{name}/{folder}")
    )


def _find_server(search: Search, signs: ServerSigns) -> ServerRecord | None:
    folder = f"{FOLDER}/{signs.name}"
    if signs.settings is None and not signs.has_routes and not signs.has_module:
        _complain_of_lone_layout(search, folder)
        return None
    mode, faults = signs.decide()
    for fault in faults:
        path = ("servers", signs.name) if fault.key is None else ("servers", signs.name, fault.key)
        search.complain_of_manifest(fault.code, path, fault.message, f"server:{signs.name}")
    if mode != "generated":
        return ServerRecord(name=signs.name, mode=mode, path=_entry(search, signs, mode))
    tools, projections = find_tools(search, signs.name)
    server = ServerRecord(
        name=signs.name,
        tools=tools,
        resources=find_resources(search, signs.name),
        prompts=find_prompts(search, signs.name),
        apps=find_apps(search, signs.name),
        projections=projections,
        layout=search.read_layout(f"{folder}/layout.py", signs.name),
    )
    if not (server.tools or server.resources or server.prompts):
        _complain_of_lone_layout(search, folder)
    return server if server.routes or signs.settings is not None else None


def _complain_of_lone_layout(search: Search, folder: str) -> None:
    layout = f"{folder}/layout.py"
    if search.has_file(layout):
        search.complain(
            "TA4832",
            layout,
            f"is a layout around nothing: {folder} has no tools, resources or prompts",
        )


def _entry(search: Search, signs: ServerSigns, mode: ServerMode) -> str | None:
    """The hand-written module of a custom server."""
    entry = None if signs.settings is None else signs.settings.entry
    if mode != "custom" or entry is None:
        return f"{FOLDER}/{signs.name}.py" if mode == "custom" and signs.has_module else None
    parts = entry.split("/")
    if "\\" in entry or not {"", ".", ".."}.isdisjoint(parts) or not search.has_file(entry):
        search.complain_of_manifest(
            "TA4805",
            ("servers", signs.name, "entry"),
            f"entry is the path of a module in the plugin, {FOLDER}/{signs.name}.py, received"
            f" {entry!r:.80}",
            f"server:{signs.name}",
        )
    return entry
