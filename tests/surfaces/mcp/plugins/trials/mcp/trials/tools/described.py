"""A tool that says everything that a tool can say."""

from trio_agent import tool


@tool(
    description="Say everything.",
    title="Everything",
    icons=[{"src": "https://example.org/i.png", "mimeType": "image/png"}],
    annotations={"audience": "all"},
    read_only=True,
    meta={"vendor/key": {"deep": [1]}},
    exclude_clients=["codex"],
    render={"max_elapsed_s": 120},
    task_support="optional",
    structured="never",
)
async def described() -> str:
    """Never read: there is a description."""
    return "said"
