"""MCP over stdio: what a trivial `tools/call` costs the server, and how long 32 of them take.

    mcp-stdio-cpu          processor time of a call, one after another
    mcp-stdio-concurrent   elapsed time of 32 calls that are sent at once, to the last answer

All sides have the same tool, get the same frames over pipes and give the same answers.  Ours runs
the whole pipeline.  The baseline is a bare low-level server of the official SDK on the SDK's own
stdio, under Trio; FastMCP is another if it is installed.  The bare server under asyncio and the
official TypeScript server, if npm has installed it, are in the notes and are no limit.
"""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

import attrs

from benchmarks.harness import ROUNDS, Samples, ratios, turns
from benchmarks.mcp_process import (
    TYPESCRIPT,
    McpProcess,
    peer_command,
    serve_command,
    write_plugin,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CALLS: Final = 320
IN_FLIGHT: Final = 32

NO_FASTMCP: Final = "to compare with FastMCP, install the extra `bench`"
NO_TYPESCRIPT: Final = "to compare with TypeScript, `npm install` in benchmarks/typescript"


@final
@attrs.frozen
class Taken:
    """What was measured of one server, a value per round.

    Attributes:
        cpu: seconds of a call, one after another.
        cpu_together: seconds of a call, 32 in flight.
        waits: elapsed seconds for 32 calls; the median of a round, so that a neighbour who stops
            us once is not measured.
    """

    cpu: list[float] = attrs.field(factory=list[float])
    cpu_together: list[float] = attrs.field(factory=list[float])
    waits: list[float] = attrs.field(factory=list[float])


def measure(calls: int = CALLS, rounds: int = 2 * ROUNDS) -> Mapping[str, Samples]:
    """`mcp-stdio-cpu` and `mcp-stdio-concurrent`, and both against FastMCP.

    Args:
        calls: of either kind in one turn, a multiple of 32.
        rounds: turns per side.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        commands = _commands(write_plugin(Path(folder)))
        servers = [running.enter_context(McpProcess(argv)) for argv in commands.values()]
        for server in servers:
            server.initialize()
            # Warming up.
            server.call(IN_FLIGHT)
            server.call(2 * IN_FLIGHT, IN_FLIGHT)
        taken = {name: Taken() for name in commands}
        for turn in turns(len(servers), rounds):
            _take_turn(servers[turn], calls, list(taken.values())[turn])
    return to_samples(taken)


def _take_turn(server: McpProcess, calls: int, taken: Taken) -> None:
    started = server.cpu_seconds()
    server.call(calls)
    between = server.cpu_seconds()
    waits = server.call(calls, IN_FLIGHT)
    ended = server.cpu_seconds()
    taken.cpu.append((between - started) / calls)
    taken.cpu_together.append((ended - between) / calls)
    taken.waits.append(statistics.median(waits))


def _commands(plugin: Path) -> Mapping[str, Sequence[str]]:
    commands: dict[str, Sequence[str]] = {
        "ours": serve_command(plugin),
        "bare": peer_command("low_level", "trio"),
        "asyncio": peer_command("low_level", "asyncio"),
    }
    if importlib.util.find_spec("fastmcp") is not None:
        commands["fastmcp"] = peer_command("fast_mcp")
    node = shutil.which("node")
    if node is not None and (TYPESCRIPT / "node_modules").is_dir():
        commands["typescript"] = [node, str(TYPESCRIPT / "server.mjs")]
    return commands


def to_samples(taken: Mapping[str, Taken]) -> Mapping[str, Samples]:
    """The samples of all four benchmarks.

    Args:
        taken: of `ours`, `bare`, `asyncio`, and `fastmcp` and `typescript` if they are there.
    """
    ours, bare, asyncio = taken["ours"], taken["bare"], taken["asyncio"]
    typescript, fastmcp = taken.get("typescript"), taken.get("fastmcp")
    node = (
        NO_TYPESCRIPT
        if typescript is None
        else f"TypeScript's in Node {_ratio(ours.waits, typescript.waits)}"
    )
    found = {
        "mcp-stdio-cpu": Samples(
            values=ratios(ours.cpu, bare.cpu),
            note=f"{_us(ours.cpu)} a call, against {_us(bare.cpu)} of a bare SDK server; with"
            f" {IN_FLIGHT} in flight {_ratio(ours.cpu_together, bare.cpu_together)}, of one under"
            f" asyncio {_ratio(ours.cpu, asyncio.cpu)}",
        ),
        "mcp-stdio-concurrent": Samples(
            values=ratios(ours.waits, bare.waits),
            note=f"{_us(ours.waits)} for {IN_FLIGHT}, against {_us(bare.waits)} of a bare SDK"
            f" server; of one under asyncio {_ratio(ours.waits, asyncio.waits)}; {node}",
        ),
    }
    if fastmcp is None:
        found["mcp-stdio-cpu-fastmcp"] = Samples.skipped(NO_FASTMCP)
        found["mcp-stdio-concurrent-fastmcp"] = Samples.skipped(NO_FASTMCP)
        return found
    found["mcp-stdio-cpu-fastmcp"] = Samples(
        values=ratios(ours.cpu, fastmcp.cpu), note=f"against {_us(fastmcp.cpu)} of FastMCP"
    )
    found["mcp-stdio-concurrent-fastmcp"] = Samples(
        values=ratios(ours.waits, fastmcp.waits), note=f"against {_us(fastmcp.waits)} of FastMCP"
    )
    return found


def _us(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1e6:,.0f} us"


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    return f"{statistics.median(ratios(ours, theirs)):.2f}"
