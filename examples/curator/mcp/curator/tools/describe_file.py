"""The tool `describe_file`: all about one name.

The handler is a `def`: it runs in a thread, and may look at the disk.  Reading the whole file may
take long, so that part is a boundary; only what is in one can be seen to make progress.
"""

from curator.access import find_file, told
from curator.inputs import FilePath
from curator.library import FileDescription, describe
from curator.tables import Described, Hashed
from trio_agent import Agent, Node, Suspense, ToolContext, tool


@tool(
    description=(
        "Describe one file: kind, size, time of the last change, type, SHA-256,"
        " where a link leads, and what is odd about its name."
    ),
    read_only=True,
    idempotent=True,
    open_world=False,
    result=FileDescription,
    render={"max_elapsed_s": 3600.0},
)
def describe_file(context: ToolContext, path: FilePath) -> Node:
    """A thread waits for async code with `context.wait`."""
    found = context.wait(find_file, context, path)
    with told():
        described = describe(found)
    if described.kind != "file":
        return Described(described)
    fallback = Agent.Progress(message="Reading the file")
    return Suspense(Hashed(found, described, context), fallback=fallback)
