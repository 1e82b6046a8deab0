"""Says what it was given, and its type."""

from trio_agent import tool


@tool()
async def said(text: str | None = None, number: int = 0, flag: bool = False) -> dict[str, object]:
    """Repeat it."""
    return {"text": text, "number": number, "flag": flag}
