"""A tool that one kind of client is not shown."""

from trio_agent import tool


@tool(exclude_clients=["codex"])
def secret() -> str:
    """Tell."""
    return "told"
