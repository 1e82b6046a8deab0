"""A tool that reports progress and asks the user.

Clients of 2026-07-28 get the question as the answer, and call again with what the user said; what
stands before the question runs again then.
"""

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Consent:
    agreed: bool


@tool(description="Work for a moment, then ask the user for consent.")
async def test_streaming_elicitation(context: ToolContext) -> str:
    context.progress.report(1, total=2, message="prepared")
    answer = await context.elicit("May it go on?", Consent)
    return f"User response: action={answer.action}"
