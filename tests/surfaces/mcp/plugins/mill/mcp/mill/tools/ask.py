"""Asks two things at once, while it works."""

import attrs

from trio_agent import Agent, Node, ToolContext, component, tool


@attrs.frozen
class Flour:
    kind: str


@component
async def Kind(context: ToolContext, what: str) -> Node:
    flour = await context.elicit(f"Which {what}?", Flour)
    return Agent.Text(f"{what}: ", "none" if flour.content is None else flour.content.kind)


@tool(description="Ask.", task_support="optional")
async def ask(context: ToolContext, about: list[str]) -> Node:
    return [Kind(context, what) for what in about]
