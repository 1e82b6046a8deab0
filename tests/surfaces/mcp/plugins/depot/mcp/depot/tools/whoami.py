"""A tool that says what it was told about its caller."""

from trio_agent import ToolContext, tool


@tool()
async def whoami(context: ToolContext) -> dict[str, object]:
    """Show the axes of the request."""
    axes = context.axes
    return {
        "host": axes.host.to_wire(),
        "session": axes.session.to_wire(),
        "actor": axes.actor.to_wire(),
    }
