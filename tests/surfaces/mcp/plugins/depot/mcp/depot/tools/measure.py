"""A tool with a shell, a boundary, progress and a value."""

import attrs
import trio

from trio_agent import Agent, Deferred, Node, Suspense, ToolContext, component, tool


@attrs.frozen
class Measured:
    shelves: int
    items: int


async def count(shelves: int, context: ToolContext) -> Measured:
    for done in range(1, shelves + 1):
        context.progress.report(done, total=shelves, message=f"shelf {done}")
        await trio.sleep(1)
    return Measured(shelves, shelves * 10)


@component
async def Summary(counted: Deferred[Measured]) -> Node:
    found = await counted
    return Agent.Result(Agent.Markdown(f"**{found.items}** items."), value=found)


@tool(title="Measure the depot", result=Measured, render={"max_elapsed_s": 600})
async def measure(shelves: int, context: ToolContext) -> Node:
    """Count what lies on the shelves."""
    counted = context.defer(count, shelves, context)
    return [
        Agent.Markdown("# Depot"),
        Suspense(Summary(counted), fallback=Agent.Progress(message="Counting")),
    ]
