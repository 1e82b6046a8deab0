"""Start-up: what a person waits for before a command says anything."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.harness import ROUNDS, Figure, ratios

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMAND: Final = '''from trio_agent import command


@command(description="Say hello.")
async def hello() -> str:
    return "hello"
'''


def _seconds(argv: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return time.perf_counter() - started


def run() -> Sequence[Figure]:
    """`cli-cold-start`: a trivial command, piped, against importing what it stands on."""
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "greeter"
        (plugin / "cli").mkdir(parents=True)
        (plugin / "cli" / "hello.py").write_text(_COMMAND, encoding="utf-8")
        ours_argv = [sys.executable, "-m", "trio_agent", "run", str(plugin), "hello"]
        base_argv = [sys.executable, "-c", "import trio, attrs, cattrs"]
        for argv in (ours_argv, base_argv, ours_argv, base_argv):
            _seconds(argv)
        ours: list[float] = []
        base: list[float] = []
        for _ in range(2 * ROUNDS):
            ours.append(_seconds(ours_argv))
            base.append(_seconds(base_argv))
    return (
        Figure(
            name="cli-cold-start",
            values=ratios(ours, base),
            limit=1.4,
            note=f"{min(ours) * 1e3:.0f} ms against `import trio, attrs, cattrs`"
            f" {min(base) * 1e3:.0f} ms",
        ),
    )
