"""A tool that does not fail, to see whether the server still serves."""

from trio_agent import tool


@tool()
async def float_() -> str:
    """Stay above water."""
    return "afloat"
