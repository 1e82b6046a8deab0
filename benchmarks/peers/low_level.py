"""A bare server: the official SDK's low-level `Server` on its own stdio.

python low_level.py [trio|asyncio]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

_ADD: Final = types.Tool(
    name="add",
    description="Add two numbers.",
    input_schema={
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
)


async def _list_tools(
    _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_ADD])


async def _call_tool(
    _context: ServerRequestContext, params: types.CallToolRequestParams
) -> types.CallToolResult:
    arguments = params.arguments or {}
    text = str(arguments["a"] + arguments["b"])
    return types.CallToolResult(content=[types.TextContent(text=text)])


async def _serve() -> None:
    server = Server("bench", version="1", on_list_tools=_list_tools, on_call_tool=_call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve, backend=sys.argv[1] if len(sys.argv) > 1 else "trio")
