"""A prompt with a choice."""

import enum

from trio_agent import Message, prompt


class Tone(enum.Enum):
    KIND = "kind"
    KEEN = "keen"
    STRICT = "strict"


@prompt(title="Review a shelf")
async def review(tone: Tone, number: int = 1) -> list[Message]:
    """Ask for a review."""
    if number == 0:
        raise LookupError("shelves are counted from one")
    return [
        Message(role="user", content=f"Review shelf {number}."),
        Message(role="assistant", content=f"In a {tone.value} tone."),
    ]
