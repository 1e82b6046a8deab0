"""Says who asks."""

from trio_agent import ToolContext, tool


@tool(description="Tell who asks, as far as that is known.")
async def who(context: ToolContext) -> dict[str, object]:
    axes = context.axes
    return {"actor": axes.actor.to_wire(), "session": axes.session.to_wire()}
