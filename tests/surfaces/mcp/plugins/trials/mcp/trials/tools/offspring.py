"""Runs a shell that leaves a grandchild with the pipe in its hand."""

from pathlib import Path

from trio_agent import ToolContext, tool

SCRIPT = 'sleep 600 & echo $! > "$0"; wait'


@tool()
async def offspring(pid_file: Path, context: ToolContext) -> str:
    """Wait for it."""
    return (await context.run_process(["sh", "-c", SCRIPT, str(pid_file)])).text
