"""Every way to fail that the table of thrown errors names."""

import sys
from typing import Literal

import trio

from trio_agent import Agent, AgentError, Node, Suspense, component

Way = Literal["text", "empty", "group", "groups", "exit", "slow", "agent", "boundary", "said"]


async def raise_it(way: Way) -> None:
    if way == "empty":
        raise ValueError
    if way == "exit":
        sys.exit(3)
    if way == "slow":
        with trio.fail_after(0):
            await trio.sleep(1)
    if way == "agent":
        raise AgentError("E_SUNK", "the ship has sunk")
    if way == "group":
        raise ExceptionGroup("inside", [ValueError("alone")])
    if way == "groups":
        raise ExceptionGroup("inside", [ValueError("first"), KeyError("second")])
    raise ValueError("thrown away")


@component
async def Late(way: Way) -> Node:
    await raise_it(way)
    return None


async def fail_by(way: Way) -> Node:
    """Raise, or give a document that represents an error."""
    if way == "boundary":
        found = Suspense(Late("text"), fallback=Agent.Progress(message="Looking"))
        return Agent.Result(Agent.Markdown("before"), found, value={"found": False})
    if way == "said":
        error = Agent.Error(code="E_NOT_FOUND", message="no such ship")
        return Agent.Result(error, value={"found": False})
    await raise_it(way)
    return None
