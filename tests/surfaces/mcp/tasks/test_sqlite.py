"""Tasks that survive the process they worked in."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings

from tests.surfaces.mcp.served import opened
from tests.surfaces.mcp.tasks import killed
from tests.surfaces.mcp.tasks.asking_tasks import milling, open_mill
from tests.surfaces.mcp.tasks.keeping import (
    GOOD,
    OWNERS,
    QUOTA,
    WRONG,
    Keeping,
    KeepingMachine,
    end,
    task,
)
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, JsonObject, RpcError
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.surfaces.mcp.tasks.record import TaskOutcome
from trio_agent.surfaces.mcp.tasks.registry import TaskRegistry
from trio_agent.surfaces.mcp.tasks.rows import read_row, write_row
from trio_agent.surfaces.mcp.tasks.settings import TaskSettings
from trio_agent.surfaces.mcp.tasks.sqlite import SqliteTaskStore, TaskFile, open_sqlite
from trio_agent.surfaces.mcp.tasks.store import TaskStoreError
from trio_agent.surfaces.mcp.tasks.workers import WorkerFiles

MILL = str(Path(__file__).parents[1] / "plugins" / "mill")
KILLS = 100


class FileMachine(KeepingMachine):
    """A file agrees with the registry, whatever is done with the two."""

    def open(self) -> list[Keeping]:
        self.folder = tempfile.TemporaryDirectory()
        self.file = TaskFile(self.folder.name, "mill", QUOTA)
        return [TaskRegistry(QUOTA), self.file]

    def teardown(self) -> None:
        self.file.close()
        self.folder.cleanup()


TestFile = FileMachine.TestCase
TestFile.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)


def a_file(folder: Path) -> TaskFile:
    return TaskFile(str(folder), "mill")


def test_a_row_is_read_as_the_record_that_was_written() -> None:
    record = task("a").asked("q", {"method": "\ud800"}, 1).reported({"progress": 0.1}, "ü", 2)
    over = record.ended("failed", WRONG, None, 3).orphaned()

    for one in (record, over, task("b").ended("completed", GOOD, "x", 2)):
        assert read_row(0, write_row(one)) == one


def test_what_is_finished_outlives_its_process_until_its_time_is_over(tmp_path: Path) -> None:
    with closing(a_file(tmp_path)) as first:
        first.create(task("done", ttl_ms=10_000), 0)
        first.change("done", end(now=5), 5)
        first.create(task("working", OWNERS[2]), 5)

    with closing(a_file(tmp_path)) as second:
        done, working = second.find("done", 6), second.find("working", 6)
        assert done is not None
        assert (done.status, done.outcome, done.is_orphan) == ("completed", GOOD, True)
        assert working is not None
        assert (working.status, working.is_orphan) == ("failed", False)
        assert str(working.message).startswith("[runtime-restarted]")
        assert second.find("done", 14.9) is not None
        assert second.find("done", 15) is None


def test_what_works_in_a_process_that_lives_is_left_alone(tmp_path: Path) -> None:
    with closing(a_file(tmp_path)) as one, closing(a_file(tmp_path)) as other:
        one.create(task("a"), 0)
        found = other.find("a", 1)
        assert found is not None
        assert (found.status, found.is_orphan) == ("working", False)
        one.close()
        assert [record.status for record in other.page(OWNERS[0], 0, 9, 1).records] == ["failed"]
        assert not list(tmp_path.glob(f"*{one.worker}*"))


def test_a_session_that_ended_while_its_task_worked_does_not_hide_that_its_process_is_gone(
    tmp_path: Path,
) -> None:
    with closing(a_file(tmp_path)) as first:
        first.create(task("a"), 0)
        first.orphan(OWNERS[0])

    with closing(a_file(tmp_path)) as second:
        found = second.find("a", 1)
        assert found is not None
        assert (found.status, found.is_orphan) == ("failed", True)


def test_a_worker_is_gone_when_its_file_is(tmp_path: Path) -> None:
    one, other = (WorkerFiles(str(tmp_path), "mill", name) for name in ("one", "other"))
    one.enter()
    assert not one.is_gone("one")
    assert not other.is_gone("one")
    assert other.is_gone("never was")
    one.leave()
    one.leave()
    assert other.is_gone("one")


def test_a_folder_that_cannot_be_used_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(TaskStoreError, match=r"mill\.db"):
        TaskFile(str(tmp_path / "file"), "mill").find("a", 0)
    (tmp_path / "mill.db").write_bytes(b"no database" * 100)
    with pytest.raises(TaskStoreError, match=r"mill\.db"):
        a_file(tmp_path).find("a", 0)


def test_a_change_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    with closing(a_file(tmp_path)) as kept:
        before = kept.create(task("a"), 0)
        with pytest.raises(TypeError):
            kept.change(
                "a", lambda one: one.ended("completed", TaskOutcome({"a": {1}}), None, 1), 1
            )
        assert kept.find("a", 1) == before


async def test_a_killed_process_leaves_every_result_that_it_committed_and_nothing_that_works(
    tmp_path: Path,
) -> None:
    """Each child is killed at random points of the life of its tasks, one after the other."""
    chance = random.Random(5)
    said: list[str] = []
    # A fork of this process has imported everything already.
    for _ in range(KILLS):
        said += _kill_one(str(tmp_path), chance.random() * 0.02)
    with closing(a_file(tmp_path)) as kept:
        for id_ in said:
            found = kept.find(id_, 3)
            assert found is not None
            assert found.outcome is not None
            assert str(found.outcome.value["content"]).startswith(f"['{id_} ")
    with sqlite3.connect(tmp_path / "mill.db") as database:
        states = database.execute("SELECT count(*) FROM tasks WHERE ended_at IS NULL").fetchone()
        ids = database.execute("SELECT count(*) FROM tasks").fetchone()
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    assert states == (0,)
    assert ids[0] >= len(said) > KILLS


def _kill_one(folder: str, patience_s: float) -> list[str]:
    """Start a process that finishes tasks, let it go on for a moment, kill it; what it said."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writing, 1)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        try:
            killed.main(folder)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as lines:
        first = lines.readline()
        signal.sigtimedwait([], patience_s)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        # The last line may have been cut off.
        return [line.strip() for line in [first, *lines] if line.endswith("\n")]


