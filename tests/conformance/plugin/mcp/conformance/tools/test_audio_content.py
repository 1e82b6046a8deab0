"""A tool whose answer is a sound."""

from plugin.samples import SILENCE
from trio_agent import Agent, Node, tool


@tool(description="Play a moment of silence.", read_only=True)
async def test_audio_content() -> Node:
    return Agent.Audio(SILENCE, "audio/wav", alt="silence")
