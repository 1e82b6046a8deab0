"""A resource with one URI."""

from trio_agent import resource


@resource(uri="depot://manual", mime_type="text/markdown")
async def manual() -> str:
    """How the depot works."""
    return "# Manual"
