"""Nobody but its owner sees, reads, cancels or lists a task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.surfaces.mcp.http_caller import calling, request
from tests.surfaces.mcp.tasks.asking_tasks import MODERN, milling, open_mill
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.http.app import HttpSettings
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.service import McpService

METHODS = ("tasks/get", "tasks/cancel", "tasks/result")


@pytest.fixture
def mill() -> Iterator[McpService]:
    yield from open_mill()


def grind(seconds: float = 60) -> JsonObject:
    return request("tools/call", {"name": "grind", "arguments": {"seconds": seconds}, "task": {}})


@pytest.mark.parametrize(
    ("owner", "others"),
    [
        (
            {"session_id": "s1", "actor_id": "ada"},
            [
                {"session_id": "s2", "actor_id": "ada"},
                {"session_id": "s1", "actor_id": "eve"},
                {"session_id": "s1", "actor_id": None},
                {"client": MODERN, "actor_id": "ada"},
                {"client": MODERN},
                {"transport": "stdio"},
            ],
        ),
        (
            {"client": MODERN, "actor_id": "ada"},
            [
                {"client": MODERN, "actor_id": "eve"},
                {"client": MODERN, "actor_id": None},
                {"client": Client(version_spoken="2025-11-25"), "actor_id": "ada"},
            ],
        ),
    ],
    ids=["session", "client"],
)
async def test_for_everybody_else_a_task_does_not_exist(
    mill: McpService, owner: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    async with milling(mill, transport="http", **owner) as one:
        id_ = await one.begin("grind", seconds=60)
        blank: dict[str, Any] = {"session_id": None, "actor_id": None}
        for other in others:
            eve = one.seen_by(**{**blank, **other})
            methods = METHODS[:2] if eve.asker.client.is_modern else METHODS
            for method in methods:
                with pytest.raises(RpcError, match="Task not found"):
                    await eve.ask(method, taskId=id_)
            if not eve.asker.client.is_modern:
                assert (await eve.ask("tasks/list"))["tasks"] == []
        assert (await one.get(id_))["status"] == "working"


async def test_without_a_token_the_id_alone_is_good_for_the_task(mill: McpService) -> None:
    async with milling(mill, transport="http", client=MODERN) as one:
        id_ = await one.begin("grind", seconds=60)
        assert (await one.seen_by(id=2).get(id_))["status"] == "working"
        assert (await one.seen_by(actor_id="ada").get(id_))["status"] == "working"
        with pytest.raises(RpcError, match="Task not found"):
            await one.get(id_[:-1] + ("0" if id_[-1] != "0" else "1"))


async def test_the_end_of_a_session_cancels_what_works_for_it_and_nothing_else(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with calling(mill) as ada, calling(mill) as eve:
        for caller in (ada, eve):
            await caller.open()
        hers: Any = (await eve.ask(grind())).result["task"]
        await ada.ask(grind())
        await wait_all_tasks_blocked()
        assert mill.tasks is not None
        assert len(mill.tasks.runs) == 2
        assert (await ada.ask(method="DELETE")).status == 204
        await wait_all_tasks_blocked()
        assert [run.record.id for run in mill.tasks.runs] == [hers["taskId"]]
        left = await mill.tasks.store.page("anyone", 0, 9, mill.tasks.now())
        assert left.records == []


async def test_a_session_is_not_idle_while_a_task_works_for_it(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with calling(mill, HttpSettings(idle_s=20)) as caller:
        await caller.open()
        id_ = str((await caller.ask(grind(50))).result["task"]["taskId"])  # type: ignore[index]
        await trio.sleep(60)
        got = await caller.ask(request("tasks/get", {"taskId": id_}))
        assert got.result["status"] == "completed"
        await trio.sleep(45)
        assert (await caller.ask(request("tasks/get", {"taskId": id_}))).status == 404


async def test_what_only_waits_for_a_result_takes_no_turn_from_who_cancels(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with calling(mill) as caller:
        await caller.open()
        id_ = str((await caller.ask(grind(50))).result["task"]["taskId"])  # type: ignore[index]
        async with trio.open_nursery() as nursery:
            for number in range(100):
                waiting = request("tasks/result", {"taskId": id_}, f"r{number}")
                nursery.start_soon(caller.ask, waiting)
            await wait_all_tasks_blocked()
            began = trio.current_time()
            told = await caller.ask(request("tasks/cancel", {"taskId": id_}, "c"))
            assert told.result["status"] == "cancelled"
            assert trio.current_time() - began < 1
