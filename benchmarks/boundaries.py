"""Boundaries that settle one after another: the cost of each must not depend on their number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import trio

from benchmarks.harness import MeasurementError, Samples, Stopwatch, ratios
from benchmarks.scenes import WIDE, Passing, Scene
from trio_agent import Agent, Invocation, Node, Runtime, Suspense, component
from trio_agent.protocol.output import NdjsonProjection
from trio_agent.vocabulary.event import ReplaceEvent, ShellEvent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trio_agent.vocabulary.event import RenderEvent

PASSES: Final = 7


@component
async def _part(gate: trio.Event, index: int) -> Node:
    await gate.wait()
    return Agent.Markdown(f"part {index} is ready")


def _parts(gates: Sequence[trio.Event]) -> Node:
    return Agent.Result(
        *[
            Suspense(_part(gate, index), fallback=Agent.Progress(message="w"))
            for index, gate in enumerate(gates)
        ]
    )


async def _settle(count: int, *, collector: bool) -> float:
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

    with Stopwatch(collector=collector) as watch:
        runtime = Runtime(Scene(lambda: _parts(gates)), limits=WIDE)
        await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
    if seen != count:
        raise MeasurementError(f"{seen} of {count} boundaries were replaced")
    return watch.seconds


def measure_linear(base: int = 1000, passes: int = PASSES) -> Mapping[str, Samples]:
    """`boundaries-linear` and `boundaries-linear-8`: the least of several passes per size.

    The whole invocation is timed, with the cyclic collector off, as `timeit` does: its full
    passes come in steps (none at 1,000 boundaries, a few at 8,000), and would say more about the
    heap than about us.  The note has the same ratio with the collector on.

    Args:
        base: the number of boundaries that the larger sizes are compared with.
        passes: how often each size runs.
    """
    sizes = (base, 2 * base, 8 * base)

    async def take_turns(passes: int, *, collector: bool) -> list[float]:
        await _settle(max(1, base // 5), collector=collector)
        taken: list[list[float]] = [[] for _ in sizes]
        for _ in range(passes):
            for size, seconds in zip(sizes, taken, strict=True):
                seconds.append(await _settle(size, collector=collector))
        return [min(seconds) for seconds in taken]

    async def take_both() -> tuple[list[float], list[float]]:
        without = await take_turns(passes, collector=False)
        return without, await take_turns(min(passes, 3), collector=True)

    least, collected = trio.run(take_both)

    def compare(larger: int) -> Samples:
        each = [f"{least[i] / sizes[i] * 1e6:.0f} us" for i in (larger, 0)]
        return Samples(
            values=(least[larger] / least[0],),
            note=f"{sizes[larger]:,} boundaries ({each[0]} each) against {base:,} ({each[1]});"
            f" {collected[larger] / collected[0]:.2f} with the garbage collector on",
        )

    return {"boundaries-linear": compare(1), "boundaries-linear-8": compare(2)}


async def _collect(count: int) -> Sequence[RenderEvent]:
    """All events of a tree of *count* boundaries that never have to wait."""
    events: list[RenderEvent] = []

    async def sink(event: RenderEvent) -> None:
        events.append(event)

    gate = trio.Event()
    gate.set()
    runtime = Runtime(Scene(lambda: _parts([gate] * count)), limits=WIDE)
    await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
    return events


def measure_ndjson(count: int = 1000, passes: int = PASSES) -> Mapping[str, Samples]:
    """`ndjson-boundaries`: serialising every event, against `json.dumps` of each snapshot.

    Args:
        count: boundaries, and so `replace` events that each repeat the document.
        passes: turns per side.
    """
    ours: list[float] = []
    theirs: list[float] = []
    size = 0
    for _ in range(passes):
        # A chunk keeps its text, so each pass needs a stream that was never serialised.
        events = trio.run(_collect, count)
        projection = NdjsonProjection()
        size = 0
        with Stopwatch() as watch:
            for event in events:
                for output in projection.feed(event):
                    size += len(output.encoded("utf-8", on_terminal=False))
        ours.append(watch.seconds)
        wires = [event.to_wire() for event in events]
        with Stopwatch() as watch:
            for wire in wires:
                json.dumps(wire, ensure_ascii=False, separators=(",", ":")).encode()
        theirs.append(watch.seconds)
    note = f"{count:,} boundaries, {size / 1e6:.0f} MB, against json.dumps of each snapshot"
    return {"ndjson-boundaries": Samples(values=ratios(ours, theirs), note=note)}
