"""A tool whose module cannot be imported."""

from trio_agent import tool


def connect() -> None:
    raise RuntimeError("the disk is full")


connect()


@tool()
async def broken() -> str:
    """Never loaded."""
    return ""
