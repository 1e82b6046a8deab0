"""MCP over Streamable HTTP: what 1,000 sessions leave behind when they have ended.

    http-sessions-memory   KiB that are held afterwards and were not before, for each of them
    http-sessions-fds      descriptors that are open afterwards and were not before
    http-sessions-tasks    tasks that live afterwards and did not before

The sessions come all at a time, and then one after another.  Each shakes hands, reads its own
stream, calls a tool and is deleted.  All that is done twice, and the second time compared with the
first: a table that has had thousands of entries keeps room for them, once.

What is held is what `tracemalloc` sees, after a collection.  Resident memory would say less: a heap
that has been large stays scattered for a while.
"""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, final

import attrs
import trio

from benchmarks.harness import MeasurementError, Samples
from benchmarks.http_client import HttpConnection
from benchmarks.mcp_process import (
    call_of,
    check_call,
    make_environment,
    serve_command,
    write_plugin,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

SESSIONS: Final = 1000

STATE: Final = {
    "state": '''"""What this process holds."""

import gc
import os
import tracemalloc

import trio

from trio_agent import tool


@tool(description="Count bytes, tasks and descriptors.")
async def state() -> dict[str, int]:
    gc.collect()
    return {
        "held": tracemalloc.get_traced_memory()[0],
        "tasks": trio.lowlevel.current_statistics().tasks_living,
        "fds": len(os.listdir("/proc/self/fd")),
    }
'''
}


@final
@attrs.frozen
class Held:
    """What the server holds at a moment: bytes, descriptors, tasks."""

    held: int
    fds: int
    tasks: int


@final
@attrs.frozen
class Round:
    """Before it, with all sessions open, after they have ended, and after those one by one."""

    before: Held
    opened: Held
    together: Held
    alone: Held


def measure(sessions: int = SESSIONS) -> Mapping[str, Samples]:
    """All three.

    Args:
        sessions: how many, either way.
    """
    # Both ends of two connections each, as far as one may have so many.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        argv = [*serve_command(write_plugin(Path(folder), STATE)), "--http", "127.0.0.1:0"]
        with _served(argv) as port:
            rounds = [trio.run(_take_round, port, sessions) for _ in range(2)]
    return to_samples(rounds, sessions)


def to_samples(rounds: Sequence[Round], sessions: int) -> Mapping[str, Samples]:
    """The samples of all three.

    Args:
        rounds: two.
        sessions: how many there were, either way.
    """
    first, last = rounds
    together = (last.together.held - first.together.held) / 1024 / sessions
    alone = (last.alone.held - first.alone.held) / 1024 / sessions
    opened = (last.opened.held - last.together.held) / 1024 / sessions
    fds = max(last.together.fds, last.alone.fds) - first.before.fds
    tasks = max(last.together.tasks, last.alone.tasks) - first.before.tasks
    return {
        "http-sessions-memory": Samples(
            values=(max(together, alone),),
            note=f"for each of {sessions:,}, at a time {together:.3f}, one after another"
            f" {alone:.3f}; {opened:.0f} while it is open",
        ),
        "http-sessions-fds": Samples(
            values=(fds,),
            note=f"{first.before.fds}, and {last.opened.fds:,} with {sessions:,} sessions",
        ),
        "http-sessions-tasks": Samples(
            values=(tasks,),
            note=f"{first.before.tasks}, and {last.opened.tasks:,} with {sessions:,} sessions",
        ),
    }


@contextmanager
def _served(argv: list[str]) -> Generator[int, None, None]:
    """A server; the port that it says it listens at."""
    with subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**make_environment(), "PYTHONTRACEMALLOC": "1"},
    ) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            found = re.search(r":(\d+)/mcp", said)
            if found is None:
                raise MeasurementError(f"the server said {said!r:.200} and no address")
            # Whatever it says from now on must not fill the pipe.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield int(found[1])
        finally:
            process.terminate()


async def _take_round(port: int, sessions: int) -> Round:
    before = await _look(port)
    opened = await _use_together(port, sessions)
    together = await _look(port)
    for _ in range(sessions):
        await _use_session(port)
    return Round(before, opened, together, await _look(port))


async def _look(port: int) -> Held:
    """What the server holds once it has noticed that its clients are gone."""
    await trio.sleep(0.5)
    async with await HttpConnection.open(port) as connection:
        await connection.begin_session()
        call = {**call_of(1), "params": {"name": "state", "arguments": {}}}
        answer = (await connection.post(call)).answer()
        await connection.end_session()
    result = cast("dict[str, dict[str, int]]", answer["result"])
    return Held(**result["structuredContent"])


async def _use_session(port: int, gathering: _Gathering | None = None) -> None:
    async with (
        await HttpConnection.open(port) as connection,
        await HttpConnection.open(port) as listening,
    ):
        await connection.begin_session()
        await listening.listen(connection.session or "")
        check_call((await connection.post(call_of(1))).answer())
        if gathering is not None:
            await gathering.wait()
        await connection.end_session()


@final
class _Gathering:
    """Where those wait who are to be there at the same time."""

    def __init__(self, missing: int) -> None:
        self._missing = missing
        self.complete: Final = trio.Event()
        self.over: Final = trio.Event()

    async def wait(self) -> None:
        self._missing -= 1
        if not self._missing:
            self.complete.set()
        await self.over.wait()


async def _use_together(port: int, sessions: int) -> Held:
    """Many sessions at a time; what the server holds when all of them are open."""
    gathering = _Gathering(sessions)
    async with trio.open_nursery() as nursery:
        for _ in range(sessions):
            nursery.start_soon(_use_session, port, gathering)
        await gathering.complete.wait()
        held = await _look(port)
        gathering.over.set()
    return held
