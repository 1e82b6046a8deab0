"""Two processes and one store: each may be asked about what works in the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import attrs
import pytest
import trio
from trio.testing import MockClock

from tests.surfaces.mcp.tasks.asking_tasks import MODERN, Mill, milling, open_mill
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.surfaces.mcp.tasks.quota import TaskQuota
from trio_agent.surfaces.mcp.tasks.record import Change, TaskRecord
from trio_agent.surfaces.mcp.tasks.settings import TaskSettings
from trio_agent.surfaces.mcp.tasks.store import MemoryTaskStore, TaskStore, TaskStoreError


class Share:
    """One process's view of a store; it can be out of order."""

    is_shared = True

    def __init__(self, store: MemoryTaskStore, worker: str) -> None:
        self.store = store
        self.worker = worker
        self.is_broken = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def change(self, id_: str, change: Change, now: float) -> TaskRecord | None:
        if self.is_broken:
            raise TaskStoreError("out of order")
        return await self.store.change(id_, change, now)


@attrs.frozen
class Pair:
    here: McpService
    there: McpService
    share: Share


@pytest.fixture
def pair() -> Iterator[Pair]:
    store = MemoryTaskStore()
    shares = [Share(store, name) for name in ("one", "two")]
    left = iter(shares)

    def take(server: str, quota: TaskQuota) -> TaskStore:
        return cast("TaskStore", next(left))

    settings = TaskSettings(open_store=take)
    for here in open_mill(settings):
        there = McpService(here._application, here._server, tasks=settings)
        yield Pair(here, there, shares[0])


async def test_what_works_elsewhere_can_be_followed_answered_and_cancelled(
    pair: Pair, autojump_clock: MockClock
) -> None:
    async with milling(pair.here, client=MODERN) as here:
        there = Mill(pair.there, here.asker)
        grinding = (await here.call("grind", seconds=50, steps=5))["taskId"]
        asking = (await here.call("ask", about=["flour"]))["taskId"]
        await trio.sleep(12)
        seen = await there.get(grinding)
        assert (seen["status"], seen["statusMessage"]) == ("working", "step 1")
        (key,) = (await there.get(asking))["inputRequests"]
        answer = {"action": "accept", "content": {"kind": "rye"}}
        await there.ask("tasks/update", taskId=asking, inputResponses={key: answer})
        await there.cancel(grinding)
        await trio.sleep(2)
        assert (await here.get(asking))["result"]["content"][0]["text"] == "flour: rye"
        assert (await here.get(grinding))["status"] == "cancelled"
        assert pair.here.tasks is not None
        assert not pair.here.tasks.runs


async def test_a_result_is_waited_for_where_it_does_not_work(
    pair: Pair, autojump_clock: MockClock
) -> None:
    async with milling(pair.here, session_id="s", actor_id="ada") as here:
        there = Mill(pair.there, here.asker)
        id_ = await here.begin("grind", seconds=9.5)
        began = trio.current_time()
        assert (await there.result(id_))["content"][0]["text"] == "Ground in 1."
        assert trio.current_time() - began == 10


async def test_an_answer_waits_for_its_result_also_when_the_store_is_out_of_order(
    pair: Pair, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with milling(pair.here) as here:
        id_ = await here.begin("grind", seconds=5, steps=5)
        results: list[Any] = []

        async def fetch() -> None:
            results.append(await here.result(id_))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(fetch)
            await trio.sleep(0.5)
            pair.share.is_broken = True
        assert results[0]["content"][0]["text"] == "Ground in 5."
        await trio.sleep(5)
    assert f"the end of task {id_} could not be recorded: out of order" in caplog.text
    assert "the tasks could not be looked after: out of order" in caplog.text
