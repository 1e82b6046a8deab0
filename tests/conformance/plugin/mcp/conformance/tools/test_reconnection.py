"""A tool that lets its client go and come back for the answer."""

import trio

from trio_agent import ToolContext, tool

PAUSE_S = 0.1


@tool(description="End the stream of the answer before there is one.")
async def test_reconnection(context: ToolContext) -> str:
    context.end_stream()
    await trio.sleep(PAUSE_S)
    return "The client came back."
