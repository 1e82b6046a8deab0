"""A tool that says how far it is; without a client that wants to know, nothing is sent."""

import trio

from trio_agent import ToolContext, tool

PAUSE_S = 0.06
"""More than the 50 ms that lie between two notifications at least."""


@tool(description="Work for a moment, and report progress.")
async def test_tool_with_progress(context: ToolContext) -> str:
    for percent in (0, 50, 100):
        context.progress.report(percent, total=100, message=f"{percent} % done")
        await trio.sleep(PAUSE_S)
    return "All done."
