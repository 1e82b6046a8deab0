"""A task that asks one thing while it works."""

import attrs

from trio_agent import ToolContext, tool


@attrs.frozen
class Confirmation:
    confirm: bool


@tool(description="Delete a file, if that is really wanted.", task_support="optional")
async def confirm_delete(filename: str, context: ToolContext) -> str:
    answer = await context.elicit(f"Really delete {filename}?", Confirmation)
    is_sure = answer.content is not None and answer.content.confirm
    return f"{filename} is deleted" if is_sure else f"{filename} stays"
