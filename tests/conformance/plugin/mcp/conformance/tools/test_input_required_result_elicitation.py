"""A tool that asks the user one thing, by a name that stays the same."""

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Person:
    name: str


@tool(description="Greet the user by name.")
async def test_input_required_result_elicitation(context: ToolContext) -> str:
    answer = await context.elicit("What is your name?", Person, key="user_name")
    return "Hello!" if answer.content is None else f"Hello, {answer.content.name}!"
