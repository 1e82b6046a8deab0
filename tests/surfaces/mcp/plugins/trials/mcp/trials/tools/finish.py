"""Says that it is done and returns in the same breath; who works for it goes on reporting."""

import threading
import time
from typing import Literal

import attrs

from trio_agent import Agent, HandoffRequiredError, Node, Suspense, ToolContext, component, tool

REFUSED: list[str] = []


@attrs.frozen
class Finished:
    refused: int


@component
async def AtOnce() -> Node:
    return Agent.Markdown("settled")


def report_past_the_end(context: ToolContext) -> None:
    for number in range(2, 100_000):
        try:
            context.progress.report(number)
        except HandoffRequiredError as error:
            REFUSED.append(error.code)
            return
        time.sleep(0.0005)


@tool(result=Finished)
async def finish(context: ToolContext, way: Literal["plain", "boundary", "late"] = "plain") -> Node:
    """Report a hundred percent and return."""
    if way == "boundary":
        return [
            Agent.Markdown("begun"),
            Suspense(AtOnce(), fallback=Agent.Progress(0, message="going")),
        ]
    if way == "late":
        threading.Thread(target=report_past_the_end, args=(context,), daemon=True).start()
    context.progress.report(1, total=1, message="done")
    return Agent.Result(Agent.Text("done"), value=Finished(len(REFUSED)))
