"""The smallest tool: a string is its answer."""

from trio_agent import tool


@tool(description="Return a plain text.", read_only=True)
async def test_simple_text() -> str:
    return "This is a simple text response for testing."
