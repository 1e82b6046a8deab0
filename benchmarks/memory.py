"""Memory: what a waiting invocation holds, and what a stopped consumer makes pile up.

A scene has to be the first thing that its process does (`benchmarks.apart` sees to that): what an
earlier one leaves behind would be used again and not be counted.
"""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
    from collections.abc import Callable, Mapping

    from trio_agent.vocabulary.event import RenderEvent

SUSPENDED: Final = 10_000
ROWS: Final = 10_000
REPORTS: Final = 100_000

_STATUS: Final = Path("/proc/self/status")


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
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            runtime = Runtime(Scene(lambda: make(gate)), limits=limits)
            await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
    finally:
        tracemalloc.stop()
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


def measure_suspended(count: int = SUSPENDED) -> Mapping[str, Samples]:
    """`suspended-memory`: *count* invocations that wait at the same time."""
    note = f"each of {count:,} invocations with a boundary"
    return {"suspended-memory": Samples(values=(trio.run(_suspend, count),), note=note)}


def measure_progress(count: int = REPORTS) -> Mapping[str, Samples]:
    """`slow-consumer-progress`: *count* reports that nobody reads."""
    note = f"growth during {count:,} reports nobody reads"
    return {"slow-consumer-progress": Samples(values=(trio.run(_report, count),), note=note)}


def measure_rows(count: int = ROWS) -> Mapping[str, Samples]:
    """`slow-consumer-rows`: *count* finished rows that nobody takes."""
    note = f"per finished row beyond its charge, {count:,} rows"
    return {"slow-consumer-rows": Samples(values=(trio.run(_finish_rows, count),), note=note)}


def measure_bytes(count: int = ROWS) -> Mapping[str, Samples]:
    """`slow-consumer-bytes`: *count* rows that are too much for the default limits."""
    note = f"{count:,} rows of 4 KB end in document-bytes-exceeded"
    return {"slow-consumer-bytes": Samples(values=(trio.run(_exceed_bytes, count),), note=note)}
