"""Asks before it is a task, and works then."""

import attrs
import trio

from trio_agent import ToolContext, tool


@attrs.frozen
class Miller:
    name: str


@tool(description="Ask first.", task_support="required", task_asks="call")
async def ask_first(context: ToolContext, seconds: float = 0, *, again: bool = False) -> str:
    miller = await context.elicit("Who is the miller?", Miller)
    await trio.sleep(seconds)
    if again:
        await context.elicit("Are you sure?", Miller)
    return "nobody" if miller.content is None else miller.content.name
