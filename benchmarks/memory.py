"""Memory: what a waiting invocation holds, and what a stopped consumer makes pile up.

Each scene runs in a child process of its own (`python -m benchmarks.memory SCENE SIZE`), so that
what one leaves behind is not counted for the next.
"""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import trio
import trio.testing

from benchmarks.harness import MeasurementError, Samples
from benchmarks.scenes import WIDE, Passing, Scene, make_runtime, render
from trio_agent import (
    Agent,
    Invocation,
    InvocationError,
    Limits,
    Node,
    Runtime,
    Suspense,
    agent,
    component,
)
from trio_agent.vocabulary.event import ShellEvent

if TYPE_CHECKING:
    from trio_agent.vocabulary.event import RenderEvent

_Scene: TypeAlias = Callable[[int], Awaitable[float]]

SUSPENDED: Final = 10_000
ROWS: Final = 10_000
REPORTS: Final = 100_000

_STATUS: Final = Path("/proc/self/status")
_TIMEOUT_S: Final = 600


def _resident_kib() -> int:
    if not _STATUS.exists():
        raise MeasurementError(f"resident memory is read from {_STATUS}, which is not here")
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise MeasurementError(f"{_STATUS} has no VmRSS")


@component
async def _late(gate: trio.Event, text: str) -> Node:
    await gate.wait()
    return Agent.Markdown(text)


async def _suspend(count: int) -> float:
    """Resident KiB per invocation with one boundary, *count* waiting at once; all complete."""
    gate = trio.Event()
    runtime = make_runtime(
        lambda: [
            Agent.Markdown("# head"),
            Suspense(_late(gate, "ready"), fallback=Agent.Progress(message="w")),
        ]
    )
    completed = 0

    async def one() -> None:
        nonlocal completed
        await render(runtime)
        completed += 1

    await trio.testing.wait_all_tasks_blocked()
    gc.collect()
    before = _resident_kib()
    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(one)
        await trio.testing.wait_all_tasks_blocked()
        gc.collect()
        held = _resident_kib() - before
        gate.set()
    if completed != count:
        raise MeasurementError(f"{completed} of {count} invocations completed")
    return held / count


async def _stop_consumer(make: Callable[[trio.Event], Node], limits: Limits) -> tuple[float, float]:
    """Bytes traced when the consumer stops after the shell, and at the peak afterwards."""
    gate = trio.Event()
    resume = trio.Event()
    base = 0

    async def sink(event: RenderEvent) -> None:
        nonlocal base
        if isinstance(event, ShellEvent):
            # The workers of the boundaries exist whether or not anybody reads.
            await trio.testing.wait_all_tasks_blocked(0.05)
            gc.collect()
            base = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            gate.set()
            await resume.wait()

    peak = 0

    async def watch() -> None:
        nonlocal peak
        await gate.wait()
        await trio.testing.wait_all_tasks_blocked(0.2)
        peak = tracemalloc.get_traced_memory()[1]
        resume.set()

    tracemalloc.start(1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        runtime = Runtime(Scene(lambda: make(gate)), limits=limits)
        await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
    return base, peak


@component
async def _reporting(gate: trio.Event, count: int) -> Node:
    await gate.wait()
    progress = agent().progress
    for done in range(count):
        progress.report(done, total=count, message="hashing")
        if done % 1000 == 0:
            await trio.lowlevel.checkpoint()
    return Agent.Markdown("done")


async def _report(count: int) -> float:
    """KiB of growth while *count* reports are made and nobody reads."""

    def tree(gate: trio.Event) -> Node:
        return Agent.Result(Suspense(_reporting(gate, count), fallback=Agent.Progress()))

    base, peak = await _stop_consumer(tree, WIDE)
    return (peak - base) / 1024


async def _finish_rows(count: int) -> float:
    """Bytes per finished row that nobody takes, beyond what the ledger charged for it."""
    text = "x" * 64

    def tree(gate: trio.Event) -> Node:
        return Agent.Result(
            *[Suspense(_late(gate, text), fallback=Agent.Text("w")) for _ in range(count)]
        )

    base, peak = await _stop_consumer(tree, WIDE)
    charged = Agent.Markdown(text).size + 1
    return (peak - base) / count - charged


async def _exceed_bytes(count: int) -> float:
    """*count* rows of 4 KB under default limits: 0 if the invocation says what broke."""

    def tree(gate: trio.Event) -> Node:
        return Agent.Result(*[Suspense(_late(gate, "x" * 4096)) for _ in range(count)])

    codes = ["complete"]
    try:
        await _stop_consumer(tree, Limits())
    except* InvocationError as group:
        codes = [getattr(error, "code", repr(error)) for error in group.exceptions]
    if codes != ["document-bytes-exceeded"]:
        raise MeasurementError(f"expected document-bytes-exceeded, it ended with {codes}")
    return 0.0


_SCENES: Final[Mapping[str, _Scene]] = {
    "suspended-memory": _suspend,
    "slow-consumer-progress": _report,
    "slow-consumer-rows": _finish_rows,
    "slow-consumer-bytes": _exceed_bytes,
}


def measure(name: str, size: int, note: str) -> Mapping[str, Samples]:
    """Run one scene in a child process.

    Args:
        name: of the scene, and of the benchmark.
        size: how many of whatever the scene is made of.
        note: the note of the samples.
    """
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", name, str(size)],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[1],
        encoding="utf-8",
        timeout=_TIMEOUT_S,
    )
    if ran.returncode:
        said = ran.stderr.strip().splitlines() or ["it said nothing"]
        raise MeasurementError(f"its process ended with {ran.returncode}: {said[-1]}")
    return {name: Samples(values=(float(ran.stdout),), note=note)}


measure_suspended: Final = functools.partial(
    measure, "suspended-memory", SUSPENDED, f"each of {SUSPENDED:,} invocations with a boundary"
)
measure_progress: Final = functools.partial(
    measure, "slow-consumer-progress", REPORTS, f"growth during {REPORTS:,} reports nobody reads"
)
measure_rows: Final = functools.partial(
    measure, "slow-consumer-rows", ROWS, f"per finished row beyond its charge, {ROWS:,} rows"
)
measure_bytes: Final = functools.partial(
    measure, "slow-consumer-bytes", ROWS, f"{ROWS:,} rows of 4 KB end in document-bytes-exceeded"
)


def main() -> None:
    """Run the scene of the command line and print its value."""
    _, name, size = sys.argv
    try:
        print(trio.run(_SCENES[name], int(size)))
    except MeasurementError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
