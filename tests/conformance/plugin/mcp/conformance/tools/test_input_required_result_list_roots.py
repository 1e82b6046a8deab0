"""A tool that asks the host where it may work."""

from trio_agent import ToolContext, tool


@tool(description="List the directories that the host lets a server work on.")
async def test_input_required_result_list_roots(context: ToolContext) -> str:
    roots = await context.roots(key="client_roots")
    return "\n".join(f"{root.name or 'unnamed'}: {root.uri}" for root in roots)
