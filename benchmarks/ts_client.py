"""The official TypeScript clients over stdio: thousands of calls of all kinds, and what they noticed.

    ts-client-mixed   resident memory of our server after all calls, against after a fifth of them

Three clients: version 1, which most hosts have, version 2 with a handshake, and version 2 with the
revision of 2026, which has none.  What they do is in typescript/client.mjs; whatever of it goes
wrong fails the measurement: a client's `onerror`, an answer to a call that was cancelled, a wrong
answer, progress that does not rise.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from benchmarks.harness import MeasurementError, Samples
from benchmarks.mcp_process import TYPESCRIPT, make_environment, serve_command, write_plugin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CALLS: Final = 10_000
CLIENTS: Final[Mapping[str, str]] = {
    "v1": "version 1",
    "v2": "version 2",
    "modern": "version 2 without a handshake",
}

_HEAD: Final = '''"""A tool for a client that does everything."""

from __future__ import annotations

import trio

from trio_agent import Agent, Deferred, Node, Suspense, ToolContext, component, tool

'''

TOOLS: Final = {
    "count": _HEAD
    + """
async def work(steps: int, context: ToolContext) -> str:
    for step in range(steps):
        context.progress.report(step + 1, total=steps)
        await trio.sleep(0.06)
    return str(steps)


@component
async def Outcome(working: Deferred[str]) -> Node:
    return Agent.Text(await working)


@tool(description="Count, and report it.")
async def count(steps: int, context: ToolContext) -> Node:
    return Suspense(Outcome(context.defer(work, steps, context)), fallback=Agent.Text("Counting"))
""",
    "wait": _HEAD
    + """
@tool(description="Wait until it is cancelled.")
async def wait() -> str:
    await trio.sleep_forever()
    return "never"
""",
    "fail": _HEAD
    + """
@tool(description="Fail.")
async def fail() -> str:
    raise ValueError("as it should")
""",
}


class Seen(TypedDict):
    """What a client saw.

    `calls` and `cancelled` count what ended as it should, `progress` the reports; `errors` are
    those of `onerror`, `answered` the ids that were cancelled and answered all the same, `wrong`
    says what was not as expected.  Memory is the server's.
    """

    calls: int
    cancelled: int
    progress: int
    errors: Sequence[str]
    answered: Sequence[str | int]
    wrong: Sequence[str]
    early_kib: int
    late_kib: int


def measure(calls: int = CALLS, packages: Path = TYPESCRIPT) -> Mapping[str, Samples]:
    """`ts-client-mixed`: the client that made the most of our server's memory grow.

    Args:
        calls: of each client, a multiple of 20.
        packages: the folder in which npm has installed the clients.

    Raises:
        MeasurementError: a client saw something that should not be.
    """
    node = shutil.which("node")
    if node is None or not (packages / "node_modules").is_dir():
        why = "to be called by the official clients, `npm install` in benchmarks/typescript"
        return {"ts-client-mixed": Samples.skipped(why)}
    with tempfile.TemporaryDirectory() as folder:
        server = serve_command(write_plugin(Path(folder), TOOLS))
        seen = {
            client: _call([node, str(packages / "client.mjs"), client, str(calls), *server])
            for client in CLIENTS
        }
    for client, one in seen.items():
        check(client, one, calls)
    growth = {client: one["late_kib"] / one["early_kib"] for client, one in seen.items()}
    each = ", ".join(f"{CLIENTS[client]} {ratio:.3f}" for client, ratio in growth.items())
    note = f"memory after {calls:,} calls, against {calls // 5:,}; TypeScript's client {each}"
    return {"ts-client-mixed": Samples(values=(max(growth.values()),), note=note)}


def check(client: str, seen: Seen, calls: int) -> None:
    """See that everything went as it should.

    Raises:
        MeasurementError: something did not.
    """
    for what in ("errors", "answered", "wrong"):
        if seen[what]:
            raise MeasurementError(
                f"{client}, {len(seen[what])} times {what!r}, first: {seen[what][0]!s:.200}"
            )
    cancelled, reported = calls // 10, calls // 20
    if seen["calls"] != calls or seen["cancelled"] != cancelled or seen["progress"] < reported:
        raise MeasurementError(
            f"{client}: {calls} calls, {cancelled} of them cancelled and {reported} with progress,"
            f" but {seen!r:.200}"
        )


def _call(argv: Sequence[str]) -> Seen:
    environment = {**make_environment(), "NODE_ENV": "production"}
    ran = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environment,
        timeout=180,
    )
    if ran.returncode:
        said = ran.stderr.strip() or "nothing"
        raise MeasurementError(f"{os.fspath(argv[1])} ended with {ran.returncode}: {said:.300}")
    seen: Seen = json.loads(ran.stdout)
    return seen
