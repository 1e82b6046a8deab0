"""A resource that fails."""

from trio_agent import resource


@resource(uri="trials://closed")
async def closed() -> str:
    """Fail."""
    raise ConnectionError("postgres://ops:hunter2@db.internal/prod")
