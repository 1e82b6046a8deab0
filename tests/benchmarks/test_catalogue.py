"""Every benchmark is known, documented, and runs; how long it takes is not a test's business."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchmarks import (
    apart,
    boundaries,
    documents,
    http_sessions,
    invocations,
    mcp_start,
    mcp_stdio,
    mcp_tasks,
    memory,
    startup,
)
from benchmarks.apart import measure_apart
from benchmarks.catalogue import BENCHMARKS
from benchmarks.harness import Benchmark, MeasurementError, Samples

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "benchmarks.md"
NOWHERE = Path(__file__).parent / "no-such-folder"

TINY: Mapping[str, Callable[[], Mapping[str, Samples]]] = {
    "invocations": functools.partial(invocations.measure, repeat=2, rounds=1),
    "linear": functools.partial(boundaries.measure_linear, base=3, passes=1),
    "ndjson": functools.partial(boundaries.measure_ndjson, count=3, passes=1),
    "document": functools.partial(documents.measure_document, 3, rounds=2, react=NOWHERE),
    "async": functools.partial(documents.measure_async, 3, rounds=2),
    "suspended": functools.partial(memory.measure_suspended, 3),
    "progress": functools.partial(memory.measure_progress, 3),
    "rows": functools.partial(memory.measure_rows, 3),
    "startup": functools.partial(startup.measure, rounds=1),
    "help": functools.partial(startup.measure_help, rounds=1),
    "fifty": functools.partial(startup.measure_fifty, rounds=1, siblings=2),
    "mcp-stdio": functools.partial(mcp_stdio.measure, calls=32, rounds=1),
    "mcp-start": functools.partial(mcp_start.measure, rounds=1, names=["mcp-start-call"]),
    "tasks-poll": functools.partial(mcp_tasks.measure_poll, polls=8, rounds=1),
    "tasks-many": functools.partial(mcp_tasks.measure_many, (3, 3)),
    "http-sessions": functools.partial(http_sessions.measure, 3),
}


def test_names_are_unique() -> None:
    names = [benchmark.name for benchmark in BENCHMARKS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("scene", TINY)
def test_a_tiny_scene_yields_finite_values_for_benchmarks_of_the_catalogue(scene: str) -> None:
    found = TINY[scene]()

    assert found
    assert found.keys() <= {benchmark.name for benchmark in BENCHMARKS}
    for samples in found.values():
        assert samples.note
        assert all(math.isfinite(value) for value in samples.values)


def test_rows_that_stay_within_their_bytes_are_not_measured_as_if_they_broke_them() -> None:
    with pytest.raises(MeasurementError, match=r"expected document-bytes-exceeded, .*'complete'"):
        memory.measure_bytes(2)


def test_a_measurement_that_fails_apart_is_told_with_its_last_line() -> None:
    unknown = Benchmark("no-such-name", 1.0, memory.measure_bytes)

    with pytest.raises(MeasurementError, match="its process ended with 1: ValueError"):
        measure_apart(unknown)


def test_the_program_for_one_measurement_prints_what_it_found_or_fails_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"fine": Samples(values=(1.0, 2.0), note="n"), "also": Samples.skipped("why")}
    fine = Benchmark("fine", 1.0, lambda: found)
    broken = Benchmark("broken", 1.0, functools.partial(memory.measure_bytes, 2))
    monkeypatch.setattr(apart, "BENCHMARKS", (fine, broken))

    apart.main(["fine"])

    assert apart.read_samples(capsys.readouterr().out) == found
    with pytest.raises(SystemExit, match="expected document-bytes-exceeded"):
        apart.main(["broken"])


def test_without_the_packages_of_react_the_note_says_how_to_get_them() -> None:
    samples = TINY["document"]()["document-10k"]

    assert "npm install" in samples.note


def test_the_documentation_has_the_same_names_and_limits() -> None:
    rows = re.findall(
        r"^\| `([\w-]+)` \|.*\| ([\d.]+)(?: (KiB|B))? \|$", PAGE.read_text("utf-8"), re.MULTILINE
    )

    documented = {name: (float(limit), unit) for name, limit, unit in rows}
    assert documented == {
        benchmark.name: (benchmark.limit, benchmark.unit if benchmark.unit in {"KiB", "B"} else "")
        for benchmark in BENCHMARKS
    }
