"""The tool `plan_cleanup`: which duplicates could go, by a rule that the user chooses."""

from curator.access import find_directory
from curator.audit import compare, walk
from curator.inputs import Directory
from curator.library import CleanupPlan
from curator.tables import Plan
from trio_agent import Agent, Node, Suspense, ToolContext, tool


@tool(
    description=(
        "Plan which duplicates below a directory could be removed; asks the user which copies"
        " to keep. Removes nothing."
    ),
    read_only=True,
    open_world=False,
    result=CleanupPlan,
    render={"max_elapsed_s": 3600.0},
)
async def plan_cleanup(context: ToolContext, directory: Directory = None) -> Node:
    """Contents are read while the user decides."""
    surveyed = walk(await find_directory(context, directory), context)
    compared = compare(surveyed, context)
    fallback = Agent.Progress(message="Looking for duplicates")
    return Suspense(Plan(surveyed, compared, context), fallback=fallback)
