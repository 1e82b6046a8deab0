"""Tasks, as an author tests them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
import trio
from mcp.shared.exceptions import MCPError
from trio.testing import MockClock

from trio_agent.surfaces.mcp.tasks.settings import TaskSettings
from trio_agent.testing import open_mcp_server

MILL = Path(__file__).parents[1] / "surfaces" / "mcp" / "plugins" / "mill"


async def test_a_task_is_created_polled_and_fetched(autojump_clock: MockClock) -> None:
    async with open_mcp_server(MILL) as session:
        task = await session.tasks.create("grind", {"seconds": 10, "steps": 2})
        await trio.sleep(6)
        assert (await session.tasks.poll(task))["statusMessage"] == "step 1"
        result = cast("Any", await session.tasks.fetch(task))
        assert result["content"][0]["text"] == "Ground in 2."
        told = [one.params["status"] for one in session.notifications if "tasks" in one.method]
        assert told == ["completed"]


async def test_the_same_with_the_revision_that_decides_itself(autojump_clock: MockClock) -> None:
    async with open_mcp_server(MILL, version="2026-07-28") as session:
        task = await session.tasks.create("grind", {"seconds": 10})
        done = cast("Any", await session.tasks.fetch(task))
        assert done["result"]["content"][0]["text"] == "Ground in 1."
        with pytest.raises(ValueError, match="weigh did not become a task"):
            await session.tasks.create("weigh")


async def test_a_task_is_cancelled(autojump_clock: MockClock) -> None:
    async with open_mcp_server(MILL) as session:
        task = await session.tasks.create("grind", {"seconds": 10})
        assert (await session.tasks.cancel(task))["status"] == "cancelled"
        with pytest.raises(MCPError, match="cancelled already"):
            await session.tasks.cancel(task)


async def test_a_task_is_kept_for_its_time_to_live(autojump_clock: MockClock) -> None:
    async with open_mcp_server(MILL) as session:
        task = await session.tasks.create("grind", {"seconds": 50}, ttl_ms=20_000)
        await trio.sleep(69)
        assert (await session.tasks.poll(task))["status"] == "completed"
        await trio.sleep(2)
        with pytest.raises(MCPError, match="Task not found"):
            await session.tasks.poll(task)


@pytest.mark.parametrize(("count", "settings"), [(128, None), (1000, TaskSettings(max_tasks=2000))])
async def test_as_many_tasks_as_there_may_be_lose_no_result_and_never_go_back(
    count: int, settings: TaskSettings | None, autojump_clock: MockClock
) -> None:
    seen: dict[str, list[object]] = {}

    async with open_mcp_server(MILL, tasks=settings) as session:

        async def follow(number: int) -> None:
            steps = number % 7 + 1
            task = await session.tasks.create("grind", {"seconds": 2, "steps": steps})
            seen[task] = [(await session.tasks.poll(task))["status"]]
            result = cast("Any", await session.tasks.fetch(task))
            seen[task].append((await session.tasks.poll(task))["status"])
            assert result["structuredContent"] == {"steps": steps}

        # No more at a time than a connection takes: 64 run, and 256 wait.
        limiter = trio.CapacityLimiter(200)

        async def in_turn(number: int) -> None:
            async with limiter:
                await follow(number)

        async with trio.open_nursery() as nursery:
            for number in range(count):
                nursery.start_soon(in_turn, number)

    assert len(seen) == count
    assert {tuple(statuses) for statuses in seen.values()} <= {
        ("working", "completed"),
        ("completed", "completed"),
    }
