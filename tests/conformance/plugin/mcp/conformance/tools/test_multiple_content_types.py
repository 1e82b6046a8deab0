"""A tool that answers with several things: a list of nodes is one content block for each leaf."""

import json

from plugin.samples import RED_PIXEL
from trio_agent import Agent, Node, tool


@tool(description="Return a text, a picture and a resource.", read_only=True)
async def test_multiple_content_types() -> Node:
    return [
        Agent.Text("Multiple content types test:"),
        Agent.Image(RED_PIXEL, "image/png", alt="a red pixel"),
        Agent.Resource(
            "test://mixed-content-resource",
            "mixed-content-resource",
            mime_type="application/json",
            text=json.dumps({"test": "data", "value": 123}),
        ),
    ]
