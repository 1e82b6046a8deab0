"""Start-up: what a person waits for before a command says anything."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.harness import ROUNDS, MeasurementError, Samples, ratios, turns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COMMAND: Final = """from trio_agent import command


@command(description="Say hello.")
async def hello() -> str:
    return "hello"
"""


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run_seconds(argv: Sequence[str]) -> float:
    """Processor seconds of a process, from its start to its exit."""
    before = _children_seconds()
    # With it, what is not compiled yet would be compiled at every start, on our side only.
    compiled = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run(
        argv, check=False, capture_output=True, stdin=subprocess.DEVNULL, env=compiled
    )
    if ran.returncode:
        raise MeasurementError(f"{argv} ended with {ran.returncode}: {ran.stderr!r:.200}")
    return _children_seconds() - before


def measure(rounds: int = 2 * ROUNDS) -> Mapping[str, Samples]:
    """`cli-cold-start`: a trivial command into a pipe, against importing what it stands on.

    The files are compiled and in the page cache: a first start after an installation is another
    question, and the same for both sides.

    Args:
        rounds: turns per side.
    """
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "greeter"
        (plugin / "cli").mkdir(parents=True)
        (plugin / "cli" / "hello.py").write_text(_COMMAND, encoding="utf-8")
        sides = (
            [sys.executable, "-m", "trio_agent", "run", str(plugin), "hello"],
            [sys.executable, "-c", "import trio, attrs, cattrs"],
        )
        for argv in sides:
            _run_seconds(argv)
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in turns(2, rounds):
            taken[turn].append(_run_seconds(sides[turn]))
    ours, base = taken
    note = (
        f"{min(ours) * 1e3:.0f} ms, against `import trio, attrs, cattrs` {min(base) * 1e3:.0f} ms"
    )
    return {"cli-cold-start": Samples(values=ratios(ours, base), note=note)}
