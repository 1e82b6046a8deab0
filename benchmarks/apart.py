"""A process of its own for each measurement.

What one measurement leaves behind, a scattered heap above all, slows down whatever comes next in
the same process, and not both sides alike.

Above: `__main__`, which measures through here.  The other end is this module as a program,
`python -m benchmarks.apart NAME`; it prints the samples as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

import attrs

from benchmarks.catalogue import BENCHMARKS
from benchmarks.harness import MeasurementError, Samples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.harness import Benchmark

_TIMEOUT_S: Final = 600


class _SamplesJson(TypedDict):
    values: list[float]
    note: str
    is_skipped: bool


def measure_apart(benchmark: Benchmark) -> Mapping[str, Samples]:
    """Run the measurement of a benchmark of the catalogue in a new process.

    Raises:
        MeasurementError: it failed there; the message is the last line that it said.
    """
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.apart", benchmark.name],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[1],
        encoding="utf-8",
        timeout=_TIMEOUT_S,
    )
    if ran.returncode:
        said = ran.stderr.strip().splitlines() or ["it said nothing"]
        raise MeasurementError(f"its process ended with {ran.returncode}: {said[-1]}")
    return read_samples(ran.stdout)


def read_samples(text: str) -> Mapping[str, Samples]:
    """The samples that `main` has printed."""
    found: dict[str, _SamplesJson] = json.loads(text)
    return {name: Samples(**samples) for name, samples in found.items()}


def main(arguments: list[str]) -> None:
    """Measure in this process and print the samples.

    Raises:
        SystemExit: with the message of a measurement that failed.
    """
    [wanted] = [benchmark for benchmark in BENCHMARKS if [benchmark.name] == arguments]
    try:
        found = wanted.measure()
    except MeasurementError as error:
        sys.exit(str(error))
    print(json.dumps({name: attrs.asdict(samples) for name, samples in found.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
