"""One client of one server, and what comes of its requests.

The client is the SDK's own, there for everything; the methods here are those that tests use most,
and what they give says where it comes from.  Below: `mcp_log`, `proof`.  Opened by `mcp`.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast, final

import attrs

from trio_agent.shown import shown
from trio_agent.testing.mcp_log import progress_of
from trio_agent.testing.mcp_tasks import McpTasks
from trio_agent.testing.proof import Provenance, proving

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from mcp import Client
    from mcp_types import (
        CallToolResult,
        GetPromptResult,
        Prompt,
        ReadResourceResult,
        RequestParamsMeta,
        Resource,
        ResourceTemplate,
        Result,
        Tool,
    )

    from trio_agent.surfaces.mcp.results.progress import ProgressReport
    from trio_agent.testing.mcp_log import ServerNotification

ResultT = TypeVar("ResultT", bound="Result")


@final
@attrs.frozen(kw_only=True)
class McpOutcome(Generic[ResultT]):
    """What one request came to.

    Attributes:
        result: the SDK's own type.
        progress: of this request, in order.
        notifications: everything that came meanwhile, progress included.
        provenance: what it proves.
    """

    result: ResultT
    progress: tuple[ProgressReport, ...]
    notifications: tuple[ServerNotification, ...]
    provenance: Provenance

    __repr__ = shown

    @property
    def wire(self) -> dict[str, object]:
        """The result as it was on the wire."""
        wire = self.result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return cast("dict[str, object]", wire)


@final
@attrs.frozen(kw_only=True)
class McpSurface:
    """Everything that a server lists for one client.

    Attributes:
        tools: by name.
        resources: those with one URI.
        templates: those whose URI has variables.
        prompts: by name.
        provenance: what it proves.
    """

    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...]
    templates: tuple[ResourceTemplate, ...]
    prompts: tuple[Prompt, ...]
    provenance: Provenance

    __repr__ = shown


@final
class McpSession:
    """A client that is connected to a server; made by `open_mcp_server`.

    Attributes:
        client: the SDK's.
        provenance: what it proves.
        notifications: what the server has sent beside its answers, in the order in which it
            came; grows.
        tasks: calls that go on when they have been answered.
    """

    def __init__(
        self, client: Client, provenance: Provenance, notifications: Sequence[ServerNotification]
    ) -> None:
        self.client: Final = client
        self.provenance: Final = provenance
        self.notifications: Final = notifications
        self.tasks: Final = McpTasks(client, provenance)
        self._numbers: Final = itertools.count(1)

    @property
    def progress(self) -> tuple[ProgressReport, ...]:
        """All progress so far, of all requests."""
        return progress_of(self.notifications)

    async def call_tool(
        self, name: str, arguments: Mapping[str, object] | None = None
    ) -> McpOutcome[CallToolResult]:
        """Call a tool; a tool that failed has a result with `is_error`.

        Raises:
            MCPError: the server answered with an error.
        """
        given = dict(arguments or {})
        return await self._ask(lambda meta: self.client.call_tool(name, given, meta=meta))

    async def read_resource(self, uri: str) -> McpOutcome[ReadResourceResult]:
        """Read a resource.

        Raises:
            MCPError: the server answered with an error.
        """
        return await self._ask(lambda meta: self.client.read_resource(uri, meta=meta))

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None = None
    ) -> McpOutcome[GetPromptResult]:
        """Get a prompt.

        Raises:
            MCPError: the server answered with an error.
        """
        given = dict(arguments or {})
        return await self._ask(lambda meta: self.client.get_prompt(name, given, meta=meta))

    async def list_surface(self) -> McpSurface:
        """List everything."""
        client, can = self.client, self.client.server_capabilities
        with proving(self.provenance):
            tools = (await client.list_tools()).tools if can.tools else []
            resources = (await client.list_resources()).resources if can.resources else []
            found = (await client.list_resource_templates()) if can.resources else None
            prompts = (await client.list_prompts()).prompts if can.prompts else []
        return McpSurface(
            tools=tuple(tools),
            resources=tuple(resources),
            templates=() if found is None else tuple(found.resource_templates),
            prompts=tuple(prompts),
            provenance=self.provenance,
        )

    async def _ask(
        self, send: Callable[[RequestParamsMeta], Awaitable[ResultT]]
    ) -> McpOutcome[ResultT]:
        """Send one request under a token of its own, so that it is told its progress."""
        begin, token = len(self.notifications), f"harness-{next(self._numbers)}"
        with proving(self.provenance):
            result = await send({"progress_token": token})
        since = tuple(self.notifications[begin:])
        return McpOutcome(
            result=result,
            progress=progress_of(since, token),
            notifications=since,
            provenance=self.provenance,
        )
