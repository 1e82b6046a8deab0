"""A thread that nobody can end: it waits for a child that it started by itself."""

import subprocess
from pathlib import Path

from trio_agent import tool


@tool()
def blocked(pid_file: Path) -> str:
    """Wait for a child of one's own."""
    with subprocess.Popen(["sleep", "30"]) as child:
        pid_file.write_text(f"{child.pid}\n", encoding="utf-8")
        child.wait()
    return "woken"
