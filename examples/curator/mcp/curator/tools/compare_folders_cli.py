"""`compare LEFT RIGHT`: the tool `compare_folders`, for people who are in some directory."""

import os

from trio_agent import tool_command


@tool_command(command="compare", aliases=["diff"], positionals=["left", "right"])
def compare(flags: dict[str, object]) -> dict[str, object]:
    """See `list_largest_cli`."""
    return {side: os.path.abspath(str(path)) for side, path in flags.items()}
