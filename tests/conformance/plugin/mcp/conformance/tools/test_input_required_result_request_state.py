"""A tool whose question outlives the call: what was agreed so far travels, signed, with it."""

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Confirmation:
    ok: bool


@tool(description="Ask the user to confirm.")
async def test_input_required_result_request_state(context: ToolContext) -> str:
    answer = await context.elicit("Please confirm", Confirmation, key="confirm")
    # Only a state of our own gets here; any other is refused before the tool runs.
    return f"state-ok, {answer.action}"
