"""A tool that fails.  The words of an `AgentError` always reach the client."""

from trio_agent import AgentError, tool


@tool(description="Fail, always.")
async def test_error_handling() -> str:
    raise AgentError("E_INTENDED", "This tool intentionally returns an error for testing")
