"""Takes a moment."""

import trio

from trio_agent import tool

COUNT = [0]


@tool()
async def brief(seconds: float = 0.2) -> int:
    """Wait, and count the runs."""
    COUNT[0] += 1
    await trio.sleep(seconds)
    return COUNT[0]
