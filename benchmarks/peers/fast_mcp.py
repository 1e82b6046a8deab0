"""A FastMCP server, as its documentation shows one, but with text as its only result.

Not checked for types: FastMCP is no dependency of the checks.
"""

from __future__ import annotations

from fastmcp import FastMCP

server = FastMCP("bench")


@server.tool(description="Add two numbers.", output_schema=None)
async def add(a: int, b: int) -> str:
    """Add them."""
    return str(a + b)


if __name__ == "__main__":
    server.run(transport="stdio", show_banner=False, log_level="ERROR")
