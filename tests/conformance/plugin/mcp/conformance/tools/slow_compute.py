"""A tool that may be a task, and takes as long as it is told to."""

import trio

from trio_agent import tool


@tool(description="Compute slowly.", task_support="optional")
async def slow_compute(seconds: float = 0, label: str = "") -> str:
    await trio.sleep(seconds)
    return f"computed {label}"
