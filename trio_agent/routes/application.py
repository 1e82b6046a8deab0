"""A plugin as an application: what a `Runtime` runs and a surface lists.

Listing reads files and imports nothing of the author's, and no Trio either; running a command
imports the one module that declares it.  Nothing is cached on disk and nothing is watched: one
object is one look at the folder, and its identity is taken once.

Below: `discovery`, `importing`, `commands`.  Above: the surfaces and `trio_agent.invocation`,
for which this is an `Application`.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar, final

import attrs

from trio_agent.errors import ContractError, RequestError
from trio_agent.routes.discovery import discover
from trio_agent.routes.importing import import_module
from trio_agent.routes.manifest import Manifest, read_manifest
from trio_agent.routes.plugin import Plugin, PluginError, find_plugin

if TYPE_CHECKING:
    from pathlib import Path

    import trio

    from trio_agent.pipeline.program import Program
    from trio_agent.routes.commands import CommandRoute
    from trio_agent.routes.handler import Handled
    from trio_agent.routes.record import RouteGraph, RouteRecord
    from trio_agent.routes.tools import ToolRoute
    from trio_agent.vocabulary.identity import Identity
    from trio_agent.vocabulary.invocation import Invocation

RouteT = TypeVar("RouteT", bound="Handled")

_MOST_NAMED: Final = 12
"""Commands that an error lists; help lists the others."""


@final
@attrs.frozen(eq=False)
class PluginApplication:
    """One plugin, ready to be listed and run.

    Attributes:
        plugin: where it is.
        thread_limiter: bounds the worker threads of `def` handlers; by default the limiter of
            the Trio run, which bounds all of its worker threads together.
    """

    plugin: Plugin
    thread_limiter: trio.CapacityLimiter | None = attrs.field(default=None, kw_only=True)

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
        return discover(self.plugin, self.manifest)

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

    def commands(self) -> tuple[RouteRecord, ...]:
        """The commands by their words; imports nothing of the plugin's."""
        return self.graph.commands

    def load(self, record: RouteRecord) -> CommandRoute:
        """Import the module of one command, and only that one.

        Raises:
            PluginError: `plugin.toml` or the route has an error, its module raises, or its
                handler's parameters or return annotation cannot be used; one line with the place.
        """
        # lazy: a list of commands needs neither Trio nor the machinery of handlers.
        from trio_agent.routes.commands import CommandRoute  # noqa: PLC0415

        return self._load(record, CommandRoute, "command")

    def load_tool(self, record: RouteRecord) -> ToolRoute:
        """Import the module of one tool: see `load`."""
        # lazy: as in `load`; and who serves commands needs no tools.
        from trio_agent.routes.tools import ToolRoute  # noqa: PLC0415

        return self._load(record, ToolRoute, "tool")

    def _load(self, record: RouteRecord, kind: type[RouteT], decorator: str) -> RouteT:
        # A misspelt key would otherwise be noticed only by who asks for help.
        _ = self.manifest
        for found in self.graph.errors_of(record):
            raise PluginError(f"{self.plugin.root}{os.sep}{found}")
        module = import_module(self.plugin, record.module)
        route: object = getattr(module, record.handler or "", None)
        place = f"{self.plugin.root / record.path}:{record.line}"
        if not isinstance(route, kind):
            raise PluginError(
                f"{place}: {record.handler} is no longer a {decorator} when the module has run:"
                f" @{decorator} has to be the outermost decorator, and the name has to stay"
            )
        try:
            route.check()
        except (PluginError, ContractError) as error:
            raise PluginError(f"{place}: {error}") from error
        return route

    def open(self, invocation: Invocation) -> Program:
        """What to render for an invocation of the kind `cli`.

        Args:
            invocation: its target is what a person types, `db clean-up`, its props are the
                input as JSON.

        Raises:
            RequestError: `invalid-invocation`, another kind or an unknown command.
            PluginError: see `load`.
            SchemaError: the input does not fit; it has every issue.
        """
        # lazy: a list of commands imports no Trio.
        from trio_agent.pipeline.program import Program  # noqa: PLC0415

        route = self.load(self._find(invocation))
        return Program(
            root=route.element(
                route.structure(invocation.props.value), limiter=self.thread_limiter
            ),
            check_value=route.check_value,
            limits=route.limits,
        )

    def _find(self, invocation: Invocation) -> RouteRecord:
        if invocation.kind != "cli":
            raise RequestError(
                "invalid-invocation",
                f"{self.plugin.name} has commands only, received an invocation of the kind"
                f" {invocation.kind}",
            )
        record = self.graph.find_command(invocation.target)
        if record is None:
            names = [known.name for known in self.commands()]
            more = [] if len(names) <= _MOST_NAMED else [f"and {len(names) - _MOST_NAMED} more"]
            known = ", ".join(names[:_MOST_NAMED] + more) or "none"
            raise RequestError(
                "invalid-invocation",
                f"{self.plugin.name} has no command {invocation.target!r:.120}; it has {known}",
            )
        return record


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
