"""A tool that asks the host's model one thing."""

from trio_agent import ToolContext, tool


@tool(description="Ask the host's model for a capital.")
async def test_input_required_result_sampling(context: ToolContext) -> str:
    sampled = await context.sample(
        "What is the capital of France?", max_tokens=100, key="capital_question"
    )
    return sampled.text
