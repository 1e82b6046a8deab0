"""Raises something that nobody expects."""

from trio_agent import tool


@tool(description="Burst.", task_support="optional")
async def burst(text: str = "bang") -> str:
    raise RuntimeError(text)
