"""The tool `read_excerpt`: some lines of a file, for hosts that cannot read files themselves."""

from typing import Annotated

from curator.access import find_file, told
from curator.inputs import FilePath
from curator.library import excerpt
from trio_agent import Description, Ge, Le, ToolContext, tool


@tool(
    description="Read some lines of a text file; 64 KiB at most.",
    read_only=True,
    idempotent=True,
    open_world=False,
    # These have a tool of their own for this, and a model should not have to choose.
    exclude_clients=["claude-code", "codex", "cursor"],
)
def read_excerpt(
    context: ToolContext,
    path: FilePath,
    first_line: Annotated[int, Ge(1), Le(1_000_000), Description("Counted from 1.")] = 1,
    lines: Annotated[int, Ge(1), Le(1_000), Description("How many.")] = 40,
) -> str:
    """A string is shown as it is."""
    found = context.wait(find_file, context, path)
    with told():
        return excerpt(found, first_line, lines)
