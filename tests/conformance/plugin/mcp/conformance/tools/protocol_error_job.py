"""A tool whose call ends with an error of the protocol: its client cannot be asked that."""

from trio_agent import ToolContext, tool


@tool(description="Ask for what most clients do not have.", task_support="optional")
async def protocol_error_job(context: ToolContext) -> str:
    return ", ".join(root.uri for root in await context.roots())
