"""`python -m benchmarks`: measure, print a table of ratios, fail where a limit is broken.

    python -m benchmarks                 everything, a table
    python -m benchmarks --only NAME     one benchmark; may be repeated
    python -m benchmarks --json          a list of {name, ratio, limit, ok}
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Final

from benchmarks import boundaries, documents, invocations, memory, startup
from benchmarks.harness import Benchmark, Figure

BENCHMARKS: Final = (
    Benchmark("trivial-invocation", invocations.run),
    Benchmark("one-boundary", invocations.run),
    Benchmark("boundaries-linear", boundaries.run_linear),
    Benchmark("boundaries-linear-8", boundaries.run_linear),
    Benchmark("document-10k", documents.run),
    Benchmark("async-components", documents.run),
    Benchmark("ndjson-boundaries", boundaries.run_ndjson),
    Benchmark("suspended-memory", memory.make_run("suspended-memory")),
    Benchmark("slow-consumer-progress", memory.make_run("slow-consumer-progress")),
    Benchmark("slow-consumer-rows", memory.make_run("slow-consumer-rows")),
    Benchmark("slow-consumer-bytes", memory.make_run("slow-consumer-bytes")),
    Benchmark("cli-cold-start", startup.run),
)


def main() -> int:
    """Measure what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON and no table")
    parser.add_argument(
        "--only", action="append", metavar="NAME", choices=[one.name for one in BENCHMARKS]
    )
    options = parser.parse_args()
    wanted = options.only or [one.name for one in BENCHMARKS]
    figures: list[Figure] = []
    for run in dict.fromkeys(one.run for one in BENCHMARKS if one.name in wanted):
        for figure in run():
            if figure.name in wanted:
                figures.append(figure)
                if not options.json:
                    print(_line(figure), flush=True)
    if options.json:
        print(
            json.dumps(
                [
                    {
                        "name": figure.name,
                        "ratio": round(figure.value, 4),
                        "limit": figure.limit,
                        "ok": figure.is_ok,
                    }
                    for figure in figures
                ]
            )
        )
    return 0 if all(figure.is_ok for figure in figures) else 1


def _line(figure: Figure) -> str:
    first, third = figure.quartiles
    verdict = "ok  " if figure.is_ok else "FAIL"
    return (
        f"{verdict} {figure.name:24s} {figure.value:8.2f} {figure.unit:6s}"
        f" [{first:.2f} .. {third:.2f}]  limit {figure.limit:g}  {figure.note}"
    )


if __name__ == "__main__":
    sys.exit(main())
