"""A server that was written by hand for the official SDK."""

import os

import mcp_types
import trio
from mcp.server.lowlevel import Server

print("printed while it is imported")

Context = object


async def list_tools(_: Context, params: object) -> mcp_types.ListToolsResult:
    schema: dict[str, object] = {"type": "object"}
    return mcp_types.ListToolsResult(
        tools=[mcp_types.Tool(name="wait", input_schema=schema, description="Wait a little.")]
    )


async def call_tool(
    _: Context, params: mcp_types.CallToolRequestParams
) -> mcp_types.CallToolResult:
    print("printed by a tool")
    seconds = (params.arguments or {}).get("seconds", 0)
    await trio.sleep(float(seconds))
    text = mcp_types.TextContent(text=os.environ["LEGACY_NAME"])
    return mcp_types.CallToolResult(content=[text])


def create_server() -> Server[dict[str, object]]:
    return Server("legacy", version="3", on_list_tools=list_tools, on_call_tool=call_tool)
