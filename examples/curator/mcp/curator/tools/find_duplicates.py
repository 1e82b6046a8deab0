"""The tool `find_duplicates`: files with the same content."""

from curator.access import find_directory
from curator.audit import compare, walk
from curator.inputs import Directory
from curator.library import DuplicateSummary
from curator.sections import Duplicated, Unread
from curator.tables import Totals
from trio_agent import Agent, Node, Suspense, ToolContext, tool


@tool(
    description=(
        "Find files with the same content below a directory, the most wasteful first."
        " Reads only files that have a size in common. Changes nothing."
    ),
    read_only=True,
    idempotent=True,
    open_world=False,
    result=DuplicateSummary,
    render={"max_elapsed_s": 3600.0},
)
async def find_duplicates(context: ToolContext, directory: Directory = None) -> Node:
    """An audit without the judging of names."""
    surveyed = walk(await find_directory(context, directory), context)
    compared = compare(surveyed, context)
    return [
        Suspense(Duplicated(compared), fallback=Agent.Progress(message="Comparing the contents")),
        Suspense(Unread(surveyed, compared)),
        Suspense(Totals(compared)),
    ]
