"""A route of a plugin, found by its id, with one input: something to render.

    rendered = await render(plugin_route("curator", "tool:curator/audit_library", {"root": "x"}))

It is opened as a surface would open it: layouts around it, providers, its limits, and an input
that has to fit.  No surface takes part, so its level is `route-unit`.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, final

import attrs

from trio_agent.routes.application import PluginApplication, open_application
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.testing.proof import HarnessError, Provenance
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.pipeline.program import Program
    from trio_agent.routes.record import RouteRecord
    from trio_agent.vocabulary.identity import Identity

TestedPlugin: TypeAlias = str | Path | PluginApplication
"""A folder, the dotted name of a package, or what `open_application` made of either."""

_NO_INPUT: Final[Mapping[str, object]] = MappingProxyType({})
_RENDERED: Final = frozenset({"cli", "prompt", "resource", "tool"})
_MOST_NAMED: Final = 12
"""Routes that an error lists."""


@final
@attrs.frozen(kw_only=True, eq=False)
class PluginRoute:
    """An application that is asked for one route with one input.  Made by `plugin_route`.

    Attributes:
        application: the plugin.
        record: what is known of the route without importing it.
        value: its input, as JSON.
        provenance: what a render of it proves.
    """

    application: PluginApplication
    record: RouteRecord
    value: Mapping[str, object]
    provenance: Provenance

    __repr__ = shown

    @property
    def identity(self) -> Identity:
        """Of the plugin."""
        return self.application.identity

    @property
    def invocation(self) -> Invocation:
        """What asks for it: same id, same time, every time."""
        record = self.record
        is_command = record.kind == "cli"
        return Invocation(
            kind="cli" if is_command else "tool",
            target=record.name if is_command else record.id,
            props=Json.of(dict(self.value), "value"),
            operation_id=record.id,
            id="test",
            started_at="2000-01-01T00:00:00.000Z",
        )

    def open(self, invocation: Invocation) -> Program:
        """See `PluginApplication.open`."""
        return self.application.open(invocation)


def plugin_route(
    plugin: TestedPlugin, route_id: str, value: Mapping[str, object] = _NO_INPUT
) -> PluginRoute:
    """Find a route by its id; imports nothing of the plugin's.

    Args:
        plugin: whose.
        route_id: `tool:curator/audit_library`, `resource:...`, `prompt:...` or `cli:db/clean-up`.
        value: its input as JSON: arguments, or the variables of a resource's URI as text.

    Raises:
        HarnessError: `manifest-unavailable`, the plugin cannot be read; `route-not-found`, it
            has no such route to render, and these are those that it has.
    """
    asked = Provenance(level="route-unit", plugin=name_of(plugin), route=route_id)
    application = read_plugin(plugin, asked)
    asked = attrs.evolve(asked, plugin=application.plugin.name)
    record = application.graph.find_route(route_id)
    if record is None or record.kind not in _RENDERED:
        ids = [one.id for one in application.graph.routes if one.kind in _RENDERED]
        more = [f"and {len(ids) - _MOST_NAMED} more"] if len(ids) > _MOST_NAMED else []
        known = ", ".join(ids[:_MOST_NAMED] + more) or "none"
        message = f"{application.plugin.name} has no route {route_id!r:.120}; it has {known}"
        raise HarnessError("route-not-found", message, asked)
    return PluginRoute(application=application, record=record, value=value, provenance=asked)


def name_of(plugin: TestedPlugin) -> str:
    """How a plugin is called before it is read."""
    return plugin.plugin.name if isinstance(plugin, PluginApplication) else Path(plugin).name


def read_plugin(plugin: TestedPlugin, asked: Provenance) -> PluginApplication:
    """A plugin whose settings and routes can be read.

    Raises:
        HarnessError: `manifest-unavailable`, they cannot.
    """
    try:
        application = plugin if isinstance(plugin, PluginApplication) else open_application(plugin)
        _ = application.manifest, application.graph
    except PluginError as error:
        raise HarnessError("manifest-unavailable", str(error), asked) from error
    return application
