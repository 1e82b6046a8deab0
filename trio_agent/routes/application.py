"""A plugin as an application: what a `Runtime` runs and a surface lists.

Listing reads files and imports nothing of the author's, and no Trio either; running a route
imports the one module that declares it, and those of the layouts around it.  Nothing is cached on disk and nothing is watched: one
object is one look at the folder, and its identity is taken once.

Below: `discovery`, `importing`, and one module for each kind of route.  Above: the surfaces and `trio_agent.invocation`,
for which this is an `Application`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar, final

import attrs

from trio_agent.errors import ContractError
from trio_agent.routes.discovery import discover, discover_command
from trio_agent.routes.importing import import_module
from trio_agent.routes.layout_cache import Layouts
from trio_agent.routes.manifest import Manifest, read_manifest
from trio_agent.routes.plugin import Plugin, PluginError, find_plugin
from trio_agent.routes.targets import find_target, refuse_broken
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import trio

    from trio_agent.pipeline.program import Program
    from trio_agent.routes.commands import CommandRoute
    from trio_agent.routes.graph import RouteGraph
    from trio_agent.routes.handler import Handled
    from trio_agent.routes.layouts import LayoutRoute
    from trio_agent.routes.projections import CommandRecord, ToolCommandRecord
    from trio_agent.routes.prompts import PromptRoute
    from trio_agent.routes.providers import PluginProviders, ProviderRoute
    from trio_agent.routes.record import (
        LayoutRecord,
        ProjectionRecord,
        ProviderRecord,
        RouteKind,
        RouteRecord,
    )
    from trio_agent.routes.resources import ResourceRoute
    from trio_agent.routes.scripts import ScriptRoute
    from trio_agent.routes.tool_commands import ToolCommand
    from trio_agent.routes.tools import ToolRoute
    from trio_agent.vocabulary.identity import Identity
    from trio_agent.vocabulary.invocation import Invocation

Declared: TypeAlias = "RouteRecord | LayoutRecord | ProviderRecord | ProjectionRecord"
MadeT = TypeVar("MadeT")
RouteT = TypeVar("RouteT", bound="Handled")


@final
@attrs.frozen(eq=False)
class PluginApplication:
    """One plugin, ready to be listed and run.

    Attributes:
        plugin: where it is.
        thread_limiter: bounds the worker threads of `def` handlers; by default the limiter of
            the Trio run, which bounds all of its worker threads together.
        part: of the graph, for who needs no more; None for all of it.
    """

    plugin: Plugin
    thread_limiter: trio.CapacityLimiter | None = attrs.field(default=None, kw_only=True)
    part: RouteGraph | None = attrs.field(default=None, kw_only=True, repr=False)
    _loaded: dict[str, Handled] = attrs.field(factory=dict[str, "Handled"], init=False, repr=False)

    __repr__ = shown

    @cached_property
    def manifest(self) -> Manifest:
        """What the plugin says about itself.

        Raises:
            PluginError: `plugin.toml` is not valid.
        """
        return read_manifest(self.plugin)

    @cached_property
    def graph(self) -> RouteGraph:
        """Every route, and what is wrong with them.

        Raises:
            PluginError: a folder or a file cannot be read.
        """
        return discover(self.plugin, self.manifest) if self.part is None else self.part

    def narrowed(self, words: Sequence[str]) -> PluginApplication:
        """The same plugin with no more than the command that *words* begin with, if they do.

        Raises:
            PluginError: `plugin.toml` is not valid, or a file cannot be read.
        """
        part = discover_command(self.plugin, self.manifest, words)
        return self if part is None else attrs.evolve(self, part=part)

    @property
    def identity(self) -> Identity:
        """Which build this is; hashes the plugin's files when first asked for.

        Raises:
            PluginError: a file cannot be read.
        """
        return self._identity

    @cached_property
    def _identity(self) -> Identity:
        # lazy: help compares no builds, so it does not import hashlib.
        from trio_agent.routes.epoch import read_identity  # noqa: PLC0415

        return read_identity(self.plugin)

    def commands(self) -> tuple[CommandRecord, ...]:
        """The commands by their words, then the tools that are commands, too, by theirs.

        Imports nothing of the plugin's.
        """
        return (*self.graph.commands, *self.graph.tool_commands)

    def load(self, record: RouteRecord) -> CommandRoute:
        """Import the module of one command, and only that one.

        Raises:
            PluginError: `plugin.toml` or the route has an error, its module raises, or its
                handler's parameters or return annotation cannot be used; one line with the place.
        """
        # lazy: a list of commands needs neither Trio nor the machinery of handlers.
        from trio_agent.routes.commands import CommandRoute  # noqa: PLC0415

        return self._load_route(record, CommandRoute, "command")

    def load_tool(self, record: RouteRecord) -> ToolRoute:
        """Import the module of one tool.

        Raises:
            PluginError: see `load`.
        """
        # lazy: as in `load`; and whoever runs commands needs no tools.
        from trio_agent.routes.tools import ToolRoute  # noqa: PLC0415

        return self._load_route(record, ToolRoute, "tool")

    def load_tool_command(self, record: ToolCommandRecord) -> tuple[ToolRoute, ToolCommand | None]:
        """Import the module of a tool that is run as a command, and the one that says how.

        Returns:
            The tool; and what its projection says, None for a tool that has none.

        Raises:
            PluginError: see `load`; or the projection does not fit the tool.
        """
        refuse_broken(self.graph, record)
        route = self.load_tool(record.tool)
        if record.projection is None:
            return route, None
        command = self.load_projection(record.projection)
        try:
            command.check(route.signature.input_type)
        except PluginError as error:
            raise PluginError(f"{self._place(record.projection)}: {error}") from error
        return route, command

    def load_projection(self, record: ProjectionRecord) -> ToolCommand:
        """Import the module that says how a tool looks as a command, and not the tool.

        Raises:
            PluginError: see `load`.
        """
        # lazy: as in `load_tool`.
        from trio_agent.routes.tool_commands import ToolCommand  # noqa: PLC0415

        return self._import(record, ToolCommand, "tool_command")

    def load_resource(self, record: RouteRecord) -> ResourceRoute:
        """Import the module of one resource.

        Raises:
            PluginError: see `load`; or the variables of the URI are not the parameters.
        """
        # lazy: as in `load_tool`.
        from trio_agent.routes.resources import ResourceRoute  # noqa: PLC0415

        return self._load_route(record, ResourceRoute, "resource")

    def load_prompt(self, record: RouteRecord) -> PromptRoute:
        """Import the module of one prompt.

        Raises:
            PluginError: see `load`; or an argument cannot be given as text.
        """
        # lazy: as in `load_tool`.
        from trio_agent.routes.prompts import PromptRoute  # noqa: PLC0415

        return self._load_route(record, PromptRoute, "prompt")

    def load_script(self, record: RouteRecord) -> ScriptRoute:
        """Import the module of one rendered script.

        Raises:
            PluginError: see `load`; or it is a program of its own, which renders nothing.
        """
        # lazy: as in `load_tool`.
        from trio_agent.routes.scripts import ScriptRoute  # noqa: PLC0415

        if record.script in {"plain", "shell"}:
            raise PluginError(
                f"{self._place(record)}: is a program of its own, which is started and not"
                " rendered; a module that declares @script would be"
            )
        return self._load_route(record, ScriptRoute, "script")

    def _load_route(self, record: RouteRecord, kind: type[RouteT], decorator: str) -> RouteT:
        known = self._loaded.get(record.id)
        if isinstance(known, kind):
            # Whether a name is still the plugin's is asked of the file system: not at every call.
            return known
        route = self._import(record, kind, decorator)
        try:
            route.check()
        except (PluginError, ContractError) as error:
            raise PluginError(f"{self._place(record)}: {error}") from error
        self._loaded[record.id] = route
        return route

    def _import(self, record: Declared, kind: type[MadeT], decorator: str) -> MadeT:
        # A misspelt key would otherwise be noticed only by who asks for help.
        _ = self.manifest
        refuse_broken(self.graph, record)
        module = import_module(self.plugin, record.module)
        made: object = getattr(module, record.handler or "", None)
        if not isinstance(made, kind):
            raise PluginError(
                f"{self._place(record)}: {record.handler} is no longer a {decorator} when the"
                f" module has run: @{decorator} has to be the outermost decorator, and the name"
                " has to stay"
            )
        return made

    def _place(self, record: Declared) -> str:
        return f"{self.plugin.root / record.path}:{record.line}"

    def open(self, invocation: Invocation) -> Program:
        """What to render for an invocation of the kind `cli`, `script` or `tool`.

        Args:
            invocation: its target is, of the kind `cli`, what a person types, `db clean-up` (the
                words of a tool that is a command, too, run the tool); of the kind `script` its
                name; of the kind `tool` a route id, `tool:curator/audit_library`, `resource:...`
                or `prompt:...`.  Its props are the input as JSON: of a resource what
                `ResourceRoute.match` tells, of a prompt its arguments, of a script
                `{"argv": [...]}` or nothing.

        Raises:
            RequestError: `invalid-invocation`, another kind or an unknown target.
            PluginError: see `load`; or a layout around the route is broken.
            SchemaError: the input does not fit; it has every issue.
        """
        # lazy: a list of commands imports no Trio.
        from trio_agent.pipeline.program import Program  # noqa: PLC0415

        record = find_target(self.graph, invocation)
        route = self._loaders[record.kind](record)
        layouts = self._layouts.around(record, route)
        return Program(
            root=route.element(
                route.structure(invocation.props.value),
                limiter=self.thread_limiter,
                layouts=layouts,
            ),
            check_value=route.check_value,
            limits=route.limits if layouts is None else layouts.limits_of(route.limits),
            providers=self.providers,
        )

    @cached_property
    def providers(self) -> PluginProviders | None:
        """The providers, none of them imported; None when there is none."""
        if not self.graph.providers:
            return None
        # lazy: most plugins have none.
        from trio_agent.routes.providers import PluginProviders  # noqa: PLC0415

        return PluginProviders(self.graph.providers, self.load_provider)

    def load_provider(self, record: ProviderRecord) -> ProviderRoute:
        """Import the module of one provider.

        Raises:
            PluginError: see `load`.
        """
        # lazy: as above.
        from trio_agent.routes.providers import ProviderRoute  # noqa: PLC0415

        return self._import(record, ProviderRoute, "provider")

    @property
    def _loaders(self) -> Mapping[RouteKind, Callable[[RouteRecord], Handled]]:
        return {
            "cli": self.load,
            "script": self.load_script,
            "tool": self.load_tool,
            "resource": self.load_resource,
            "prompt": self.load_prompt,
        }

    @cached_property
    def _layouts(self) -> Layouts:
        return Layouts(self.graph.layouts, self._import_layout)

    def _import_layout(self, record: LayoutRecord) -> LayoutRoute:
        # lazy: most plugins have no layouts.
        from trio_agent.routes.layouts import LayoutRoute  # noqa: PLC0415

        return self._import(record, LayoutRoute, "layout")


def open_application(reference: str | Path) -> PluginApplication:
    """Find a plugin and read its settings and routes; import nothing.

    Args:
        reference: a folder, or the dotted name of a package; see `find_plugin`.

    Raises:
        PluginError: the plugin cannot be found or read; one line with the place.
    """
    application = PluginApplication(find_plugin(reference))
    _ = application.manifest, application.graph
    return application
