"""A prompt with a picture; `Message` says whose words they are."""

from plugin.samples import RED_PIXEL
from trio_agent import Agent, Message, prompt


@prompt(description="A prompt about a picture.")
async def test_prompt_with_image() -> list[Message]:
    return [
        Message(role="user", content=Agent.Image(RED_PIXEL, "image/png", alt="a red pixel")),
        Message(role="user", content="Please analyze the image above."),
    ]
