"""Runs the official MCP conformance suite against the plugin that lies beside this file.

    python tests/conformance/run.py FOLDER [--only SCENARIO]

FOLDER keeps what npm installs, so the second run begins at once: the suites that `package.json`
names, and the Node they need.  The plugin is served by the command that people use, over HTTP.

Every scenario of a revision is run, those included that no revision requires.  One that fails,
warns, skips a check or is missing fails the run.  `LEFT_OUT` says which are not judged, and why.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE: Final = Path(__file__).resolve().parent

INSTALL_S: Final = 300.0
START_S: Final = 30.0
SUITE_S: Final = 300.0
STOP_S: Final = 5.0

LEFT_OUT: Final = {"tasks-status-notifications": "the suite itself skips it and checks nothing"}
"""Beginnings of scenarios, and why they are not judged."""

_PLACE = re.compile(r"^server-(?P<scenario>.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$")
_COUNT = re.compile(r"^Running .*\((?P<count>\d+) scenarios\)", re.MULTILINE)
_SERVING = re.compile(r"serving http://[\d.]+:(?P<port>\d+)/mcp$", re.MULTILINE)


@dataclass(frozen=True)
class Leg:
    """One run of a suite: everything that one revision of the protocol is held against."""

    package: str
    revision: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.package}, {self.revision}"


LEGS: Final = (
    Leg("suite-0.1", "2025-11-25", ("--suite", "all", "--spec-version", "2025-11-25")),
    Leg("suite-0.2", "2025-11-25", ("--requirements", "2025-11-25")),
    Leg("suite-0.2", "2026-07-28", ("--requirements", "2026-07-28")),
)


@dataclass(frozen=True)
class Outcome:
    """What became of one scenario: how many checks passed, and what the others said."""

    scenario: str
    passed: int
    complaints: tuple[str, ...]

    @property
    def left_out(self) -> str | None:
        """Why it is not judged; None if it is."""
        reasons = (why for start, why in LEFT_OUT.items() if self.scenario.startswith(start))
        return next(reasons, None)

    @property
    def is_failed(self) -> bool:
        return self.left_out is None and (bool(self.complaints) or not self.passed)

    def lines(self) -> Iterator[str]:
        if self.left_out is not None:
            yield f"  left out  {self.scenario}: {self.left_out}"
            return
        yield f"  {'FAILED' if self.is_failed else 'ok':<8}  {self.scenario}: {self.passed} passed"
        for complaint in self.complaints:
            yield f"            {complaint}"


def main(argv: Sequence[str]) -> int:
    """Install, serve, run the legs, and print a table; the exit code."""
    parser = argparse.ArgumentParser(description="Run the MCP conformance suite.")
    parser.add_argument("folder", type=Path, help="where npm installs the suites")
    parser.add_argument("--only", metavar="SCENARIO", help="run one scenario")
    given = parser.parse_args(argv)
    folder: Path = given.folder.resolve()
    only: str | None = given.only
    install(folder)
    judged: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch, serving(Path(scratch)) as url:
        for leg in LEGS:
            output = run_leg(leg, folder, url, Path(scratch) / leg.name, only)
            outcomes = read_outcomes(Path(scratch) / leg.name)
            print(f"\n{leg.name}")
            for outcome in outcomes:
                print("\n".join(outcome.lines()))
            judged += tally(outcomes)
            announced = _COUNT.search(output)
            wanted = int(announced["count"]) if announced is not None else only is None or 0
            if only is None and len(outcomes) != wanted:
                judged["broken"] += 1
                print(f"  FAILED    {len(outcomes)} of {wanted} scenarios ran\n{output[-4000:]}")
    print("\n" + ", ".join(f"{count} {word}" for word, count in judged.items()))
    return 1 if judged["failed"] or judged["broken"] or not judged["ok"] else 0


def tally(outcomes: Sequence[Outcome]) -> Counter[str]:
    """How many scenarios there are of which kind, and how many checks passed."""
    counted: Counter[str] = Counter()
    for outcome in outcomes:
        if outcome.left_out is not None:
            counted["left out"] += 1
        else:
            counted["failed" if outcome.is_failed else "ok"] += 1
            counted["checks passed"] += outcome.passed
    return counted


def install(folder: Path) -> None:
    """Let npm install what `package.json` names, unless it did so before."""
    wanted, stamp = (HERE / "package.json").read_text("utf-8"), folder / "installed.json"
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("the conformance suite is a Node program: it takes npm to install it")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(wanted, "utf-8")
    words = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([npm, "install", *words], cwd=folder, check=True, timeout=INSTALL_S)
    stamp.write_text(wanted, "utf-8")


@contextmanager
def serving(scratch: Path) -> Iterator[str]:
    """Serve the plugin for a block; gives its URL."""
    words = ["-P", "-m", "trio_agent.serve", str(HERE / "plugin"), "--http", "127.0.0.1:0"]
    log = scratch / "server.log"
    with log.open("wb") as errors:
        process = subprocess.Popen([sys.executable, *words], stderr=errors, cwd=scratch)
    try:
        # By this name: the suite pretends to be other hosts, and one of them is an address.
        yield f"http://localhost:{wait_for_port(process, log)}/mcp"
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        said = log.read_text("utf-8", errors="replace")
        print(f"\nthe server ended with {process.returncode}, and said last:\n{said[-4000:]}")


def wait_for_port(process: subprocess.Popen[bytes], log: Path) -> int:
    """The port that the server says it has."""
    for _ in range(int(START_S / 0.05)):
        if (found := _SERVING.search(log.read_text("utf-8", errors="replace"))) is not None:
            return int(found["port"])
        if process.poll() is not None:
            raise SystemExit(f"the server ended with {process.returncode} before it served")
        # A process of its own, which tells the port in its log and nobody else.
        time.sleep(0.05)
    raise SystemExit(f"the server did not serve within {START_S:.0f} s")


def run_leg(leg: Leg, folder: Path, url: str, results: Path, only: str | None) -> str:
    """Run one leg; what the suite printed.  Its exit code says nothing that the results do not."""
    modules = folder / "node_modules"
    results.mkdir()
    words = [
        *("server", "--url", url, "--output-dir", str(results)),
        *("--expected-failures", str(HERE / "expected-failures.yml")),
        *(leg.words if only is None else ("--scenario", only, "--spec-version", leg.revision)),
    ]
    done = subprocess.run(
        [modules / "node/bin/node", modules / leg.package / "dist/index.js", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=SUITE_S,
        check=False,
    )
    return done.stdout


def read_outcomes(results: Path) -> list[Outcome]:
    """What the suite wrote, in the order of names."""
    outcomes: list[Outcome] = []
    for file in sorted(results.glob("*/checks.json")):
        place = _PLACE.match(file.parent.name)
        checks = json.loads(file.read_text("utf-8"))
        complaints = tuple(
            f"{check['status'].lower()} {check['id']}: {check.get('errorMessage', '')}"
            for check in checks
            if check["status"] not in {"SUCCESS", "INFO"}
        )
        passed = sum(check["status"] == "SUCCESS" for check in checks)
        name = file.parent.name if place is None else place["scenario"]
        outcomes.append(Outcome(name, passed, complaints))
    return outcomes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
