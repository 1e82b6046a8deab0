"""What one server offers, as MCP lists it: tools, resources, templates and prompts.

A listing imports the modules of the routes it lists, each once and only then, because the real
types are what is published.  A route that cannot be used is left out of the listing and said on
standard error once; it never costs the others their place.

Who sees what is decided by the client's name alone (`exclude_clients`), for lists and calls
alike.  That is a choice of surface and no authorization: a client calls itself what it likes.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar, final

import attrs

from trio_agent.errors import TrioAgentError
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.names import in_words
from trio_agent.surfaces.mcp.results.policy import ToolPolicy
from trio_agent.surfaces.mcp.rpc import INVALID_PARAMS, JsonObject, RpcError
from trio_agent.surfaces.mcp.tasks.wire import TASKS_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.prompts import PromptRoute
    from trio_agent.routes.record import RouteRecord, ServerRecord
    from trio_agent.routes.resources import ResourceRoute
    from trio_agent.routes.tools import ToolRoute
    from trio_agent.surfaces.mcp.exchange import Client

_log: Final = logging.getLogger("trio_agent.mcp")


class Listed(Protocol):
    """What every kind of route says about itself."""

    @property
    def title(self) -> str | None:
        """For menus."""
        ...

    @property
    def description(self) -> str | None:
        """For models."""
        ...

    @property
    def icons(self) -> Sequence[Mapping[str, object]]:
        """As MCP writes them."""
        ...

    @property
    def meta(self) -> Mapping[str, object] | None:
        """Becomes `_meta`."""
        ...


RouteT = TypeVar("RouteT", bound=Listed)


@final
@attrs.frozen
class Entry(Generic[RouteT]):
    """A route that can be used.

    Attributes:
        record: its identity.
        route: the loaded module's.
        describe: makes the listing of it.
    """

    record: RouteRecord
    route: RouteT
    describe: Callable[[RouteRecord, RouteT], JsonObject] = attrs.field(repr=False)

    __repr__ = shown

    @cached_property
    def wire(self) -> JsonObject:
        """As it is listed; made when somebody lists it, since a call needs no schema."""
        return self.describe(self.record, self.route)


@final
class Catalog:
    """The routes of one server, loaded when they are first asked for.

    Args:
        application: loads them.
        server: whose.
    """

    def __init__(self, application: PluginApplication, server: ServerRecord) -> None:
        self._application: Final = application
        self._server: Final = server
        self._complained: Final[set[str]] = set()
        self._tools: Final[dict[str, Entry[ToolRoute]]] = {}

    def tools(self, client: Client) -> list[JsonObject]:
        """The tools that this client may see, by name."""
        found = (self._loaded(record, self._load_tool) for record in self._server.tools)
        return [
            self._wire_for(entry, client)
            for entry in found
            if entry is not None and is_visible(entry.route, client)
        ]

    def policy(self, route: ToolRoute, client: Client) -> ToolPolicy:
        """What a client gets of a tool's results."""
        return ToolPolicy.of(
            self._application.manifest.client_policy(client.name),
            client,
            structured=route.structured,
            scalar=route.scalar,
            wraps=route.wraps,
        )

    def media_policy(self, client: Client) -> ToolPolicy:
        """What a client gets of what no tool made."""
        return ToolPolicy.of(self._application.manifest.client_policy(client.name), client)

    def resources(self) -> list[JsonObject]:
        """The resources with one URI, by name."""
        return [entry.wire for entry in self._resources if not entry.route.is_template]

    def templates(self) -> list[JsonObject]:
        """The resources with a URI template, by name."""
        return [entry.wire for entry in self._resources if entry.route.is_template]

    def prompts(self) -> list[JsonObject]:
        """The prompts, by name."""
        return [entry.wire for entry in self._prompts]

    def tool_record(self, name: str, client: Client) -> RouteRecord:
        """One tool, as far as it can be known without importing it.

        Raises:
            RpcError: there is none with this name, as far as this client may know.
        """
        for record in self._server.tools:
            if record.name == name and is_visible(record, client):
                return record
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")

    def tool(self, record: RouteRecord) -> Entry[ToolRoute]:
        """One tool; imports its module, once, and no other.

        Raises:
            PluginError: it cannot be used.
        """
        return self._load_tool(record)

    def resource(self, uri: str) -> tuple[Entry[ResourceRoute], Mapping[str, str]] | None:
        """The resource that a URI names, and the variables of its template; None if none does.

        A static URI wins over every template.
        """
        for entry in sorted(self._resources, key=lambda entry: entry.route.is_template):
            variables = entry.route.match(uri)
            if variables is not None:
                return entry, variables
        return None

    def template(self, uri: str) -> Entry[ResourceRoute] | None:
        """The template that is written like this."""
        templates = (entry for entry in self._resources if entry.route.is_template)
        return next((entry for entry in templates if entry.route.uri == uri), None)

    def prompt_record(self, name: str) -> RouteRecord:
        """One prompt, as far as it can be known without importing it.

        Raises:
            RpcError: there is none with this name.
        """
        for record in self._server.prompts:
            if record.name == name:
                return record
        raise RpcError(INVALID_PARAMS, f"Unknown prompt: {name}")

    def prompt(self, record: RouteRecord) -> Entry[PromptRoute]:
        """One prompt; imports its module, once.

        Raises:
            PluginError: it cannot be used.
        """
        return self._load_prompt(record)

    def _wire_for(self, entry: Entry[ToolRoute], client: Client) -> JsonObject:
        wire, route = entry.wire, entry.route
        if "outputSchema" in wire and not self.policy(route, client).structured:
            # Clients hold the two together: no structured content, no schema for it.
            wire = {key: value for key, value in wire.items() if key != "outputSchema"}
        if route.task_support != "forbidden" and client.version_spoken == TASKS_VERSION:
            # Later revisions leave it to the server what runs as a task, earlier ones know none.
            wire = {**wire, "execution": {"taskSupport": route.task_support}}
        return wire

    @cached_property
    def _resources(self) -> tuple[Entry[ResourceRoute], ...]:
        found = (self._loaded(record, self._load_resource) for record in self._server.resources)
        return tuple(entry for entry in found if entry is not None)

    @cached_property
    def _prompts(self) -> tuple[Entry[PromptRoute], ...]:
        found = (self._loaded(record, self._load_prompt) for record in self._server.prompts)
        return tuple(entry for entry in found if entry is not None)

    def _loaded(
        self, record: RouteRecord, load: Callable[[RouteRecord], Entry[RouteT]]
    ) -> Entry[RouteT] | None:
        try:
            entry = load(record)
            _ = entry.wire
        except TrioAgentError as error:
            if record.id not in self._complained:
                self._complained.add(record.id)
                _log.warning("%s is not offered: %s", record.id, error)
            return None
        return entry

    def _load_tool(self, record: RouteRecord) -> Entry[ToolRoute]:
        entry = self._tools.get(record.id)
        if entry is None:
            route = self._application.load_tool(record)
            entry = self._tools[record.id] = Entry(record, route, _describe_tool)
        return entry

    def _load_resource(self, record: RouteRecord) -> Entry[ResourceRoute]:
        return Entry(record, self._application.load_resource(record), _describe_resource)

    def _load_prompt(self, record: RouteRecord) -> Entry[PromptRoute]:
        return Entry(record, self._application.load_prompt(record), _describe_prompt)


