"""A tool that says how far it is.

The work begins at once and reports on its way; the answer waits for it behind a `Suspense`, so
that there is something to show, and to report about, before.
"""

import trio

from trio_agent import Agent, Deferred, Node, Suspense, ToolContext, component, tool

PAUSE_S = 0.15
"""Far more than the 50 ms that lie between two notifications at least."""


async def work(context: ToolContext) -> str:
    for percent in (0, 50, 100):
        context.progress.report(percent, total=100, message=f"{percent} % done")
        await trio.sleep(PAUSE_S)
    return "All done."


@component
async def Outcome(working: Deferred[str]) -> Node:
    return Agent.Text(await working)


@tool(description="Work for a moment, and report progress.")
async def test_tool_with_progress(context: ToolContext) -> Node:
    return Suspense(Outcome(context.defer(work, context)), fallback=Agent.Text("Working"))
