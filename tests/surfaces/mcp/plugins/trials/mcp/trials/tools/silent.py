"""Has nothing to say for ten minutes."""

import trio

from trio_agent import Agent, Node, Suspense, component, tool


@component
async def Slow() -> Node:
    await trio.sleep(600)
    return Agent.Text("at last")


@tool(render={"max_elapsed_s": 900})
async def silent() -> Node:
    """Take ten minutes."""
    return Suspense(Slow(), fallback=Agent.Progress(message="Waiting for the archive"))
