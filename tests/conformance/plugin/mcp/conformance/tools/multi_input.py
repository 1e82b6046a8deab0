"""A task that asks two things at once: components that stand beside each other do not wait."""

import attrs

from trio_agent import Agent, Node, ToolContext, component, tool


@attrs.frozen
class Choice:
    name: str | None = None
    confirm: bool = False


@component
async def Part(context: ToolContext, which: str) -> Node:
    answer = await context.elicit(f"What about the {which} part?", Choice)
    return Agent.Text(f"{which}: ", "nothing" if answer.content is None else answer.content.name)


@tool(description="Ask about two parts.", task_support="optional")
async def multi_input(context: ToolContext) -> Node:
    return [Part(context, "first"), Part(context, "second")]
