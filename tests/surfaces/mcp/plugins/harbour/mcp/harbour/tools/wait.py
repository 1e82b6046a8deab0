"""Waits in a component, with work beside it, until it is released."""

import trio
from harbour.berth import LOG, RELEASED

from trio_agent import Agent, Node, Suspense, ToolContext, component, tool


async def guard() -> None:
    try:
        await trio.sleep_forever()
    finally:
        LOG.append("the work beside it ended")


@component
async def Berth() -> Node:
    try:
        await RELEASED.wait()
    except trio.Cancelled:
        LOG.append("cancelled")
        raise
    LOG.append("released")
    return Agent.Markdown("Released.")


@tool(description="Wait for the release.")
async def wait(context: ToolContext) -> Node:
    _ = context.defer(guard)
    return Suspense(Berth(), fallback=Agent.Progress(message="Waiting", completed=0))
