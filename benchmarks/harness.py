"""How a figure is taken: two things measured in turn, in one run, and their ratio.

A ratio is the median of at least seven interleaved rounds, so that a busy machine slows both
sides down alike.  It is printed with its quartiles.  Absolute times are for orientation only.
"""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, Final, final

import attrs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

ROUNDS: Final = 9


@final
@attrs.frozen(kw_only=True)
class Figure:
    """One line of the table.

    Attributes:
        name: what `--only` takes.
        values: one per round.
        limit: the most that is allowed.
        unit: what a value is; `x` for a ratio.
        note: the baseline, and what else a reader should know.
    """

    name: str
    values: Sequence[float]
    limit: float
    unit: str = "x"
    note: str = ""

    @property
    def value(self) -> float:
        """The median."""
        return statistics.median(self.values)

    @property
    def quartiles(self) -> tuple[float, float]:
        """First and third quartile; the value itself if there is only one."""
        if len(self.values) < 2:
            return self.value, self.value
        first, _, third = statistics.quantiles(self.values, n=4)
        return first, third

    @property
    def is_ok(self) -> bool:
        """Whether the limit is kept."""
        return self.value <= self.limit


@final
@attrs.frozen
class Benchmark:
    """A benchmark by name: makes its figures when it is called."""

    name: str
    run: Callable[[], Sequence[Figure]]


async def time_rounds(
    sides: Sequence[Callable[[], Awaitable[object]]], *, repeat: int, rounds: int = ROUNDS
) -> list[list[float]]:
    """Seconds per call, by side and round; the sides take turns within a round.

    Processor time, not wall time: the machine is shared, and nothing here waits.
    """
    for side in sides:
        for _ in range(max(1, repeat // 5)):
            await side()
    seconds: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, taken in zip(sides, seconds, strict=True):
            gc.collect()
            started = time.process_time()
            for _ in range(repeat):
                await side()
            taken.append((time.process_time() - started) / repeat)
    return seconds


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Round by round."""
    return [a / b for a, b in zip(numerators, denominators, strict=True)]
