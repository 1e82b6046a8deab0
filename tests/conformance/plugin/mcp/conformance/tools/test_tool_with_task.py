"""A tool that asks who is there before it becomes a task."""

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Person:
    name: str


@tool(description="Greet the user, at leisure.", task_support="required", task_asks="call")
async def test_tool_with_task(context: ToolContext) -> str:
    answer = await context.elicit("What is your name?", Person, key="user_name")
    return f"Hello, {'stranger' if answer.content is None else answer.content.name}!"
