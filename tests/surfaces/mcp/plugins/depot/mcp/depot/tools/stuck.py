"""A tool that ends only by being cancelled, and says that it was."""

import trio

from trio_agent import tool

ENDED: list[str] = []


@tool()
async def stuck() -> str:
    """Wait for ever."""
    try:
        await trio.sleep_forever()
    finally:
        ENDED.append("cancelled")
