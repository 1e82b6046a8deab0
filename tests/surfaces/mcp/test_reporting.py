"""Progress beside an invocation: when it goes out, and what it never does."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, cast

import hypothesis.strategies as st
import pytest
import trio
import trio.testing
from hypothesis import given

from actors import open_supervisor
from tests.surfaces.mcp.asking import Asker
from trio_agent.surfaces.mcp.reporting import ProgressWriter
from trio_agent.surfaces.mcp.results.progress import INTERVAL_S, RESULT_GRACE_S, ProgressReport

if TYPE_CHECKING:
    from random import Random

    from trio_agent.surfaces.mcp.rpc import JsonObject


class Clocked:
    """Keeps when each report was written; a write takes as long as it is told to."""

    def __init__(self, seconds: float = 0) -> None:
        self.seconds = seconds
        self.written: list[tuple[float, float]] = []

    async def notify(self, method: str, params: JsonObject) -> None:
        await trio.sleep(self.seconds)
        self.written.append((trio.current_time(), cast("float", params["progress"])))


async def report(writer: ProgressWriter, pauses: list[float]) -> None:
    for number, pause in enumerate(pauses, 1):
        await writer.offer(ProgressReport(number))
        await trio.sleep(pause)


async def run(client: Clocked, pauses: list[float]) -> float:
    writer = ProgressWriter(client, "t")
    async with open_supervisor() as supervisor:
        with writer:
            supervisor.start(writer)
            await report(writer, pauses)
            await writer.end()
    return writer.result_not_before


async def test_the_first_report_goes_out_at_once_and_the_latest_of_those_that_wait(
    autojump_clock: trio.testing.MockClock,
) -> None:
    client, began = Clocked(), trio.current_time()

    await run(client, [0.001, 0.001, 0.001, 0.2])

    times = [time - began for time, _ in client.written]
    numbers = [number for _, number in client.written]
    assert numbers == [1, 4]
    assert times == pytest.approx([0.0, INTERVAL_S])


async def test_a_report_that_waits_when_the_result_is_ready_is_dropped(
    autojump_clock: trio.testing.MockClock,
) -> None:
    client = Clocked()

    not_before = await run(client, [0.01, 0.01])

    assert [number for _, number in client.written] == [1]
    assert not_before == pytest.approx(client.written[0][0] + RESULT_GRACE_S)


async def test_without_a_report_the_result_never_waits() -> None:
    assert await run(Clocked(), []) < trio.current_time()


async def test_a_client_that_reads_slowly_slows_down_its_progress_only(
    autojump_clock: trio.testing.MockClock,
) -> None:
    client, began = Clocked(seconds=10), trio.current_time()
    writer = ProgressWriter(client, 7)
    offered_for = 0.0

    async with open_supervisor() as supervisor:
        with writer:
            supervisor.start(writer)
            await report(writer, [1.0] * 5)
            offered_for = trio.current_time() - began
            await writer.end()

    assert offered_for == pytest.approx(5)
    assert [number for _, number in client.written] == [1]


async def test_a_cancelled_call_writes_nothing_any_more(
    autojump_clock: trio.testing.MockClock,
) -> None:
    client = Clocked()

    with trio.move_on_after(0.06):
        await run(client, [0.001, 0.1])

    await trio.sleep(1)
    assert [number for _, number in client.written] == [1, 2]


@given(
    st.lists(st.sampled_from([0.0, 0.001, 0.03, INTERVAL_S, 0.2]), max_size=12),
    st.sampled_from([0.0, 0.01, 0.3]),
    st.random_module(),
)
def test_writes_rise_keep_their_distance_and_never_follow_the_end(
    pauses: list[float], seconds: float, schedule: Random
) -> None:
    client = Clocked(seconds)
    ended: list[float] = []

    async def main() -> None:
        await run(client, pauses)
        ended.append(trio.current_time())

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))

    numbers = [number for _, number in client.written]
    times = [time for time, _ in client.written]
    assert all(a < b for a, b in itertools.pairwise(numbers))
    assert all(b - a >= INTERVAL_S - 1e-9 for a, b in itertools.pairwise(times))
    assert all(time <= ended[0] for time in times)
    assert set(numbers) <= set(range(1, len(pauses) + 1))


async def test_the_token_goes_back_as_it_came() -> None:
    asker = Asker()
    writer = ProgressWriter(asker, 7)

    async with open_supervisor() as supervisor:
        with writer:
            supervisor.start(writer)
            await writer.offer(ProgressReport(1, 2, "half"))
            await trio.testing.wait_all_tasks_blocked()
            await writer.end()

    assert asker.sent == [
        (
            "notifications/progress",
            {"progressToken": 7, "progress": 1, "total": 2, "message": "half"},
        )
    ]
