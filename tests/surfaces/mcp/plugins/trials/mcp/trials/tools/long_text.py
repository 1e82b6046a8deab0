"""A text of any size."""

from trio_agent import tool


@tool()
async def long_text(text: str = "", mebibytes: int = 0) -> str:
    """Say how long it is, or be long."""
    return "x" * (mebibytes << 20) if mebibytes else str(len(text))
