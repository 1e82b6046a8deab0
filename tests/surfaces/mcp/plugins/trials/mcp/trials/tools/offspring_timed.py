"""The same with a limit of time."""

from pathlib import Path

from trio_agent import ToolContext, tool

SCRIPT = 'sleep 600 & echo $! > "$0"; wait'


@tool(render={"max_elapsed_s": 0.5})
async def offspring_timed(pid_file: Path, context: ToolContext) -> str:
    """Wait for it, but not for long."""
    return (await context.run_process(["sh", "-c", SCRIPT, str(pid_file)])).text
