"""The resource `rules`: what the kinds of findings mean."""

from curator.library import rules_page
from trio_agent import resource


@resource(
    uri="curator://rules",
    mime_type="text/markdown",
    description="What the findings of an audit mean, and what to do about each.",
)
async def rules() -> str:
    """One line for each kind."""
    return rules_page()
