"""Finding everything that a plugin declares: a walk over its folders, a look into each module.

    cli/db/clean_up.py                    cli:db/clean-up              db clean-up
    mcp/curator/tools/audit_library.py    tool:curator/audit_library   audit_library
    providers/library.py                  the key `library`
    layout.py                             stands around every route

The path is the identity; the name of the function is not.  Which files count is told in `walk`:
regular ones that do not begin with `_` or `.`.  In the words of commands `_` is typed `-`;
everything else is called by its stem, verbatim.

No module is imported.  What is in error stays in the graph beside its diagnostic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trio_agent.routes.aliases import without_taken_aliases
from trio_agent.routes.record import ProviderRecord, RouteGraph, RouteRecord
from trio_agent.routes.search import Search
from trio_agent.routes.servers import find_servers
from trio_agent.routes.static import state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.routes.plugin import Plugin

COMMANDS: Final = "cli"
PROVIDERS: Final = "providers"

_RESERVED_KEY: Final = "process_lifetime"
"""The provider that is always there."""


def discover(plugin: Plugin) -> RouteGraph:
    """Find everything that *plugin* declares, and everything that is wrong with it.

    Raises:
        PluginError: a folder or a file of the plugin cannot be read.
    """
    search = Search(plugin)
    commands = without_taken_aliases([*_find_commands(search)], search.diagnostics)
    layout = search.read_layout("layout.py", None)
    servers = find_servers(search)
    inner = (server.layout for server in servers)
    return RouteGraph(
        plugin=plugin,
        commands=tuple(sorted(commands, key=lambda record: record.words)),
        servers=servers,
        layouts=tuple(filter(None, (layout, *inner))),
        providers=tuple(_find_providers(search)),
        diagnostics=tuple(
            sorted(search.diagnostics, key=lambda item: (item.file, item.line, item.column))
        ),
    )


def _find_commands(search: Search) -> Iterator[RouteRecord]:
    for file, inner in search.nested_modules(COMMANDS):
        search.complain_of_package(
            file,
            "TA4813",
            "is a command and {folder}/ a group of the same name: rename one of them",
        )
        words = tuple(part.replace("_", "-") for part in inner)
        record = RouteRecord(
            id=f"cli:{'/'.join(words)}",
            kind="cli",
            words=words,
            path=file,
            module=search.module_name(file),
        )
        yield state(record, search.read(file, "command"))


def _find_providers(search: Search) -> Iterator[ProviderRecord]:
    for file, key in search.direct_modules(PROVIDERS, "provider", "warning"):
        search.complain_of_package(
            file, "TA4941", "is a provider, and {folder}/ has its key: rename one of them"
        )
        if key == _RESERVED_KEY:
            search.complain(
                "TA4942", file, f"the key {key} is taken by trio-agent: rename the file"
            )
        handler, line = search.read_place(file, "provider")
        yield ProviderRecord(
            key=key, path=file, module=search.module_name(file), handler=handler, line=line
        )
