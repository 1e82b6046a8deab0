"""A tool that lets the host's model say something."""

from trio_agent import ToolContext, tool


@tool(description="Pass a prompt on to the host's model.")
async def test_sampling(prompt: str, context: ToolContext) -> str:
    sampled = await context.sample(prompt, max_tokens=100)
    return f"LLM response: {sampled.text}"
