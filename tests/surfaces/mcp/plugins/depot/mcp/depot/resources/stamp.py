"""A resource of bytes."""

from trio_agent import resource


@resource(uri="depot://stamp", mime_type="image/png")
async def stamp() -> bytes:
    """The depot's stamp."""
    return b"\x89PNG"
