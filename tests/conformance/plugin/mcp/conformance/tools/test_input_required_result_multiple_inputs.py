"""A tool that asks three things at once: components that stand beside each other do not wait."""

import attrs

from trio_agent import Agent, Node, ToolContext, component, tool


@attrs.frozen
class Person:
    name: str


@component
async def Name(context: ToolContext) -> Node:
    answer = await context.elicit("What is your name?", Person, key="user_name")
    return Agent.Text("Name: ", "unknown" if answer.content is None else answer.content.name)


@component
async def Greeting(context: ToolContext) -> Node:
    sampled = await context.sample("Generate a greeting", max_tokens=50, key="greeting")
    return Agent.Text("Greeting: ", sampled.text)


@component
async def Roots(context: ToolContext) -> Node:
    roots = await context.roots(key="client_roots")
    return Agent.Text("Roots: ", ", ".join(root.uri for root in roots))


@tool(description="Ask the user, the host's model and the host, all at once.")
async def test_input_required_result_multiple_inputs(context: ToolContext) -> Node:
    return [Name(context), Greeting(context), Roots(context)]
