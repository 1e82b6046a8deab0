"""Tasks: what it costs to ask about one, and whether many of them get on with each other.

tasks-poll   processor time of a `tasks/get` over stdio, against that of a trivial `tools/call`
tasks-many   results that are lost, and statuses that go backwards, of 128 tasks at the defaults
and of 1,000 with `max_tasks=2,000`, created, polled and fetched together
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import trio

from benchmarks.harness import ROUNDS, MeasurementError, Samples, ratios, turns
from benchmarks.mcp_process import McpProcess, call_of, encode, serve_command, write_plugin
from trio_agent.surfaces.mcp.tasks.settings import TaskSettings
from trio_agent.testing import open_mcp_server

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.testing import McpSession

POLLS: Final = 320
IN_FLIGHT: Final = 200
"""Less than a connection takes at a time."""

COUNTS: Final = (128, 1000)

WORK: Final = """
from trio_agent import tool


@tool(description="Work.", task_support="optional")
async def work(number: int = 0) -> int:
    return number
"""


def measure_poll(polls: int = POLLS, rounds: int = 2 * ROUNDS) -> Mapping[str, Samples]:
    """`tasks-poll`.

    Args:
        polls: in one turn.
        rounds: turns per side.
    """
    with tempfile.TemporaryDirectory() as folder:
        plugin = write_plugin(Path(folder), {"work": WORK})
        with McpProcess(serve_command(plugin)) as server:
            server.initialize()
            params = {"name": "work", "arguments": {}, "task": {}}
            created = _ask(server, "tools/call", params)
            task = str(cast("Mapping[str, object]", created["task"])["taskId"])
            _ask(server, "tasks/result", {"taskId": task})
            poll = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"taskId": task}}
            frames = (encode(poll), encode(call_of(1)))
            taken: tuple[list[float], list[float]] = ([], [])
            for frame in frames:
                _repeat(server, frame, 32)
            for turn in turns(2, rounds):
                taken[turn].append(_repeat(server, frames[turn], polls))
    note = f"{min(taken[0]) * 1e6:.0f} us a poll, against {min(taken[1]) * 1e6:.0f} us of a call"
    return {"tasks-poll": Samples(values=ratios(*taken), note=note)}


def measure_many(counts: tuple[int, ...] = COUNTS) -> Mapping[str, Samples]:
    """`tasks-many`.

    Args:
        counts: how many at a time; the first at the defaults.
    """
    with tempfile.TemporaryDirectory() as folder:
        # One folder for all: a process knows a plugin of one name once.
        plugin = write_plugin(Path(folder), {"work": WORK})
        wrong = [
            trio.run(_follow_all, plugin, count, None if number == 0 else 2 * count)
            for number, count in enumerate(counts)
        ]
    note = f"lost or gone backwards, of {' and of '.join(map(str, counts))}"
    return {"tasks-many": Samples(values=[float(sum(wrong))], note=note)}


def _ask(server: McpProcess, method: str, params: Mapping[str, object]) -> Mapping[str, object]:
    server.send(encode({"jsonrpc": "2.0", "id": "ask", "method": method, "params": params}))
    while "id" not in (answer := json.loads(server.receive())):
        # A notification about the task.
        pass
    if "result" not in answer:
        raise MeasurementError(f"{method} was answered with {answer!r:.200}")
    return cast("Mapping[str, object]", answer["result"])


def _repeat(server: McpProcess, frame: bytes, count: int) -> float:
    """Processor seconds of one request, out of *count* in a row."""
    started = server.cpu_seconds()
    for _ in range(count):
        server.send(frame)
        if b'"result"' not in server.receive():
            raise MeasurementError("a request was not answered with a result")
    return (server.cpu_seconds() - started) / count


async def _follow_all(plugin: Path, count: int, max_tasks: int | None) -> int:
    """How many tasks of *count* lose their result or go backwards."""
    settings = None if max_tasks is None else TaskSettings(max_tasks=max_tasks)
    wrong: list[int] = []
    room = trio.CapacityLimiter(IN_FLIGHT)
    async with open_mcp_server(plugin, tasks=settings) as session:

        async def follow(number: int) -> None:
            async with room:
                if not await _is_right(session, number):
                    wrong.append(number)

        async with trio.open_nursery() as nursery:
            for number in range(count):
                nursery.start_soon(follow, number)
    return len(wrong)


async def _is_right(session: McpSession, number: int) -> bool:
    tasks = session.tasks
    task = await tasks.create("work", {"number": number})
    before = (await tasks.poll(task))["status"]
    result = await tasks.fetch(task)
    after = (await tasks.poll(task))["status"]
    is_there = result.get("content") == [{"type": "text", "text": str(number)}]
    return is_there and before in {"working", "completed"} and after == "completed"
