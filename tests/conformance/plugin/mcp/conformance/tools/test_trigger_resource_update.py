"""A tool that changes a resource; those who subscribed to it hear of it."""

from trio_agent import ToolContext, tool


@tool(description="Announce that the watched resource has changed.")
async def test_trigger_resource_update(context: ToolContext) -> str:
    context.resource_updated("test://watched-resource")
    return "Announced."
