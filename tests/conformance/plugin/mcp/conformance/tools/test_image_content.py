"""A tool whose answer is a picture."""

from plugin.samples import RED_PIXEL
from trio_agent import Agent, Node, tool


@tool(description="Show a red pixel.", read_only=True)
async def test_image_content() -> Node:
    return Agent.Image(RED_PIXEL, "image/png", alt="a red pixel")
