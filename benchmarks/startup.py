"""Start-up: what a person waits for before a command says anything."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.harness import ROUNDS, MeasurementError, Samples, ratios, turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
        plugin = _write_plugin(Path(folder))
        sides = (_program("run", plugin, "hello"), _importing(_FOUNDATION))
        return {"cli-cold-start": _compared(sides, _FOUNDATION, rounds)}


def measure_help(rounds: int = 2 * ROUNDS) -> Mapping[str, Samples]:
    """`cli-help` and `cli-command-help`: what a person waits for who asks what there is.

    Of `cli-help` the slowest counts: help of the program, of a plugin with five commands and two
    groups, and of a group.

    Args:
        rounds: turns per side.
    """
    with tempfile.TemporaryDirectory() as folder:
        plugin = _write_plugin(Path(folder), ("one", "two", "three", "db/check", "db/clean/up"))
        asked = (
            _program("--help"),
            _program("run", plugin, "--help"),
            _program("run", plugin, "db", "--help"),
        )
        lists = [_compared((argv, _importing(_LISTING)), _LISTING, rounds) for argv in asked]
        one = (_program("run", plugin, "hello", "--help"), _importing(_FOUNDATION))
        return {
            "cli-help": max(lists, key=lambda samples: statistics.median(samples.values)),
            "cli-command-help": _compared(one, _FOUNDATION, rounds),
        }


def measure_fifty(rounds: int = 2 * ROUNDS, siblings: int = 50) -> Mapping[str, Samples]:
    """`cli-fifty`: the trivial command with so many beside it, against the same command alone.

    Args:
        rounds: turns per side.
        siblings: how many.
    """
    with tempfile.TemporaryDirectory() as folder:
        crowded = _write_plugin(Path(folder) / "crowd", [f"c{one}" for one in range(siblings)])
        alone = _write_plugin(Path(folder) / "alone")
        sides = (_program("run", crowded, "hello"), _program("run", alone, "hello"))
        return {"cli-fifty": _compared(sides, "the command alone", rounds)}


_FOUNDATION: Final = "import trio, attrs, cattrs"
_LISTING: Final = "import ast, argparse"


def _write_plugin(folder: Path, others: Iterable[str] = ()) -> str:
    plugin = folder / "greeter"
    for command in ("hello", *others):
        file = plugin / "cli" / f"{command}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_COMMAND, encoding="utf-8")
    return str(plugin)


def _program(*words: str) -> Sequence[str]:
    return [sys.executable, "-m", "trio_agent", *words]


def _importing(statement: str) -> Sequence[str]:
    return [sys.executable, "-c", statement]


def _compared(sides: Sequence[Sequence[str]], against: str, rounds: int) -> Samples:
    """The first side against the second."""
    for argv in sides:
        _run_seconds(argv)
    taken: tuple[list[float], list[float]] = ([], [])
    for turn in turns(2, rounds):
        taken[turn].append(_run_seconds(sides[turn]))
    ours, base = taken
    note = f"{min(ours) * 1e3:.0f} ms, against `{against}` {min(base) * 1e3:.0f} ms"
    return Samples(values=ratios(ours, base), note=note)
