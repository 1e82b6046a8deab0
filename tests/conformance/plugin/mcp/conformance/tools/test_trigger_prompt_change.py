"""A tool after which there are other prompts, or so it says."""

from trio_agent import ToolContext, tool


@tool(description="Announce that the list of prompts has changed.")
async def test_trigger_prompt_change(context: ToolContext) -> str:
    context.list_changed("prompts")
    return "Announced."
