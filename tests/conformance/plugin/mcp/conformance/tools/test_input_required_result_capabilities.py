"""A tool that asks for what it would like to know, and does without what nobody can answer."""

import attrs

from trio_agent import Agent, Node, ToolContext, component, tool
from trio_agent.errors import RequestError


@attrs.frozen
class Person:
    name: str


@component
async def Name(context: ToolContext) -> Node:
    try:
        answer = await context.elicit("What is your name?", Person, key="user_name")
    except RequestError:
        return Agent.Text("Nobody can be asked for a name.")
    return Agent.Text("Name: ", "unknown" if answer.content is None else answer.content.name)


@component
async def Greeting(context: ToolContext) -> Node:
    try:
        sampled = await context.sample("Generate a greeting", max_tokens=50, key="greeting")
    except RequestError:
        return Agent.Text("Hello.")
    return Agent.Text(sampled.text)


@tool(description="Ask as much as this client can answer.")
async def test_input_required_result_capabilities(context: ToolContext) -> Node:
    return [Name(context), Greeting(context)]
