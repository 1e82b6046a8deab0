"""An ordinary tool."""

from trio_agent import ToolContext, tool


@tool(description="Weigh.")
async def weigh(context: ToolContext) -> str:
    context.log("info", "weighed")
    return "12"
