"""Measure, print a table, and fail where a limit is broken.

    python -m benchmarks                 everything
    python -m benchmarks --only NAME     one benchmark; may be repeated
    python -m benchmarks --json          a list of {name, ratio, limit, ok} and nothing else

What is compared with something that is not installed here is skipped, with a note; its `ok` is
null.

Exit codes: 0, every limit is kept, of those that were not skipped; 1, one is not, or could not be
measured; 2, a usage error.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from benchmarks.apart import measure_apart
from benchmarks.catalogue import BENCHMARKS
from benchmarks.harness import take_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.harness import Benchmark, Figure, Samples


def main(
    arguments: Sequence[str] | None = None,
    benchmarks: Sequence[Benchmark] = BENCHMARKS,
    measure: Callable[[Benchmark], Mapping[str, Samples]] = measure_apart,
) -> int:
    """Measure what was asked for.

    Args:
        arguments: those of the command line by default.
        benchmarks: what there is to choose from.
        measure: how a measurement is run.

    Returns:
        The exit code, 0 or 1.

    Raises:
        SystemExit: with code 2, a name or an option is not known.
    """
    options = _make_parser(benchmarks).parse_args(arguments)
    wanted = [one for one in benchmarks if not options.only or one.name in options.only]
    figures: list[Figure] = []
    for figure in take_figures(wanted, measure):
        figures.append(figure)
        if not options.json:
            print(figure.to_line(), flush=True)
        elif figure.value is None:
            print(f"{figure.name}: {figure.note}", file=sys.stderr)
    if options.json:
        print(json.dumps([figure.to_json() for figure in figures]))
    return 1 if any(figure.is_failure for figure in figures) else 0


def _make_parser(benchmarks: Sequence[Benchmark]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON and no table")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        choices=[one.name for one in benchmarks],
        help="one of: %(choices)s",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
