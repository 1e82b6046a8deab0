"""A tuple goes in, and a tuple in an object comes out."""

import attrs

from trio_agent import tool


@attrs.frozen
class Placed:
    at: tuple[int, str]


@tool()
async def pair(at: tuple[int, str]) -> Placed:
    """Repeat it."""
    return Placed(at)
