"""The tool `count_files`: one number, which goes out as an object, `{"result": 3}`."""

from typing import Annotated

from curator.access import find_directory
from curator.audit import walk
from curator.inputs import Directory
from curator.tables import Counted
from trio_agent import Agent, Description, Node, Suspense, ToolContext, tool


@tool(
    description="Count the files below a directory whose names fit a pattern such as `*.flac`.",
    read_only=True,
    idempotent=True,
    open_world=False,
    result=int,
    scalar="wrap",
    render={"max_elapsed_s": 3600.0},
)
async def count_files(
    context: ToolContext,
    directory: Directory = None,
    pattern: Annotated[str, Description("With *, ? and [...]; capitals count.")] = "*",
) -> Node:
    """Names with the same file behind them count each."""
    surveyed = walk(await find_directory(context, directory), context)
    fallback = Agent.Progress(message="Walking the directory")
    return Suspense(Counted(surveyed, pattern), fallback=fallback)
