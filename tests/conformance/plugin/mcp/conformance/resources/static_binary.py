"""A resource of bytes."""

from plugin.samples import RED_PIXEL
from trio_agent import resource


@resource(uri="test://static-binary", mime_type="image/png", description="A red pixel.")
async def static_binary() -> bytes:
    return RED_PIXEL
