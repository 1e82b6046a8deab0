"""A tool whose form is filled in beforehand: the defaults of the class are those of the form."""

from typing import Literal

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Profile:
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


@tool(description="Ask the user to look over a profile.")
async def test_elicitation_sep1034_defaults(context: ToolContext) -> str:
    answer = await context.elicit("Please check your profile.", Profile)
    return f"Elicitation completed: action={answer.action}, content={answer.content}"
