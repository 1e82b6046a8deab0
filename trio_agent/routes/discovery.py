"""Finding everything that a plugin declares: a walk over its folders, a look into each module.

    cli/db/clean_up.py                    cli:db/clean-up              db clean-up
    scripts/nightly.py, scripts/x.sh      script:nightly               nightly
    events/tool/before.py                 event:tool/before            tool/before
    mcp/curator/tools/audit_library.py    tool:curator/audit_library   audit_library
    providers/library.py                  the key `library`
    layout.py                             stands around every route

The path is the identity; the name of the function is not.  Which files count is told in `walk`:
regular ones that do not begin with `_` or `.`.  In the words of commands and scripts `_` is typed
`-`; what lies on a server and a provider is called by its stem, verbatim.

No module is imported.  What is in error stays in the graph beside its diagnostic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trio_agent.routes.aliases import without_taken_aliases
from trio_agent.routes.event_names import advice_for, event_of
from trio_agent.routes.folders import is_segment
from trio_agent.routes.graph import RouteGraph
from trio_agent.routes.manifest import read_manifest
from trio_agent.routes.record import ProviderRecord, RouteRecord
from trio_agent.routes.search import Search
from trio_agent.routes.static import state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.routes.manifest import Manifest
    from trio_agent.routes.plugin import Plugin
    from trio_agent.routes.projections import ToolCommandRecord
    from trio_agent.routes.record import ServerRecord

COMMANDS: Final = "cli"
SERVERS: Final = "mcp"
SCRIPTS: Final = "scripts"
EVENTS: Final = "events"
PROVIDERS: Final = "providers"

_HELP: Final = frozenset({"-h", "--help"})
"""Help shows aliases, and which of those are free is known to the whole graph only."""

_RESERVED_KEY: Final = "process_lifetime"
"""The provider that is always there."""

_SHADOWS: Final = ("mcp/__init__.py", "mcp.py")
"""What Python finds instead of the SDK when the plugin's folder is on its path.  A folder without
`__init__.py` is not among them: it loses against any package."""


def discover(plugin: Plugin, manifest: Manifest | None = None) -> RouteGraph:
    """Find everything that *plugin* declares, and everything that is wrong with it.

    Args:
        plugin: where to look.
        manifest: its settings; read from its folder if None.

    Raises:
        PluginError: a folder or a file of the plugin cannot be read.
    """
    settings = read_manifest(plugin) if manifest is None else manifest
    search = Search(plugin, settings)
    typed = [*_find_commands(search)]
    layout = search.read_layout("layout.py", None)
    servers = _find_servers(search)
    tools = _find_tool_commands(search, servers, typed)
    commands = without_taken_aliases(typed, search.diagnostics, tools)
    inner = (server.layout for server in servers)
    graph = RouteGraph(
        plugin=plugin,
        commands=tuple(sorted(commands, key=lambda record: record.words)),
        tool_commands=tuple(without_taken_aliases(tools, search.diagnostics, typed)),
        scripts=_find_scripts(search),
        events=tuple(sorted(_find_events(search), key=lambda record: record.id)),
        servers=servers,
        layouts=tuple(filter(None, (layout, *inner))),
        providers=tuple(_find_providers(search)),
    )
    _complain_of_strangers(search)
    _check_references(search, graph)
    return graph.diagnosed(search.diagnostics)


def discover_command(plugin: Plugin, manifest: Manifest, words: Sequence[str]) -> RouteGraph | None:
    """Find the one command that the words of a command line begin with, by its path alone.

    Looking at every command in order to run one would make each slower with every other.

    Args:
        plugin: where to look.
        manifest: its settings.
        words: what was typed after the plugin.

    Returns:
        A graph with that command, what surrounds it, and what is wrong with them; its aliases
        are those it asks for.  None where only the whole graph can tell: the words are an alias,
        a group or unknown, they ask for help, or tools are commands, too.

    Raises:
        PluginError: see `discover`.
    """
    search = Search(plugin, manifest)
    if manifest.commands is not None or _has_projections(search) or not _HELP.isdisjoint(words):
        return None
    place = _find_place(search, words)
    if place is None:
        return None
    layout = search.read_layout("layout.py", None)
    graph = RouteGraph(
        plugin=plugin,
        commands=(_command(search, *place),),
        layouts=() if layout is None else (layout,),
        providers=tuple(_find_providers(search)),
    )
    return graph.diagnosed(search.diagnostics)


def _find_place(search: Search, words: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The file that the words lead to, and the parts of its name."""
    folder, parts = COMMANDS, tuple[str, ...]()
    for word in words:
        part = word.replace("-", "_")
        parts = (*parts, part)
        # What is typed for `a_b.py` is `a-b`, and nothing else.
        if part.replace("_", "-") != word or not is_segment(part):
            return None
        # By name, not by opening: some file systems find `Audit.py` under `audit.py`.
        entries = search.entries(folder)
        file = f"{folder}/{part}.py"
        if (f"{part}.py", False) in entries:
            return None if search.is_claimed(file) else (file, parts)
        if (part, True) not in entries:
            return None
        folder = f"{folder}/{part}"
    return None


