"""The resource that tools say has changed."""

from trio_agent import resource


@resource(uri="desk://rooms")
async def rooms() -> list[int]:
    """Rooms that are taken."""
    return []
