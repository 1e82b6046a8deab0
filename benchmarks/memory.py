"""Memory: what a waiting invocation holds, and what a stopped consumer makes pile up.

Each scene runs in a child process of its own (`python -m benchmarks.memory SCENE`), so that
what one leaves behind is not counted for the next.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio
import trio.testing

from benchmarks.harness import Figure
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
    from collections.abc import Callable, Sequence

    from trio_agent.vocabulary.event import RenderEvent

SUSPENDED: Final = 10_000
ROWS: Final = 10_000
REPORTS: Final = 100_000


def _resident_kib() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


@component
async def _late(gate: trio.Event, text: str) -> Node:
    await gate.wait()
    return Agent.Markdown(text)


async def _suspend() -> dict[str, float]:
    """KiB per invocation with one boundary, all suspended at once; all complete afterwards."""
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

    gc.collect()
    before = _resident_kib()
    async with trio.open_nursery() as nursery:
        for _ in range(SUSPENDED):
            nursery.start_soon(one)
        await trio.testing.wait_all_tasks_blocked()
        gc.collect()
        held = _resident_kib() - before
        gate.set()
    return {"value": held / SUSPENDED, "completed": completed}


async def _stop_consumer(
    make: Callable[[trio.Event], Node], limits: Limits
) -> tuple[float, float]:
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
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            nonlocal peak
            await gate.wait()
            await trio.testing.wait_all_tasks_blocked(0.2)
            peak = tracemalloc.get_traced_memory()[1]
            resume.set()

        nursery.start_soon(watch)
        runtime = Runtime(Scene(lambda: make(gate)), limits=limits)
        await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
    return base, peak


@component
async def _reporting(gate: trio.Event) -> Node:
    await gate.wait()
    progress = agent().progress
    for done in range(REPORTS):
        progress.report(done, total=REPORTS, message="hashing")
        if done % 1000 == 0:
            await trio.lowlevel.checkpoint()
    return Agent.Markdown("done")


async def _report() -> dict[str, float]:
    """KiB of growth while 100,000 reports are made and nobody reads."""
    tracemalloc.start(1)
    base, peak = await _stop_consumer(
        lambda gate: Agent.Result(Suspense(_reporting(gate), fallback=Agent.Progress())), WIDE
    )
    return {"value": (peak - base) / 1024}


async def _finish_rows() -> dict[str, float]:
    """Bytes per finished row that nobody takes, beyond what the ledger charged for it."""
    tracemalloc.start(1)
    text = "x" * 64

    def tree(gate: trio.Event) -> Node:
        return Agent.Result(
            *[Suspense(_late(gate, text), fallback=Agent.Text("w")) for _ in range(ROWS)]
        )

    base, peak = await _stop_consumer(tree, WIDE)
    charged = Agent.Markdown(text).size + 1
    return {"value": (peak - base) / ROWS - charged}


async def _exceed_bytes() -> dict[str, float]:
    """10,000 rows of 4 KB under default limits: 1 if the invocation says what broke."""

    def tree(gate: trio.Event) -> Node:
        return Agent.Result(*[Suspense(_late(gate, "x" * 4096)) for _ in range(ROWS)])

    code = "complete"
    try:
        await _stop_consumer(tree, Limits())
    except* InvocationError as group:
        code = ", ".join(getattr(error, "code", repr(error)) for error in group.exceptions)
    return {"value": float(code != "document-bytes-exceeded")}


_SCENES: Final = {
    "suspended-memory": (_suspend, 40.0, "KiB", f"each of {SUSPENDED} invocations with a boundary"),
    "slow-consumer-progress": (_report, 64.0, "KiB", f"growth during {REPORTS} unread reports"),
    "slow-consumer-rows": (_finish_rows, 256.0, "B", f"per row beyond its charge, {ROWS} rows"),
    "slow-consumer-bytes": (_exceed_bytes, 0.0, "failed", "rows of 4 KB must exceed the bytes"),
}


def make_run(name: str) -> Callable[[], Sequence[Figure]]:
    """A benchmark that runs one scene in a child process."""
    _, limit, unit, note = _SCENES[name]

    def run() -> Sequence[Figure]:
        ran = subprocess.run(
            [sys.executable, "-m", "benchmarks.memory", name],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        outcome: dict[str, float] = json.loads(ran.stdout)
        if outcome.get("completed", SUSPENDED) != SUSPENDED:
            raise AssertionError(f"only {outcome['completed']} invocations completed")
        return (
            Figure(name=name, values=(outcome["value"],), limit=limit, unit=unit, note=note),
        )

    return run


if __name__ == "__main__":
    print(json.dumps(trio.run(_SCENES[sys.argv[1]][0])))
