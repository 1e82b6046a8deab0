"""The routes of one server: the modules right below its folders.

Below: `search`.  Above: `servers`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from trio_agent.routes.record import ProjectionRecord, RouteRecord
from trio_agent.routes.static import state, state_projection
from trio_agent.routes.walk import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trio_agent.routes.search import Search
    from trio_agent.routes.static import StaticRoute

FOLDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "tools": (".py",),
    "resources": (".py",),
    "prompts": (".py",),
    "apps": (".html", ".py"),
}
"""The folders of a server, and how the files in them end."""

APP_TYPE: Final = "text/html;profile=mcp-app"
"""What a host recognises an app by, as in the reference."""

_Kind: TypeAlias = Literal["tool", "resource", "prompt", "app"]

_PROJECTION: Final = "_cli"
"""How the stem of a tool's projection ends."""

_HTML_TITLE: Final = re.compile(rb"<title[^>]*>([^<]*)</title>", re.IGNORECASE)


def find_tools(
    search: Search, server: str
) -> tuple[tuple[RouteRecord, ...], tuple[ProjectionRecord, ...]]:
    """The tools of a server, and how they look as commands; both by name."""
    tools: list[RouteRecord] = []
    projections: list[ProjectionRecord] = []
    for file, stem in _modules(search, server, "tool"):
        tool = stem.removesuffix(_PROJECTION)
        if tool == stem:
            tools.append(_route(search, file, server, "tool", search.read(file, "tool")))
        elif search.has_file(f"mcp/{server}/tools/{tool}.py"):
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


def find_resources(search: Search, server: str) -> tuple[RouteRecord, ...]:
    """The resources of a server, by name."""
    return tuple(
        _route(search, file, server, "resource", search.read(file, "resource"))
        for file, _ in _modules(search, server, "resource")
    )


def find_prompts(search: Search, server: str) -> tuple[RouteRecord, ...]:
    """The prompts of a server, by name."""
    return tuple(
        _route(search, file, server, "prompt", search.read(file, "prompt"))
        for file, _ in _modules(search, server, "prompt")
    )


def find_apps(search: Search, server: str) -> tuple[RouteRecord, ...]:
    """The apps of a server, by name: HTML as it is, or modules that make it."""
    pages = {
        stem: _page(search, file, server, stem)
        for file, stem in search.direct_modules(f"mcp/{server}/apps", "app", "warning", ".html")
    }
    apps = [*pages.values()]
    for file, stem in _modules(search, server, "app"):
        if stem in pages:
            path = pages[stem].path
            search.complain("TA4802", file, f"is the app {stem}, and so is {path}: remove one")
        record = _route(search, file, server, "app", search.read(file, "app"))
        apps.append(record)
    return tuple(sorted(apps, key=lambda record: record.path))


def _modules(search: Search, server: str, kind: _Kind) -> Iterator[tuple[str, str]]:
    for file, stem in search.direct_modules(f"mcp/{server}/{kind}s", kind, "warning"):
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
        mime_type=APP_TYPE if kind == "app" else None,
    )
    return state(record, static)


def _page(search: Search, file: str, server: str, stem: str) -> RouteRecord:
    """An app that is HTML: its path is its identity, and so its URI."""
    title = _HTML_TITLE.search(read_file(search.path(file)))
    words = "" if title is None else " ".join(title[1].decode("utf-8", "replace").split())
    return RouteRecord(
        id=f"app:{server}/{stem}",
        kind="app",
        server=server,
        path=file,
        module="",
        title=words or None,
        uri=f"ui://{server}/{stem}",
        mime_type=APP_TYPE,
    )


def _projection(
    search: Search, file: str, server: str, tool: str, static: StaticRoute | None
) -> ProjectionRecord:
    record = ProjectionRecord(server=server, tool=tool, path=file, module=search.module_name(file))
    return record if static is None else state_projection(record, static)


def _complain_of_orphan(search: Search, file: str, tool: str) -> None:
    search.complain(
        "TA4843",
        file,
        f"is the command of a tool {tool} that is not there: add {tool}.py beside it, or remove it",
    )
