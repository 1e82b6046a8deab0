"""Runs a shell, and a grandchild, that do not end when they are asked to."""

from pathlib import Path

from trio_agent import ToolContext, tool

SCRIPT = 'trap "" TERM HUP INT; sleep 600 & echo $! > "$0"; wait'


@tool()
async def stubborn(pid_file: Path, context: ToolContext) -> str:
    """Wait for it."""
    return (await context.run_process(["sh", "-c", SCRIPT, str(pid_file)])).text
