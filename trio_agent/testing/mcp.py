"""Testing an MCP server: a real client and a real server, joined in memory.

    async with open_mcp_server("curator") as session:
        outcome = await session.call_tool("audit_library", {"root": "music"})
        assert outcome.result.structured_content == {...}

The server is the one that is served over stdio, from its framing to the plugin's routes; the
client is the official SDK's.  What a pipe and a process would add is missing: that is the level
`mcp-in-memory`.  The SDK is imported when a server is opened, which takes over a second once.

Nothing here reads the environment or `.env` files.  A plugin that was opened stays importable in
this process, so that what a test imports of it is the same as what is served.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Unpack

import attrs

from trio_agent.pipeline.author import iterate_leaves
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.testing.mcp_options import DEFAULT_VERSION, McpOptions
from trio_agent.testing.mcp_session import McpOutcome, McpSession, McpSurface
from trio_agent.testing.plugin_route import name_of, read_plugin
from trio_agent.testing.proof import HarnessError, Provenance, note_proof

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mcp_types import CallToolResult, GetPromptResult, ReadResourceResult

    from trio_agent.surfaces.mcp.exchange import Audience
    from trio_agent.testing.mcp_log import ServerNotification
    from trio_agent.testing.plugin_route import TestedPlugin


@asynccontextmanager
async def open_mcp_server(
    plugin: TestedPlugin, **options: Unpack[McpOptions]
) -> AsyncGenerator[McpSession, None]:
    """Serve one server of a plugin to one client, for a block.

    What the block raises comes out as it is, with the level of proof as a note.  Calls that are
    still running when the block is left are cancelled.

    Args:
        plugin: what is served.
        **options: which server, what the client is like, and what it answers.

    Raises:
        HarnessError: `manifest-unavailable`, the plugin cannot be read; `server-not-found`, it
            has no server of that name, or more than one and none was named.
    """
    # lazy: it imports the SDK, which takes over a second.
    from trio_agent.testing.mcp_client import open_client  # noqa: PLC0415

    service, provenance = _open(plugin, options)
    log: list[ServerNotification] = []
    raised: Exception | None = None

    def converse(audience: Audience) -> McpConversation:
        return McpConversation(
            service,
            transport="memory",
            audience=audience,
            on_handshake=lambda: service.changes.join(audience),
        )

    try:
        async with open_client(converse, options, log) as client:
            try:
                yield McpSession(client, provenance, log)
            except Exception as error:
                raised = error
                raise
    except Exception as error:
        # The SDK and we keep tasks around the block, and a nursery raises groups.
        if raised is None or not _is_nothing_but(error, raised):
            note_proof(error, provenance)
            raise
    if raised is not None:
        note_proof(raised, provenance)
        raise raised


async def invoke_mcp_tool(
    plugin: TestedPlugin,
    name: str,
    arguments: Mapping[str, object] | None = None,
    **options: Unpack[McpOptions],
) -> McpOutcome[CallToolResult]:
    """Call one tool of a server that is opened for it; see `open_mcp_server`.

    Raises:
        HarnessError: see there.
        MCPError: the server answered with an error.
    """
    async with open_mcp_server(plugin, **options) as session:
        return await session.call_tool(name, arguments)


async def read_mcp_resource(
    plugin: TestedPlugin, uri: str, **options: Unpack[McpOptions]
) -> McpOutcome[ReadResourceResult]:
    """Read one resource of a server that is opened for it; see `open_mcp_server`.

    Raises:
        HarnessError: see there.
        MCPError: the server answered with an error.
    """
    async with open_mcp_server(plugin, **options) as session:
        return await session.read_resource(uri)


async def get_mcp_prompt(
    plugin: TestedPlugin,
    name: str,
    arguments: Mapping[str, str] | None = None,
    **options: Unpack[McpOptions],
) -> McpOutcome[GetPromptResult]:
    """Get one prompt of a server that is opened for it; see `open_mcp_server`.

    Raises:
        HarnessError: see there.
        MCPError: the server answered with an error.
    """
    async with open_mcp_server(plugin, **options) as session:
        return await session.get_prompt(name, arguments)


async def list_mcp_surface(plugin: TestedPlugin, **options: Unpack[McpOptions]) -> McpSurface:
    """Everything that a server, which is opened for it, lists; see `open_mcp_server`.

    Raises:
        HarnessError: see there.
    """
    async with open_mcp_server(plugin, **options) as session:
        return await session.list_surface()


def _open(plugin: TestedPlugin, options: McpOptions) -> tuple[McpService, Provenance]:
    asked = Provenance(
        level="mcp-in-memory",
        plugin=name_of(plugin),
        server=options.get("server"),
        version=options.get("version", DEFAULT_VERSION),
    )
    application = read_plugin(plugin, asked)
    try:
        record = application.graph.find_generated_server(options.get("server"))
    except PluginError as error:
        raise HarnessError("server-not-found", str(error), asked) from error
    service = McpService(
        application,
        record,
        limits=options.get("limits"),
        providers=options.get("providers"),
        tasks=options.get("tasks"),
    )
    return service, attrs.evolve(asked, plugin=application.plugin.name, server=record.name)


def _is_nothing_but(error: Exception, raised: Exception) -> bool:
    """Whether *error* is *raised*, or made of groups around it and of nothing else."""
    # Groups are taken apart and put together on the way; what is in them stays what it is.
    return {*map(id, iterate_leaves(error))} == {*map(id, iterate_leaves(raised))}
