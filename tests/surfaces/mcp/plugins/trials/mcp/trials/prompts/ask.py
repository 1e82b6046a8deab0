"""A prompt that fails."""

from trio_agent import prompt


@prompt()
async def ask() -> str:
    """Fail."""
    raise ConnectionError("postgres://ops:hunter2@db.internal/prod")
