"""A tool that asks the host's model, and where the host works."""

from trio_agent import ToolContext, tool


@tool()
async def think(context: ToolContext) -> str:
    """Ask the model about the host's directories."""
    roots = await context.roots()
    sampled = await context.sample(f"{len(roots)} roots", max_tokens=10)
    return sampled.text
