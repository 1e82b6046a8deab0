"""A tool that tells its host things."""

from trio_agent import ToolContext, tool


@tool()
async def tell(context: ToolContext) -> str:
    """Say something on every channel there is."""
    context.log("debug", "fine")
    context.log("error", {"room": 3}, logger="desk")
    context.resource_updated("desk://rooms")
    context.list_changed("tools")
    context.end_stream()
    return "told"
