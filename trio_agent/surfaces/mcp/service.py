"""The MCP service: what one server of a plugin answers, whatever the transport and the era.

    tools/list       tools/call        prompts/list   prompts/get
    resources/list   resources/templates/list         resources/read
    resources/subscribe   resources/unsubscribe       subscriptions/listen
    completion/complete   logging/setLevel
    tasks/get   tasks/cancel   tasks/result   tasks/list   tasks/update

A request comes in as a method and its parameters in plain dicts, and an `Exchange`; a dict goes
out.  Which revision wants what around it is `envelope`'s; who may see which tool is `catalog`'s;
how a route is rendered and what becomes of its failures is `rendering`'s.

Methods of capabilities that the server does not have are unknown: a server without prompts has no
`prompts/list`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.errors import TrioAgentError
from trio_agent.invocation import Runtime
from trio_agent.routes.manifest import version_of
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.catalog import Catalog
from trio_agent.surfaces.mcp.completion import complete
from trio_agent.surfaces.mcp.envelope import LOG_LEVELS
from trio_agent.surfaces.mcp.exchange import MODERN_VERSIONS
from trio_agent.surfaces.mcp.names import in_words
from trio_agent.surfaces.mcp.pages import AppPages
from trio_agent.surfaces.mcp.rendering import RouteRendering
from trio_agent.surfaces.mcp.rpc import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    JsonObject,
    RpcError,
)
from trio_agent.surfaces.mcp.subscriptions import ChangeHub
from trio_agent.surfaces.mcp.tasks.office import TaskOffice, terms_of
from trio_agent.surfaces.mcp.tasks.wire import CAPABILITY, EXTENSION, TASKS_VERSION

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from trio_agent.context.roots import Roots
    from trio_agent.limits import Limits
    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.record import RouteRecord, ServerRecord
    from trio_agent.surfaces.mcp.exchange import Client, Exchange
    from trio_agent.surfaces.mcp.tasks.run import TaskLink
    from trio_agent.surfaces.mcp.tasks.settings import TaskSettings

    Handler = Callable[[JsonObject, Exchange], Awaitable[JsonObject]]

TASK_TOOLS: Final = frozenset({"optional", "required"})
"""What a tool says that may run as a task."""


@final
class McpService:
    """One server of a plugin.  Holds the routes it has loaded; any number of connections use it.

    Args:
        application: the plugin.
        server: which of its servers.
        limits: of its runtime; the defaults if None.
        roots: of the plugin; None where nobody decided them.
        providers: finished values by key, instead of all that the plugin has; for tests.
        tasks: how many calls may run as tasks, and where those are kept.

    Attributes:
        changes: carries news to connections.
        tasks: the calls that run as tasks; None when no tool may.
    """

    def __init__(
        self,
        application: PluginApplication,
        server: ServerRecord,
        *,
        limits: Limits | None = None,
        roots: Roots | None = None,
        providers: Mapping[str, object] | None = None,
        tasks: TaskSettings | None = None,
    ) -> None:
        self._application: Final = application
        self._server: Final = server
        self._catalog: Final = Catalog(application, server)
        self._pages: Final = AppPages(application.plugin.root, server.apps)
        self.changes: Final = ChangeHub()
        self.tasks: Final = (
            TaskOffice(server.name, tasks)
            if any(tool.task_support in TASK_TOOLS for tool in server.tools)
            else None
        )
        self._rendering: Final = RouteRendering(
            application,
            self._catalog,
            self.changes,
            Runtime(application, limits=limits, providers=providers),
            roots=roots,
        )
        handlers: dict[str, Handler] = {"logging/setLevel": self._set_level}
        if server.tools:
            handlers |= {"tools/list": self._list_tools, "tools/call": self._call_tool}
        if self.tasks is not None:
            handlers |= self.tasks.handlers
        if server.resources or self._pages:
            handlers |= {
                "resources/list": self._list_resources,
                "resources/templates/list": self._list_templates,
                "resources/read": self._read_resource,
                "resources/subscribe": self._subscribe,
                "resources/unsubscribe": self._unsubscribe,
            }
        if server.prompts:
            handlers |= {"prompts/list": self._list_prompts, "prompts/get": self._get_prompt}
        if server.prompts or server.resources:
            handlers["completion/complete"] = self._complete
        handlers["subscriptions/listen"] = self.changes.listen
        self._handlers: Final = handlers
        self.methods: Final = frozenset(handlers)

    @property
    def name(self) -> str:
        """The server's."""
        return self._server.name

    @cached_property
    def server_info(self) -> JsonObject:
        """`serverInfo`; the version is empty when nobody says one."""
        manifest = self._application.manifest
        version = version_of(self._application.plugin, manifest)
        info: JsonObject = {"name": self._server.name, "version": version or ""}
        info["title"] = in_words(self._server.name)
        if manifest.description is not None:
            info["description"] = manifest.description
        return info

    def introduction(self, version: str, /) -> JsonObject:
        """What the server says of itself to a client of one revision: tasks are not for all."""
        capabilities = dict(self._capabilities)
        if self.tasks is not None and version == TASKS_VERSION:
            capabilities["tasks"] = CAPABILITY
        elif self.tasks is not None and version in MODERN_VERSIONS:
            capabilities["extensions"] = {EXTENSION: {}}
        ordered = dict(sorted(capabilities.items()))
        return {"capabilities": ordered, "serverInfo": dict(self.server_info)}

    @cached_property
    def _capabilities(self) -> JsonObject:
        capabilities: JsonObject = {}
        if self._server.tools:
            capabilities["tools"] = {"listChanged": True}
        if self._server.resources or self._pages:
            capabilities["resources"] = {"listChanged": True, "subscribe": True}
        if self._server.prompts:
            capabilities["prompts"] = {"listChanged": True}
        if "completion/complete" in self._handlers:
            capabilities["completions"] = {}
        capabilities["logging"] = {}
        return capabilities

    async def handle(self, method: str, params: JsonObject, exchange: Exchange) -> JsonObject:
        """Answer one request.

        Cancelling it cancels the component, its deferred work, its threads (as a flag) and its
        child processes.

        Raises:
            RpcError: it is answered with an error.
        """
        handler = self._handlers.get(method)
        if handler is None:
            raise RpcError(METHOD_NOT_FOUND, "Method not found", method)
        return await handler(params, exchange)

    async def _list_tools(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        _refuse_cursor(params)
        return {"tools": self._catalog.tools(exchange.client)}

    async def _call_tool(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        name = _text(params, "name")
        arguments = _object(params, "arguments")
        record = self._catalog.tool_record(name, exchange.client)
        call = _ToolCall(self._catalog, self._rendering, record, arguments, params)
        terms = None if self.tasks is None else terms_of(record, params, exchange.client)
        if self.tasks is None or terms is None:
            return await call.answer(exchange)
        return await self.tasks.create(record, terms, call.answer, exchange)

    async def _list_resources(self, params: JsonObject, _: Exchange) -> JsonObject:
        _refuse_cursor(params)
        return {"resources": [*self._catalog.resources(), *self._pages.listed()]}

    async def _list_templates(self, params: JsonObject, _: Exchange) -> JsonObject:
        _refuse_cursor(params)
        return {"resourceTemplates": self._catalog.templates()}

    async def _read_resource(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        uri = _text(params, "uri")
        if (page := self._pages.find(uri)) is not None:
            return await self._pages.read(page)
        found = self._catalog.resource(uri)
        if found is None:
            raise _no_resource(uri, exchange.client)
        entry, variables = found
        return await self._rendering.read_resource(entry, uri, variables, params, exchange)

    async def _subscribe(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        self.changes.subscribe(_text(params, "uri"), exchange)
        return {}

    async def _unsubscribe(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        self.changes.unsubscribe(_text(params, "uri"), exchange)
        return {}

    async def _list_prompts(self, params: JsonObject, _: Exchange) -> JsonObject:
        _refuse_cursor(params)
        return {"prompts": self._catalog.prompts()}

    async def _get_prompt(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        record = self._catalog.prompt_record(_text(params, "name"))
        arguments = _object(params, "arguments")
        try:
            entry = self._catalog.prompt(record)
        except TrioAgentError as error:
            raise self._rendering.failed_request(record, error, exchange) from error
        return await self._rendering.get_prompt(entry, arguments, params, exchange)

    async def _complete(self, params: JsonObject, _: Exchange) -> JsonObject:
        return complete(self._catalog, params)

    async def _set_level(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        level = _text(params, "level")
        if level not in LOG_LEVELS:
            raise RpcError(INVALID_PARAMS, f"level is one of {', '.join(LOG_LEVELS)}")
        exchange.set_log_level(level)
        return {}


@final
@attrs.frozen
class _ToolCall:
    """One `tools/call`, to be answered now or as a task."""

    catalog: Catalog
    rendering: RouteRendering
    record: RouteRecord
    arguments: JsonObject
    params: JsonObject

    __repr__ = shown

    async def answer(self, exchange: Exchange, task: TaskLink | None = None) -> JsonObject:
        try:
            entry = self.catalog.tool(self.record)
        except TrioAgentError as error:
            return self.rendering.failed_tool(self.record, error, exchange)
        return await self.rendering.call_tool(entry, self.arguments, self.params, exchange, task)


def _text(params: JsonObject, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise RpcError(INVALID_PARAMS, f"{name} is a string")
    return value


def _object(params: JsonObject, name: str) -> JsonObject:
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RpcError(INVALID_PARAMS, f"{name} is an object")
    return cast("JsonObject", value)


def _refuse_cursor(params: JsonObject) -> None:
    """Lists come in one page, so every cursor is somebody else's."""
    if params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "cursor: this list has one page")


def _no_resource(uri: str, client: Client) -> RpcError:
    code = INVALID_PARAMS if client.is_modern else RESOURCE_NOT_FOUND
    return RpcError(code, "Resource not found", {"uri": uri})
