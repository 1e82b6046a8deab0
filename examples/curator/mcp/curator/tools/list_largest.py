"""The tool `list_largest`: where the space has gone."""

from typing import Annotated

from curator.access import find_directory
from curator.audit import walk
from curator.inputs import Directory
from curator.library import LargestFiles
from curator.tables import Largest
from trio_agent import Agent, Description, Ge, Le, Node, Suspense, ToolContext, tool


@tool(
    description="List the largest files below a directory, with size and day of the last change.",
    read_only=True,
    idempotent=True,
    open_world=False,
    result=LargestFiles,
    render={"max_elapsed_s": 3600.0},
)
async def list_largest(
    context: ToolContext,
    directory: Directory = None,
    count: Annotated[int, Ge(1), Le(100), Description("How many.")] = 10,
) -> Node:
    """No file is opened for this."""
    surveyed = walk(await find_directory(context, directory), context)
    fallback = Agent.Progress(message="Walking the directory")
    return Suspense(Largest(surveyed, count), fallback=fallback)
