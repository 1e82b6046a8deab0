"""The smallest tool: plain data in and out."""

from trio_agent import tool


@tool(description="Add two numbers.", read_only=True)
async def add(a: int, b: int = 0) -> int:
    return a + b
