"""Everything that the folders of a plugin declare, what is wrong with it, and how to find a part.

A graph is a value: `discovery` makes it, the surfaces ask it, and nothing in it was imported.
Below: `record`, `diagnostic`, `plugin`.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, final

import attrs

from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trio_agent.routes.diagnostic import Diagnostic
    from trio_agent.routes.plugin import Plugin
    from trio_agent.routes.projections import CommandRecord, ToolCommandRecord
    from trio_agent.routes.record import (
        AnyRecord,
        LayoutRecord,
        ProviderRecord,
        RouteRecord,
        ServerRecord,
    )


@final
@attrs.frozen(kw_only=True)
class RouteGraph:
    """Everything that the folders of a plugin declare.

    What is in error is there too, so that using it says what is wrong instead of "unknown".

    Attributes:
        commands: by their words.
        tool_commands: the tools that are commands, too, by their words; no routes.
        scripts: by their words.
        events: by their id.
        servers: by name.
        layouts: the plugin's own, then those of the servers by name.
        providers: by key.
        diagnostics: by file and line.
    """

    plugin: Plugin
    commands: tuple[RouteRecord, ...] = ()
    tool_commands: tuple[ToolCommandRecord, ...] = ()
    scripts: tuple[RouteRecord, ...] = ()
    events: tuple[RouteRecord, ...] = ()
    servers: tuple[ServerRecord, ...] = ()
    layouts: tuple[LayoutRecord, ...] = ()
    providers: tuple[ProviderRecord, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    __repr__ = shown

    @property
    def routes(self) -> Iterator[RouteRecord]:
        """Every route: commands, scripts, events, then server by server."""
        yield from self.commands
        yield from self.scripts
        yield from self.events
        for server in self.servers:
            yield from server.routes

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of what the graph says; the same wherever the plugin lies.

        Lines and columns do not count, nor does the name of the plugin's folder.
        """
        # lazy: a list of commands compares no graphs, so it does not import hashlib.
        from trio_agent.routes.digest import digest_of  # noqa: PLC0415

        return digest_of(self)

    def diagnosed(self, diagnostics: Iterable[Diagnostic]) -> RouteGraph:
        """The same graph with these diagnostics, by file and place."""
        by_place = sorted(diagnostics, key=lambda one: (one.file, one.line, one.column))
        return attrs.evolve(self, diagnostics=tuple(by_place))

    def errors_of(self, record: AnyRecord | ToolCommandRecord) -> tuple[Diagnostic, ...]:
        """What keeps this one from running; empty when nothing does."""
        subject: str | None = getattr(record, "id", None)
        return tuple(
            found
            for found in self.diagnostics
            if found.severity == "error"
            and (found.file == record.path if found.subject is None else found.subject == subject)
        )

    def find_command(self, name: str) -> CommandRecord | None:
        """The command of that name, `db clean-up`; the last word may be an alias."""
        commands: tuple[CommandRecord, ...] = (*self.commands, *self.tool_commands)
        for record in commands:
            if name == record.name:
                return record
        for record in commands:
            if any(name == " ".join((*record.words[:-1], alias)) for alias in record.aliases):
                return record
        return None

    def find_script(self, name: str) -> RouteRecord | None:
        """The script of that name, `clean-up`."""
        return next((record for record in self.scripts if record.name == name), None)

    def find_route(self, route_id: str) -> RouteRecord | None:
        """The route of that id, `tool:curator/audit_library`."""
        return self._by_id.get(route_id)

    def find_server(self, name: str | None = None) -> ServerRecord:
        """The server of that name.

        Args:
            name: None for the only server that there is; where there are several, the only one
                that is made of route modules.

        Raises:
            PluginError: there is none, or without a name more than one; names all there are.
        """
        if name is None:
            generated = tuple(one for one in self.servers if one.mode == "generated")
            found = self.servers if len(self.servers) == 1 else generated
        else:
            found = tuple(one for one in self.servers if one.name == name)
        if len(found) == 1:
            return found[0]
        raise PluginError(self._no_server(name))

    def find_generated_server(self, name: str | None = None) -> ServerRecord:
        """The server of that name, if its routes can be served from here.

        Raises:
            PluginError: see `find_server`; or somebody else serves it, or it has an error.
        """
        server = self.find_server(name)
        for found in self.errors_of(server):
            raise PluginError(f"{self.plugin.root}{os.sep}{found}")
        if server.mode != "generated":
            raise PluginError(
                f"the server {server.name} of {self.plugin.name} is {server.mode}: only one that is"
                f" made of routes can be served, modules like mcp/{server.name}/tools/x.py"
            )
        return server

    def _no_server(self, name: str | None) -> str:
        known = ", ".join(one.name for one in self.servers)
        if not known:
            return (
                f"{self.plugin.name} has no MCP server: expected modules like mcp/NAME/tools/x.py"
            )
        if name is None:
            return f"{self.plugin.name} has more than one MCP server, name one of {known}"
        return f"{self.plugin.name} has no MCP server {name!r:.120}; it has {known}"

    @cached_property
    def _by_id(self) -> Mapping[str, RouteRecord]:
        return {record.id: record for record in self.routes}