class Choosy(Protocol):
    """Says whom it is not for: a tool's record as well as the loaded tool."""

    @property
    def exclude_clients(self) -> tuple[str, ...]:
        """Beginnings of client names."""
        ...


def is_visible(tool: Choosy, client: Client) -> bool:
    """Whether a client of that name may see a tool."""
    name = (client.name or "").casefold()
    return not any(name.startswith(prefix.casefold()) for prefix in tool.exclude_clients)


def _describe_tool(record: RouteRecord, route: ToolRoute) -> JsonObject:
    wire = _common(record, route)
    wire["inputSchema"] = route.input_schema
    if route.output_schema is not None:
        wire["outputSchema"] = route.output_schema
    if route.annotations:
        wire["annotations"] = dict(route.annotations)
    return wire


def _describe_resource(record: RouteRecord, route: ResourceRoute) -> JsonObject:
    wire = _common(record, route)
    wire["uriTemplate" if route.is_template else "uri"] = route.uri
    if route.mime_type is not None:
        wire["mimeType"] = route.mime_type
    if route.annotations:
        wire["annotations"] = dict(route.annotations)
    if route.size is not None and not route.is_template:
        wire["size"] = route.size
    return wire


def _describe_prompt(record: RouteRecord, route: PromptRoute) -> JsonObject:
    wire = _common(record, route)
    if route.arguments:
        wire["arguments"] = [dict(argument) for argument in route.arguments]
    return wire


def _common(record: RouteRecord, route: Listed) -> JsonObject:
    # A title always: there are clients that drop what has none.
    wire: JsonObject = {"name": record.name, "title": route.title or in_words(record.name)}
    if route.description is not None:
        wire["description"] = route.description
    if route.icons:
        wire["icons"] = [dict(icon) for icon in route.icons]
    if route.meta:
        wire["_meta"] = dict(route.meta)
    return wire
