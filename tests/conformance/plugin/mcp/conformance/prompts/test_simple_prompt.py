"""The smallest prompt: a string is one message of the user."""

from trio_agent import prompt


@prompt(description="A prompt without arguments.")
async def test_simple_prompt() -> str:
    return "This is a simple prompt for testing."
