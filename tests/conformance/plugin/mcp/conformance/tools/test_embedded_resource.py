"""A tool whose answer is a resource, contents and all: with `text` it is no mere link."""

from trio_agent import Agent, Node, tool


@tool(description="Return an embedded resource.", read_only=True)
async def test_embedded_resource() -> Node:
    return Agent.Resource(
        "test://embedded-resource",
        "embedded-resource",
        mime_type="text/plain",
        text="This is an embedded resource content.",
    )
