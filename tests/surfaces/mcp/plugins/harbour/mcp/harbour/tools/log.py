"""What became of who waited."""

from harbour.berth import LOG

from trio_agent import tool


@tool(description="Tell what became of who waited.")
async def log() -> str:
    return ", ".join(LOG)
