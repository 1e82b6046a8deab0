"""The tool `compare_folders`: whether a copy is one."""

from pathlib import Path
from typing import Annotated

from curator.access import find_directory
from curator.audit import walk
from curator.library import Comparison, Report, Survey, compare_trees
from curator.tables import Compared
from trio_agent import Agent, Deferred, Description, Node, Suspense, ToolContext, tool


@tool(
    description=(
        "Compare two directories, such as a folder and its backup: which files are the same,"
        " differ, or are missing on one side. Reads what is equally long. Changes nothing."
    ),
    read_only=True,
    idempotent=True,
    open_world=False,
    result=Comparison,
    render={"max_elapsed_s": 3600.0},
)
async def compare_folders(
    context: ToolContext,
    left: Annotated[Path, Description("A directory.")],
    right: Annotated[Path, Description("The directory to compare it with.")],
) -> Node:
    """Both are walked at the same time, and read one after the other."""
    lefts = walk(await find_directory(context, left), context, "walking_left")
    rights = walk(await find_directory(context, right), context, "walking_right")
    reports = tuple(context.progress.named(name).report for name in ("left", "right"))
    compared = context.defer(compare_both, lefts, rights, reports[0], reports[1])
    return [
        Agent.Markdown("# Comparison"),
        Suspense(Compared(compared), fallback=Agent.Progress(message="Comparing")),
    ]


async def compare_both(
    lefts: Deferred[Survey], rights: Deferred[Survey], left: Report, right: Report
) -> Comparison:
    """Contents are compared once both sides are known."""
    return await compare_trees(await lefts, await rights, left, right)
