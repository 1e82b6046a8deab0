"""A command that fails."""

from wreck.failures import Way, fail_by

from trio_agent import Node, command


@command(description="Fail in one of many ways.")
async def fail(way: Way) -> Node:
    return await fail_by(way)
