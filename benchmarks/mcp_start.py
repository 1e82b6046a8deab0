"""MCP over stdio: how long a host waits for a server that it has just started.

    mcp-start-initialize   until `initialize` is answered
    mcp-start-list         until a `tools/list` is answered that was sent right behind it
    mcp-start-call         until a `tools/call` is answered that was sent right behind it

Hosts start ten or twenty servers at once and give up after some seconds.  The baseline is a bare
low-level server of the official SDK on the SDK's own stdio, whose import alone takes a second.

What counts is elapsed time, from before the process exists to the answer; the files are compiled
and in the page cache.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.harness import ROUNDS, MeasurementError, Samples, ratios, turns
from benchmarks.mcp_process import (
    INITIALIZE,
    LIST,
    McpProcess,
    call_of,
    check_call,
    encode,
    peer_command,
    serve_command,
    write_plugin,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FIRST_FRAMES: Final = {
    "mcp-start-initialize": encode(INITIALIZE),
    "mcp-start-list": encode(INITIALIZE) + encode(LIST),
    "mcp-start-call": encode(INITIALIZE) + encode(call_of(1)),
}


def measure(
    rounds: int = ROUNDS, names: Sequence[str] = tuple(FIRST_FRAMES)
) -> Mapping[str, Samples]:
    """All three, each with processes of its own.

    Args:
        rounds: turns per side.
        names: which of them.
    """
    with tempfile.TemporaryDirectory() as folder:
        sides = (serve_command(write_plugin(Path(folder))), peer_command("low_level", "trio"))
        return {name: _measure(name, sides, rounds) for name in names}


def _measure(name: str, sides: Sequence[Sequence[str]], rounds: int) -> Samples:
    taken: tuple[list[float], list[float]] = ([], [])
    # The first round fills the caches.
    for turn in turns(2, rounds + 1):
        taken[turn].append(_start(sides[turn], name))
    ours, bare = taken[0][1:], taken[1][1:]
    note = (
        f"{statistics.median(ours) * 1e3:.0f} ms, against {statistics.median(bare) * 1e3:.0f} ms"
        " of a bare SDK server"
    )
    return Samples(values=ratios(ours, bare), note=note)


def _start(argv: Sequence[str], name: str) -> float:
    """Elapsed seconds from before the start to the last answer."""
    started = time.perf_counter()
    with McpProcess(argv) as server:
        server.send(FIRST_FRAMES[name])
        answers = [server.receive() for _ in range(FIRST_FRAMES[name].count(b"\n"))]
        ended = time.perf_counter()
    last = json.loads(answers[-1])
    if name == "mcp-start-call":
        check_call(last)
    elif "result" not in last:
        raise MeasurementError(f"{name}: the last answer is {last!r:.200}")
    return ended - started
