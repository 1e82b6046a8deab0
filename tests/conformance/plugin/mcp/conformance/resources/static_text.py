"""A resource of text."""

from trio_agent import resource


@resource(
    uri="test://static-text", mime_type="text/plain", description="A text that never changes."
)
async def static_text() -> str:
    return "This is the content of the static text resource."
