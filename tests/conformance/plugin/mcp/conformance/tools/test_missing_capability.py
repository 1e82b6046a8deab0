"""A tool that cannot do without the host's model: a client that has none is told so."""

from trio_agent import ToolContext, tool


@tool(description="Ask the host's model for a greeting.")
async def test_missing_capability(context: ToolContext) -> str:
    sampled = await context.sample("Say hello.", max_tokens=10)
    return sampled.text
