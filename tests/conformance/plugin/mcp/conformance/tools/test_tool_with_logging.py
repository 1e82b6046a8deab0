"""A tool that writes to the log of the host."""

import trio

from trio_agent import ToolContext, tool

PAUSE_S = 0.05


@tool(description="Work for a moment, and log what happens.")
async def test_tool_with_logging(context: ToolContext) -> str:
    context.log("info", "Tool execution started")
    await trio.sleep(PAUSE_S)
    context.log("info", "Tool processing data")
    await trio.sleep(PAUSE_S)
    context.log("info", "Tool execution completed")
    return "All logged."
