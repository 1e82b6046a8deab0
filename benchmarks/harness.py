"""How a figure is taken and judged: two things measured in turn, and the ratio of the two.

A ratio is the median of several rounds, in each of which every side has its turn, so that a busy
machine slows all of them down alike.  What is timed is processor time.  Absolute times are for
orientation only; only a `Figure` is judged, and only against the limit of its `Benchmark`.

This module knows no benchmark.  Above it: one module per subject, then `catalogue`, `apart`,
`__main__`.

    Benchmark  a name, a limit, and the measurement that yields its samples
    Samples    what a measurement found for one name, a value per round
    Figure     samples, judged; the line of the table
"""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, Final, Self, TypeAlias, final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ROUNDS: Final = 9


class MeasurementError(Exception):
    """A benchmark could not be measured, or what it measured did not do its work."""


@final
@attrs.frozen(kw_only=True)
class Samples:
    """What a measurement found for one benchmark.

    Attributes:
        values: one per round, at least one, unless it was skipped.
        note: the baseline, and what else a reader should know; why it was skipped.
        is_skipped: whether what it is compared with is not installed here, which is no failure.
    """

    values: Sequence[float] = attrs.field(converter=tuple[float, ...])
    note: str = ""
    is_skipped: bool = False

    @values.validator
    def _check_values(self, _: object, values: Sequence[float]) -> None:
        if bool(values) is self.is_skipped:
            raise ValueError(f"values are there or skipped, received {values!r}")

    @classmethod
    def skipped(cls, why: str) -> Samples:
        """The samples of a benchmark that cannot be measured here, for lack of what *why* says."""
        return cls(values=(), note=why, is_skipped=True)


Measurement: TypeAlias = "Callable[[], Mapping[str, Samples]]"
"""Measures once; the samples by the name of their benchmark."""


@final
@attrs.frozen
class Benchmark:
    """A benchmark.

    Attributes:
        name: what `--only` takes.
        limit: the most that is allowed.
        measure: may yield the samples of other benchmarks as well, and is then called once for
            all of them.
        unit: what a value is; `x` for a ratio.
    """

    name: str
    limit: float
    measure: Measurement
    unit: str = "x"


@final
@attrs.frozen(kw_only=True)
class Figure:
    """A benchmark, measured and judged.

    Attributes:
        values: one per round; none if there was nothing to measure, and the note says why.
        is_skipped: whether there was nothing to measure because something is not installed.
    """

    name: str
    limit: float
    unit: str
    values: Sequence[float]
    note: str
    is_skipped: bool = False

    @property
    def value(self) -> float | None:
        """The median of the values."""
        return statistics.median(self.values) if self.values else None

    @property
    def quartiles(self) -> tuple[float, float] | None:
        """First and third quartile; None if there are not two values."""
        if len(self.values) < 2:
            return None
        first, _, third = statistics.quantiles(self.values, n=4, method="inclusive")
        return first, third

    @property
    def is_ok(self) -> bool:
        """Whether there is a value and it keeps the limit."""
        return self.value is not None and self.value <= self.limit

    @property
    def is_failure(self) -> bool:
        """Whether the limit is broken, or nobody knows; what was skipped is neither."""
        return not (self.is_ok or self.is_skipped)

    def to_json(self) -> dict[str, str | float | bool | None]:
        """What `--json` prints; a value that is no ratio stands there in its own unit.

        What was skipped is neither ok nor not, so `ok` is null.
        """
        ratio = None if self.value is None else round(self.value, 4)
        ok = None if self.is_skipped else self.is_ok
        return {"name": self.name, "ratio": ratio, "limit": self.limit, "ok": ok}

    def to_line(self) -> str:
        """One line of the table."""
        verdict = "skip" if self.is_skipped else "ok  " if self.is_ok else "FAIL"
        value = "-" if self.value is None else f"{self.value:.2f}"
        spread = "" if self.quartiles is None else "[{:.2f} .. {:.2f}]".format(*self.quartiles)
        return (
            f"{verdict} {self.name:30} {value:>6} {self.unit:6} {spread:18}"
            f" limit {self.limit:<5g} {self.note}"
        ).rstrip()


def measure_here(benchmark: Benchmark) -> Mapping[str, Samples]:
    """Run the measurement of a benchmark in this process."""
    return benchmark.measure()


def take_figures(
    benchmarks: Sequence[Benchmark], measure: Callable[[Benchmark], Mapping[str, Samples]]
) -> Iterator[Figure]:
    """Measure and judge, in the order given.

    A measurement that several benchmarks share runs once.  One that fails yields figures without
    a value, which are not ok, and does not keep the others from being measured.

    Args:
        benchmarks: what to measure.
        measure: how to run the measurement of one: `measure_here`, or in a process of its own.

    Raises:
        LookupError: a measurement has no samples for its benchmark.
    """
    found: dict[Measurement, Mapping[str, Samples] | MeasurementError] = {}
    for benchmark in benchmarks:
        if benchmark.measure not in found:
            try:
                found[benchmark.measure] = measure(benchmark)
            except MeasurementError as error:
                found[benchmark.measure] = error
        yield _judge(benchmark, found[benchmark.measure])


def _judge(benchmark: Benchmark, found: Mapping[str, Samples] | MeasurementError) -> Figure:
    name, limit, unit = benchmark.name, benchmark.limit, benchmark.unit
    if isinstance(found, MeasurementError):
        return Figure(name=name, limit=limit, unit=unit, values=(), note=str(found))
    if name not in found:
        raise LookupError(f"nothing measures {name!r}, only {', '.join(found)}")
    return Figure(name=name, limit=limit, unit=unit, **attrs.asdict(found[name]))


@final
class Stopwatch:
    """Processor seconds of a `with` block, this process and all its threads.

    Garbage is collected before, and what lives then is left alone by the collector during the
    block: what a benchmark keeps for itself must not slow down what it measures.

    Args:
        collector: False switches the cyclic collector off for the block.
    """

    def __init__(self, *, collector: bool = True) -> None:
        self.seconds = 0.0
        self._collector = collector
        self._resume_collector = False
        self._started = 0.0

    def __enter__(self) -> Self:
        gc.collect()
        gc.freeze()
        self._resume_collector = gc.isenabled()
        if not self._collector:
            gc.disable()
        self._started = time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.process_time() - self._started
        if self._resume_collector:
            gc.enable()
        gc.unfreeze()


def turns(sides: int, rounds: int = ROUNDS) -> Iterator[int]:
    """Whose turn it is: each side once per round, and each round begins with the next side."""
    for first in range(rounds):
        for offset in range(sides):
            yield (first + offset) % sides


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Round by round."""
    return [a / b for a, b in zip(numerators, denominators, strict=True)]
