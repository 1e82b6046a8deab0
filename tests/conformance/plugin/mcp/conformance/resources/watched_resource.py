"""A resource that clients subscribe to; `test_trigger_resource_update` says that it changed."""

from trio_agent import resource


@resource(uri="test://watched-resource", mime_type="text/plain", description="A text to watch.")
async def watched_resource() -> str:
    return "This is the content of the watched resource."
