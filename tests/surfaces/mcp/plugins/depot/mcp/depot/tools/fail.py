"""Every way to fail that the table of thrown errors names."""

import sys
from typing import Literal

import trio

from trio_agent import Agent, AgentError, Node, Suspense, component, tool

Way = Literal["text", "empty", "group", "groups", "exit", "agent", "slow", "boundary", "said"]


async def raise_it(way: Way) -> None:
    if way == "empty":
        raise ValueError
    if way == "exit":
        sys.exit(3)
    if way == "agent":
        raise AgentError("E_DEPOT", "the depot is closed")
    if way == "slow":
        with trio.fail_after(0):
            await trio.sleep(1)
    if way == "group":
        raise ExceptionGroup("inside", [ValueError("alone")])
    if way == "groups":
        raise ExceptionGroup("inside", [ValueError("first"), KeyError("second")])
    raise ValueError("thrown away")


@component
async def Late(way: Way) -> Node:
    await raise_it(way)
    return None


@tool()
async def fail(way: Way) -> Node:
    """Fail in one of many ways."""
    if way == "boundary":
        found = Suspense(Late("text"), fallback=Agent.Progress(message="Looking"))
        return Agent.Result(Agent.Markdown("before"), found, value={"found": False})
    if way == "said":
        error = Agent.Error(code="E_NOT_FOUND", message="no such shelf")
        return Agent.Result(error, value={"found": False})
    await raise_it(way)
    return None
