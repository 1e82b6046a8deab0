"""A prompt that asks the user before it is written: prompts and resources may ask, too."""

import attrs

from trio_agent import ToolContext, prompt


@attrs.frozen
class Surroundings:
    context: str


@prompt(description="A prompt with a context that the user chooses.")
async def test_input_required_result_prompt(context: ToolContext) -> str:
    answer = await context.elicit(
        "What context should the prompt use?", Surroundings, key="user_context"
    )
    chosen = "any" if answer.content is None else answer.content.context
    return f"Use this context: {chosen}."
