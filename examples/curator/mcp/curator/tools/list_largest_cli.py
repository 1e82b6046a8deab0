"""`largest [DIRECTORY] --top N`: the tool `list_largest`, for people who are in some directory."""

import os

from trio_agent import tool_command


@tool_command(
    command="largest",
    positionals=["directory"],
    flags={
        "directory": {"default": ".", "description": "Where to look."},
        "count": {"name": "top", "aliases": ["count"]},
    },
)
def largest(flags: dict[str, object]) -> dict[str, object]:
    """To the tool a relative path is one in the library; to a shell it is one from here."""
    return {**flags, "directory": os.path.abspath(str(flags["directory"]))}
