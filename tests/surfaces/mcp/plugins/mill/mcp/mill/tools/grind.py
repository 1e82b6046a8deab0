"""Works for a while, in steps that it reports."""

import attrs
import trio

from trio_agent import Agent, Node, Suspense, ToolContext, component, tool


@attrs.frozen
class Ground:
    steps: int


@component
async def Grinding(context: ToolContext, seconds: float, steps: int) -> Node:
    for step in range(1, steps + 1):
        await trio.sleep(seconds / steps)
        context.progress.report(step, total=steps, message=f"step {step}")
    return Agent.Result(Agent.Text(f"Ground in {steps}."), value=Ground(steps))


@tool(description="Grind.", task_support="optional", result=Ground)
async def grind(context: ToolContext, seconds: float = 0, steps: int = 1) -> Node:
    return Suspense(Grinding(context, seconds, steps), fallback=Agent.Text("Grinding"))
