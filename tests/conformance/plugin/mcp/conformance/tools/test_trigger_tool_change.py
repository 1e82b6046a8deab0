"""A tool after which there are other tools, or so it says."""

from trio_agent import ToolContext, tool


@tool(description="Announce that the list of tools has changed.")
async def test_trigger_tool_change(context: ToolContext) -> str:
    context.list_changed("tools")
    return "Announced."
