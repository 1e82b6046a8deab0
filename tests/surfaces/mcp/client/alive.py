"""Whether a process that is nobody's child any more is still there."""

import os
from pathlib import Path


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Whoever is nobody's child any more may be a zombie for a moment.
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text(encoding="ascii").split(") ")[1][0] != "Z"
