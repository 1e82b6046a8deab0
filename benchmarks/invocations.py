"""What an invocation costs that does nearly nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from benchmarks.harness import ROUNDS, Samples, Stopwatch, ratios, turns
from benchmarks.scenes import make_runtime, render
from trio_agent import Agent, Node, Suspense, component

if TYPE_CHECKING:
    from collections.abc import Mapping


async def _bare_chain() -> None:
    """Five tasks in a chain, four channels of capacity 0, six values: what Trio itself costs."""
    channels = [trio.open_memory_channel[int](0) for _ in range(4)]
    counts = (2, 1, 1, 2)

    async def head() -> None:
        with channels[0][0] as send:
            for value in range(counts[0]):
                await send.send(value)

    async def middle(index: int) -> None:
        with channels[index - 1][1] as receive, channels[index][0] as send:
            async for _ in receive:
                pass
            for value in range(counts[index]):
                await send.send(value)

    async def tail() -> None:
        with channels[3][1] as receive:
            async for _ in receive:
                pass

    async with trio.open_nursery() as nursery:
        nursery.start_soon(head)
        for index in (1, 2, 3):
            nursery.start_soon(middle, index)
        nursery.start_soon(tail)


@component
async def _late() -> Node:
    await trio.lowlevel.checkpoint()
    return Agent.Markdown("late")


def measure(repeat: int = 400, rounds: int = ROUNDS) -> Mapping[str, Samples]:
    """`trivial-invocation` and `one-boundary`, against bare Trio tasks.

    Args:
        repeat: how often each side runs in one turn.
        rounds: turns per side.
    """
    leaf = make_runtime(lambda: Agent.Markdown("hello"))
    boundary = make_runtime(
        lambda: Agent.Result(Suspense(_late(), fallback=Agent.Progress(message="w")))
    )

    async def trivial() -> None:
        await render(leaf)

    async def one_boundary() -> None:
        await render(boundary)

    async def take_turns() -> tuple[list[float], ...]:
        sides = (_bare_chain, trivial, one_boundary)
        taken: tuple[list[float], ...] = ([], [], [])
        # The first round is for warming up.
        for turn in turns(len(sides), rounds + 1):
            with Stopwatch() as watch:
                for _ in range(repeat):
                    await sides[turn]()
            taken[turn].append(watch.seconds / repeat)
        return tuple(seconds[1:] for seconds in taken)

    bare, leaves, boundaries = trio.run(take_turns)
    note = f"against five bare Trio tasks in a chain, {min(bare) * 1e6:.0f} us"
    return {
        "trivial-invocation": Samples(values=ratios(leaves, bare), note=note),
        "one-boundary": Samples(values=ratios(boundaries, bare), note=note),
    }
