"""A tool that shows an image."""

from trio_agent import Agent, Node, tool


@tool()
async def picture() -> Node:
    """Show a dot."""
    return Agent.Image(data="AAAA", mime_type="image/png", alt="a dot")
