"""Needs a client that can be asked for directories."""

from trio_agent import ToolContext, tool


@tool(description="Look around.", task_support="optional")
async def look_around(context: ToolContext) -> str:
    return ", ".join(root.uri for root in await context.roots())
