"""Boundaries that settle one after another: the cost of each must not depend on their number."""

from __future__ import annotations

import gc
import json
import time
from typing import TYPE_CHECKING, Final

import trio

from benchmarks.harness import Figure
from benchmarks.scenes import WIDE, Passing, Scene
from trio_agent import Agent, Invocation, Node, Runtime, Suspense, component
from trio_agent.protocol.output import NdjsonProjection
from trio_agent.vocabulary.event import ReplaceEvent, ShellEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.vocabulary.event import RenderEvent

PASSES: Final = 7


@component
async def _part(gate: trio.Event, index: int) -> Node:
    await gate.wait()
    return Agent.Markdown(f"part {index} is ready")


async def _settle(count: int) -> float:
    """Processor seconds for *count* boundaries; each is taken before the next may settle."""
    gates = [trio.Event() for _ in range(count)]
    seen = 0

    async def sink(event: RenderEvent) -> None:
        nonlocal seen
        if isinstance(event, ShellEvent):
            gates[0].set()
        elif isinstance(event, ReplaceEvent):
            seen += 1
            if seen < count:
                gates[seen].set()

    def tree() -> Node:
        return Agent.Result(
            *[
                Suspense(_part(gate, index), fallback=Agent.Progress(message="w"))
                for index, gate in enumerate(gates)
            ]
        )

    gc.collect()
    started = time.process_time()
    runtime = Runtime(Scene(tree), limits=WIDE)
    await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
    if seen != count:
        raise AssertionError(f"{seen} of {count} boundaries were replaced")
    return time.process_time() - started


def run_linear() -> Sequence[Figure]:
    """`boundaries-linear` and `boundaries-linear-8`: min of seven passes per size."""

    async def measure() -> dict[int, list[float]]:
        await _settle(200)
        taken: dict[int, list[float]] = {1000: [], 2000: [], 8000: []}
        for _ in range(PASSES):
            for count, seconds in taken.items():
                seconds.append(await _settle(count))
        return taken

    taken = trio.run(measure)
    least = {count: min(seconds) for count, seconds in taken.items()}
    each = ", ".join(f"{n}: {least[n] / n * 1e6:.0f} us each" for n in least)
    return (
        Figure(
            name="boundaries-linear",
            values=(least[2000] / least[1000],),
            limit=2.2,
            note=f"2,000 over 1,000, min of {PASSES} per size ({each})",
        ),
        Figure(
            name="boundaries-linear-8",
            values=(least[8000] / least[1000],),
            limit=9.0,
            note=f"8,000 over 1,000, min of {PASSES} per size",
        ),
    )


def run_ndjson() -> Sequence[Figure]:
    """`ndjson-boundaries`: serialising every event, against `json.dumps` of each snapshot."""
    count = 1000

    async def collect() -> list[RenderEvent]:
        events: list[RenderEvent] = []

        async def sink(event: RenderEvent) -> None:
            events.append(event)

        gate = trio.Event()
        gate.set()
        runtime = Runtime(
            Scene(
                lambda: Agent.Result(
                    *[
                        Suspense(_part(gate, i), fallback=Agent.Progress(message="w"))
                        for i in range(count)
                    ]
                )
            ),
            limits=WIDE,
        )
        await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
        return events

    ours: list[float] = []
    theirs: list[float] = []
    size = 0
    for _ in range(PASSES):
        # A chunk keeps its text, so each pass needs a stream that was never serialised.
        events = trio.run(collect)
        projection = NdjsonProjection()
        gc.collect()
        started = time.process_time()
        size = 0
        for event in events:
            for output in projection.feed(event):
                size += len(output.encoded("utf-8", on_terminal=False))
        ours.append(time.process_time() - started)
        wires = [event.to_wire() for event in events]
        gc.collect()
        started = time.process_time()
        for wire in wires:
            json.dumps(wire, ensure_ascii=False, separators=(",", ":")).encode()
        theirs.append(time.process_time() - started)
    values = [a / b for a, b in zip(ours, theirs, strict=True)]
    return (
        Figure(
            name="ndjson-boundaries",
            values=values,
            limit=0.25,
            note=f"{count} boundaries, {size / 1e6:.0f} MB, against json.dumps of each snapshot",
        ),
    )
