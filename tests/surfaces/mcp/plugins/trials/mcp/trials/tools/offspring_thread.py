"""The same from a thread."""

from pathlib import Path

from trio_agent import ToolContext, tool

SCRIPT = 'sleep 600 & echo $! > "$0"; wait'


@tool()
def offspring_thread(pid_file: Path, context: ToolContext) -> str:
    """Wait for it in a thread."""
    return context.wait(context.run_process, ["sh", "-c", SCRIPT, str(pid_file)]).text
