"""A prompt with arguments."""

from typing import Annotated

from trio_agent import Description, prompt


@prompt(description="A prompt with two arguments.")
async def test_prompt_with_arguments(
    arg1: Annotated[str, Description("First test argument")],
    arg2: Annotated[str, Description("Second test argument")],
) -> str:
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
