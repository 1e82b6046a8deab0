"""A resource that fails."""

from wreck.failures import Way, fail_by

from trio_agent import Node, resource


@resource(uri="wreck://fail/{way}")
async def fail(way: Way) -> Node:
    """Fail in one of many ways."""
    return await fail_by(way)
