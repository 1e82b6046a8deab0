"""A tool with an argument that HTTP clients repeat in a header, for proxies that look no deeper."""

from typing import Annotated

from trio_agent import Header, tool


@tool(description="Name the region that a request is routed to.", read_only=True)
async def test_custom_header(region: Annotated[str, Header("Region")]) -> str:
    return f"Region: {region}"