def shut(service: McpService) -> None:
    assert service.tasks is not None
    store = service.tasks.store
    assert isinstance(store, SqliteTaskStore)
    store.close()


async def test_the_next_process_gives_what_the_last_one_left_to_who_has_its_id(
    tmp_path: Path,
) -> None:
    store = TaskSettings(open_store=open_sqlite(str(tmp_path)))
    ended = working = ""
    result: object = None
    for service in open_mill(store):
        async with milling(service) as one:
            ended = await one.begin("grind")
            result = await one.result(ended)
            working = await one.begin("grind", seconds=60)
            assert len((await one.ask("tasks/list"))["tasks"]) == 2
        shut(service)
    for service in open_mill(store):
        async with milling(service) as next_one:
            assert await next_one.result(ended) == result
            assert (await next_one.get(working))["status"] == "cancelled"
            assert (await next_one.ask("tasks/list"))["tasks"] == []
            remote = next_one.seen_by(transport="http", session_id="s")
            with pytest.raises(RpcError, match="not found"):
                await remote.get(ended)
        shut(service)


async def test_a_store_that_cannot_be_used_costs_tasks_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "tasks").write_text("", encoding="utf-8")
    for service in open_mill(TaskSettings(open_store=open_sqlite(str(tmp_path)))):
        async with milling(service) as one:
            for asking in (one.call("grind", {}), one.get("x")):
                with pytest.raises(RpcError, match="task store") as caught:
                    await asking
                assert caught.value.code == INTERNAL_ERROR
            assert "content" in await one.call("grind")
    assert "mill.db" in caplog.text


def test_a_served_plugin_keeps_its_tasks_where_its_state_goes(tmp_path: Path) -> None:
    state = {**os.environ, "TRIO_AGENT_STATE_ROOT": str(tmp_path)}
    with opened(MILL, env=state) as child:
        params: JsonObject = {"name": "grind", "arguments": {}, "task": {}}
        id_ = child.call("tools/call", params, 1)["task"]["taskId"]
        child.send("tasks/result", {"taskId": id_}, 2)
        told, answered = sorted((child.read(), child.read()), key=lambda one: "id" in one)
        assert told["params"]["status"] == "completed"
        params["arguments"] = {"seconds": 60}
        working = child.call("tools/call", params, 3)["task"]["taskId"]
        child.process.kill()
        child.process.wait()
    with opened(MILL, env=state) as child:
        assert child.call("tasks/result", {"taskId": id_}, 1) == answered["result"]
        left = child.call("tasks/get", {"taskId": working}, 2)
        assert (left["status"], "runtime-restarted" in left["statusMessage"]) == ("failed", True)
        assert child.end()[0] == 0


def test_a_task_in_memory_works_through_a_real_server() -> None:
    with opened(MILL) as child:
        params: JsonObject = {"name": "grind", "arguments": {"seconds": 60}, "task": {"ttl": 1000}}
        id_ = child.call("tools/call", params, 1)["task"]["taskId"]
        assert [one["taskId"] for one in child.call("tasks/list", {}, 2)["tasks"]] == [id_]
        child.send("tasks/cancel", {"taskId": id_}, 3)
        told, answered = sorted((child.read(), child.read()), key=lambda one: "id" in one)
        assert told["params"]["status"] == answered["result"]["status"] == "cancelled"
        assert child.call("tasks/result", {"taskId": id_}, 4)["isError"] is True
        code, left, _ = child.end()
        assert (code, left) == (0, [])
