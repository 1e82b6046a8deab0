"""A tool that logs at every level; a client hears of those that it asked for."""

from trio_agent import ToolContext, tool


@tool(description="Log one line of each severity.")
async def test_logging_tool(context: ToolContext) -> str:
    context.log("debug", "looking closely")
    context.log("info", {"step": 1, "of": 2})
    context.log("warning", "something is odd", logger="conformance")
    return "All logged."