def _has_projections(search: Search) -> bool:
    return any(
        name.endswith("_cli.py")
        for server, _ in search.entries(SERVERS)
        for name, _ in search.entries(f"{SERVERS}/{server}/tools")
    )


def _find_servers(search: Search) -> tuple[ServerRecord, ...]:
    if not (search.manifest.servers or search.entries(SERVERS)):
        return ()
    # lazy: a plugin of commands alone has no servers, and starts more often than any other.
    from trio_agent.routes.servers import find_servers  # noqa: PLC0415

    return find_servers(search)


def _find_tool_commands(
    search: Search, servers: Sequence[ServerRecord], commands: Sequence[RouteRecord]
) -> Sequence[ToolCommandRecord]:
    """The tools that are commands, by their words."""
    settings = search.manifest.commands
    if settings is None and not any(server.projections for server in servers):
        return ()
    # lazy: most plugins have none.
    from trio_agent.routes.projections import check_words, find_tool_commands  # noqa: PLC0415

    found = sorted(find_tool_commands(settings, servers), key=lambda record: record.words)
    check_words(search, commands, found)
    return found


def _check_references(search: Search, graph: RouteGraph) -> None:
    if graph.servers or search.manifest.commands or search.manifest.web:
        # lazy: see `_find_servers`.
        from trio_agent.routes.references import check_references  # noqa: PLC0415

        check_references(search, graph)


def _find_commands(search: Search) -> Iterator[RouteRecord]:
    for file, inner in search.nested_modules(COMMANDS):
        yield _command(search, file, inner)


def _command(search: Search, file: str, inner: tuple[str, ...]) -> RouteRecord:
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
    return state(record, search.read(file, "command"))


def _find_scripts(search: Search) -> tuple[RouteRecord, ...]:
    if not search.entries(SCRIPTS):
        return ()
    # lazy: most plugins have none.
    from trio_agent.routes.script_files import find_scripts  # noqa: PLC0415

    return find_scripts(search)


def _find_events(search: Search) -> Iterator[RouteRecord]:
    for file, inner in search.nested_modules(EVENTS):
        below = f"{'/'.join(inner)}.py"
        event = event_of(below)
        if event is None:
            search.complain("TA4823", file, f"answers no event of a host: {advice_for(below)}")
            continue
        search.complain_of_package(
            file, "TA4802", "answers an event, and {folder}/ has its name: rename one of them"
        )
        record = RouteRecord(
            id=f"event:{event}", kind="event", path=file, module=search.module_name(file)
        )
        yield state(record, search.read(file, "event"))


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


def _complain_of_strangers(search: Search) -> None:
    """Files that mean something, and must not be there."""
    if search.has_file("state.py"):
        search.complain(
            "TA4818",
            "state.py",
            "declares state, which this version does not have: nothing reads it; rename it if it"
            " is a module of your own",
        )
    for file in _SHADOWS:
        if search.has_file(file):
            advice = "delete it, no folder needs one" if "/" in file else "rename it"
            search.complain(
                "TA4847",
                file,
                f"hides the SDK of MCP where the plugin's folder is on the path: {advice}",
            )
