"""A prompt that is one text."""

from trio_agent import prompt


@prompt()
async def plain() -> str:
    """Say hello."""
    return "Hello."
