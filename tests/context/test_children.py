"""Children that a process takes along when it has no time left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from trio_agent import run_process
from trio_agent.context.children import CHILDREN, GRACE_S, HURRY_S, Children

pytestmark = pytest.mark.skipif(os.name != "posix", reason="has no process groups")

LIMIT_S = 60
STUBBORN = 'trap "" TERM; echo $$ > "$0.part"; mv "$0.part" "$0"; while :; do sleep 1; done'


@pytest.fixture
def hurry() -> Iterator[None]:
    CHILDREN.hurry()
    yield
    CHILDREN.relax()


async def written(file: Path) -> int:
    """The process id that a child writes into a file, once it is there."""
    with trio.fail_after(LIMIT_S):
        while not file.exists():
            await trio.sleep(0.01)
    return int(file.read_text(encoding="utf-8"))


def test_all_that_were_not_ended_are_killed() -> None:
    children = Children()
    command = [sys.executable, "-c", "input()"]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0) as ours,
        subprocess.Popen(command, stdin=subprocess.PIPE, process_group=0) as left_in_peace,
    ):
        for child in (ours, left_in_peace):
            children.add(child.pid)
        children.remove(left_in_peace.pid)

        children.kill()

        assert ours.wait(LIMIT_S) == -signal.SIGKILL
        # There is nobody any more, which is what was wanted.
        children.kill()
        assert left_in_peace.poll() is None
        left_in_peace.communicate(b"\n", timeout=LIMIT_S)
        assert left_in_peace.returncode == 0


async def test_who_is_in_a_hurry_waits_less_for_a_child(
    hurry: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CHILDREN.grace_s == HURRY_S < GRACE_S
    monkeypatch.setattr(CHILDREN, "grace_s", 0)
    async with trio.open_nursery() as nursery:
        file = tmp_path / "pid"
        nursery.start_soon(run_process, ["/bin/sh", "-c", STUBBORN, str(file)])
        pid = await written(file)
        assert pid in CHILDREN.pids
        nursery.cancel_scope.cancel()
    assert pid not in CHILDREN.pids


async def test_who_ended_by_itself_is_nobody_s_child_any_more() -> None:
    await run_process(["/bin/sh", "-c", "exit 0"])
    assert CHILDREN.pids == frozenset()
