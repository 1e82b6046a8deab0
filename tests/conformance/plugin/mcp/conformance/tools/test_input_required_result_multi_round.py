"""A tool that asks a second thing when it knows the first."""

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Person:
    name: str


@attrs.frozen
class Taste:
    color: str


@tool(description="Ask the user two things, one after the other.")
async def test_input_required_result_multi_round(context: ToolContext) -> str:
    first = await context.elicit("Step 1: What is your name?", Person, key="step1")
    name = "Somebody" if first.content is None else first.content.name
    second = await context.elicit("Step 2: What is your favorite color?", Taste, key="step2")
    color = "no color" if second.content is None else second.content.color
    return f"{name} likes {color}."
