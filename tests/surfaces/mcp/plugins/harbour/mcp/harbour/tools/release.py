"""Releases who waits."""

from harbour.berth import RELEASED

from trio_agent import tool


@tool(description="Release everybody.")
async def release() -> str:
    RELEASED.set()
    return "released"
