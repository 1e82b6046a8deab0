"""A tool that is never a task."""

from trio_agent import tool


@tool(description="Greet somebody.")
async def greet(name: str) -> str:
    return f"Hello, {name}!"
