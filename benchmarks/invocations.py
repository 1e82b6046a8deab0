"""What an invocation costs that does nearly nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from benchmarks.harness import ROUNDS, Samples, Stopwatch, ratios, turns
from benchmarks.scenes import make_runtime, render
from trio_agent import Agent, Node, Suspense, component

if TYPE_CHECKING:
    from collections.abc import Mapping


_VALUES: Final = (2, 1, 1, 2)
"""How many values go through each of the four channels: as many as in an invocation."""


async def _head(send: trio.MemorySendChannel[int]) -> None:
    with send:
        for value in range(_VALUES[0]):
            await send.send(value)


async def _middle(
    receive: trio.MemoryReceiveChannel[int], send: trio.MemorySendChannel[int], count: int
) -> None:
    with receive, send:
        async for _ in receive:
            pass
        for value in range(count):
            await send.send(value)


async def _tail(receive: trio.MemoryReceiveChannel[int]) -> None:
    with receive:
        async for _ in receive:
            pass


async def _bare_chain() -> None:
    """Five tasks in a chain, four channels of capacity 0, six values: what Trio itself costs."""
    channels = [trio.open_memory_channel[int](0) for _ in _VALUES]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_head, channels[0][0])
        for index in (1, 2, 3):
            nursery.start_soon(_middle, channels[index - 1][1], channels[index][0], _VALUES[index])
        nursery.start_soon(_tail, channels[3][1])


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
