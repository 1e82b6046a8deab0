"""A tool that asks the user, with a form made of an attrs class."""

from typing import Annotated

import attrs

from trio_agent import Description, ToolContext, tool


@attrs.frozen
class Account:
    username: Annotated[str, Description("User's response")]
    email: Annotated[str, Description("User's email address")]


@tool(description="Ask the user for a name and an address.")
async def test_elicitation(message: str, context: ToolContext) -> str:
    answer = await context.elicit(message, Account)
    if answer.content is None:
        return f"User response: action={answer.action}"
    account = answer.content
    return f"User response: action={answer.action}, content={account.username} <{account.email}>"
