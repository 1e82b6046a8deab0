"""A tool that a client with a forged state never reaches for the second time."""

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Confirmation:
    ok: bool


@tool(description="Ask the user to confirm; a state that was tampered with is refused.")
async def test_input_required_result_tampered_state(context: ToolContext) -> str:
    answer = await context.elicit("Please confirm", Confirmation, key="confirm")
    return f"User response: action={answer.action}"
