"""The tool `hash_library`: a list of checksums; the one that writes, and may take hours."""

from pathlib import Path
from typing import Annotated

from curator.access import find_directory, find_new_file
from curator.audit import walk
from curator.inputs import Directory
from curator.library import Checksums, Report, Survey, write_checksums
from curator.tables import Written
from trio_agent import Agent, Deferred, Description, Node, Suspense, ToolContext, tool


@tool(
    description=(
        "Read every file below a directory and write their SHA-256 into a new file that"
        " `sha256sum --check` reads. Goes on where an earlier call was interrupted."
        " Best run as a task: a large library takes hours."
    ),
    read_only=False,
    destructive=False,
    idempotent=False,
    open_world=False,
    task_support="optional",
    result=Checksums,
    render={"max_elapsed_s": 86400.0},
)
async def hash_library(
    context: ToolContext,
    output: Annotated[
        Path,
        Description(
            "The file to write, which must not exist. Beside it, a journal keeps what is done."
        ),
    ],
    directory: Directory = None,
) -> Node:
    """What cannot be done is refused at once; everything else is behind the boundary, to be watched."""
    found = await find_new_file(context, output)
    surveyed = walk(await find_directory(context, directory), context)
    hashed = context.defer(hash_all, surveyed, found, context.progress.named("reading").report)
    return Suspense(Written(hashed), fallback=Agent.Progress(message="Walking the directory"))


async def hash_all(surveyed: Deferred[Survey], output: Path, report: Report) -> Checksums:
    """Reading begins when it is known how much there is."""
    return await write_checksums(await surveyed, output, report)
