"""The tool `describe_file`: all about one name.  A `def`, which runs in a thread and may block."""

from curator.access import find_file, told
from curator.inputs import FilePath
from curator.library import FileDescription, describe
from trio_agent import ToolContext, tool


@tool(
    description=(
        "Describe one file: kind, size, time of the last change, type, SHA-256,"
        " where a link leads, and what is odd about its name."
    ),
    read_only=True,
    idempotent=True,
    open_world=False,
    render={"max_elapsed_s": 3600.0},
)
def describe_file(context: ToolContext, path: FilePath) -> FileDescription:
    """Data is answered as JSON, and is the value."""
    found = context.wait(find_file, context, path)
    with told():
        return describe(found, context.progress.report, lambda: context.cancelled)
