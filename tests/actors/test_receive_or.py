"""Waiting for a link and a latest at the same time, without losing a wake-up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from actors import (
    Inbox,
    Latest,
    Link,
    LinkTruncatedError,
    Mark,
    Outbox,
    open_supervisor,
)

Pause = st.integers(0, 3)


async def pause(steps: int) -> None:
    for _ in range(steps):
        await trio.lowlevel.checkpoint()


async def put_all(latest: Latest[int], pauses: list[int]) -> None:
    for number, steps in enumerate(pauses):
        await pause(steps)
        latest.put(number)


async def send_all(outbox: Outbox[str], pauses: list[int]) -> None:
    with outbox:
        for number, steps in enumerate(pauses):
            await pause(steps)
            await outbox.send(f"row {number}")
        await trio.testing.wait_all_tasks_blocked()
        await outbox.finish("last")


async def collect(inbox: Inbox[str | int], into: list[str | int], steps: int = 0) -> None:
    with inbox:
        async for value in inbox:
            into.append(value)
            await pause(steps)


@dataclass
class Merger:
    """Pass on what comes from either side; busy sending while the next things come."""

    rows: Inbox[str]
    latest: Latest[int]
    merged: Outbox[str | int]
    interval_s: float = 0
    woken_at: list[float] = field(default_factory=lambda: [-math.inf])

    async def run(self) -> None:
        with self.rows, self.merged:
            while True:
                free_at = self.woken_at[-1] + self.interval_s
                match await self.rows.receive_or(self.latest, not_before=free_at):
                    case Mark.FINISHED:
                        break
                    case Mark.WOKEN:
                        self.woken_at.append(trio.current_time())
                        await self.merged.send(self.latest.take())
                    case row:
                        await self.merged.send(row)
            await self.merged.finish()


@given(
    schedule=st.random_module(),
    capacity=st.sampled_from([0, 1, 3]),
    puts=st.lists(Pause, max_size=6),
    rows=st.lists(Pause, max_size=6),
    reading=Pause,
)
async def test_it_never_sleeps_while_the_slot_is_full(
    schedule: object, capacity: int, puts: list[int], rows: list[int], reading: int
) -> None:
    link, out = Link[str](capacity=capacity), Link[str | int]()
    latest = Latest[int]()
    got: list[str | int] = []

    async with open_supervisor() as supervisor:
        supervisor.start(Merger(link.inbox, latest, out.outbox))
        supervisor.call(put_all, latest, puts)
        supervisor.call(send_all, link.outbox, rows)
        supervisor.call(collect, out.inbox, got, reading)
    reports = [value for value in got if isinstance(value, int)]
    assert [value for value in got if isinstance(value, str)] == [
        *(f"row {number}" for number in range(len(rows))),
        "last",
    ]
    assert reports == sorted(set(reports))
    # The last row came when everybody slept, so the slot had to be empty by then.
    assert not latest.is_full
    assert reports[-1:] == [len(puts) - 1][: len(puts)]
    assert got[-1] == "last"


async def test_a_put_wakes_a_sleeping_receiver() -> None:
    link, latest = Link[str](), Latest[int]()
    got: list[object] = []

    async def wait() -> None:
        got.append(await link.inbox.receive_or(latest))

    with link.outbox, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(wait)
            await trio.testing.wait_all_tasks_blocked()
            latest.put(1)
            latest.put(2)
    assert got == [Mark.WOKEN]
    assert latest.take() == 2


@pytest.mark.parametrize("capacity", [0, 2])
async def test_a_wake_up_that_finds_nobody_leaves_no_trace(capacity: int) -> None:
    link, latest = Link[str](capacity=capacity), Latest[int]()
    got: list[object] = []

    async def wait() -> None:
        got.append(await link.inbox.receive_or(latest))

    with link.outbox, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(wait)
            await trio.testing.wait_all_tasks_blocked()
            # The receiver has been given its row, but has not run yet: it is no longer asleep.
            link.outbox._channel.send_nowait("row")
            latest.put(1)
        assert got == ["row"]
        assert await link.inbox.receive_or(latest) is Mark.WOKEN
        latest.take()
        async with open_supervisor() as supervisor:
            supervisor.call(link.outbox.finish)
            # A stale wake-up would come first here.
            assert await link.inbox.receive() is Mark.FINISHED


async def test_the_slot_goes_first() -> None:
    link, latest = Link[str](capacity=1), Latest[int]()
    with link.outbox, link.inbox:
        await link.outbox.send("row")
        latest.put(1)
        with trio.testing.assert_checkpoints():
            assert await link.inbox.receive_or(latest) is Mark.WOKEN
        latest.take()
        assert await link.inbox.receive_or(latest) == "row"


async def test_a_full_slot_that_nobody_empties_is_told_again() -> None:
    link, latest = Link[str](), Latest[int]()
    with link.outbox, link.inbox:
        latest.put(1)
        for _ in range(2):
            assert await link.inbox.receive_or(latest) is Mark.WOKEN


async def test_the_slot_is_asked_before_the_end_and_before_a_truncation() -> None:
    ended, broken, latest = Link[str](capacity=1), Link[str](), Latest[int]()
    with ended.inbox, broken.inbox:
        with ended.outbox, broken.outbox:
            await ended.outbox.finish("last")
        latest.put(1)
        assert await broken.inbox.receive_or(latest) is Mark.WOKEN
        assert await ended.inbox.receive_or(latest) is Mark.WOKEN
        latest.take()
        assert await ended.inbox.receive_or(latest) == "last"
        latest.put(2)
        assert await ended.inbox.receive_or(latest) is Mark.WOKEN
        latest.take()
        assert await ended.inbox.receive_or(latest) is Mark.FINISHED
        with pytest.raises(LinkTruncatedError):
            await broken.inbox.receive_or(latest)


async def test_a_slot_that_was_emptied_by_somebody_else_is_no_reason_to_return() -> None:
    link, latest = Link[str](), Latest[int]()
    got: list[object] = []

    async def wait() -> None:
        got.append(await link.inbox.receive_or(latest))

    with link.outbox, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(wait)
            await trio.testing.wait_all_tasks_blocked()
            latest.put(1)
            latest.take()
            await trio.testing.wait_all_tasks_blocked()
            assert got == []
            await link.outbox.send("row")
    assert got == ["row"]


async def test_a_cancelled_wait_leaves_the_slot_and_can_be_repeated() -> None:
    link, latest = Link[str](), Latest[int]()
    with link.outbox, link.inbox:
        with trio.move_on_after(0) as scope:
            await link.inbox.receive_or(latest)
        assert scope.cancelled_caught
        latest.put(1)
        with trio.CancelScope() as scope:
            scope.cancel()
            await link.inbox.receive_or(latest)
        assert scope.cancelled_caught
        assert await link.inbox.receive_or(latest) is Mark.WOKEN


async def test_two_receivers_of_one_latest_are_refused() -> None:
    one, two, latest = Link[str](), Link[str](), Latest[int]()
    with one.outbox, one.inbox, two.outbox, two.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(one.inbox.receive_or, latest)
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(RuntimeError, match="two tasks wait for one Latest"):
                await two.inbox.receive_or(latest)
            latest.put(1)


async def test_before_its_time_a_full_slot_counts_as_empty(
    autojump_clock: trio.testing.MockClock,
) -> None:
    link, latest = Link[str](), Latest[int]()
    latest.put(1)
    with link.outbox, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(link.outbox.send, "row")
            assert await link.inbox.receive_or(latest, not_before=2) == "row"
        assert trio.current_time() == 0
        assert await link.inbox.receive_or(latest, not_before=2) is Mark.WOKEN
        assert trio.current_time() == 2


async def test_a_put_before_its_time_waits_for_it(
    autojump_clock: trio.testing.MockClock,
) -> None:
    link, latest = Link[str](), Latest[int]()

    async def put_at_1() -> None:
        await trio.sleep(1)
        latest.put(1)

    with link.outbox, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(put_at_1)
            assert await link.inbox.receive_or(latest, not_before=2) is Mark.WOKEN
            assert trio.current_time() == 2


async def test_a_value_that_comes_at_the_last_moment_is_not_lost(
    mock_clock: trio.testing.MockClock,
) -> None:
    link, latest = Link[str](), Latest[int]()
    latest.put(1)
    got: list[object] = []

    async def wait() -> None:
        got.append(await link.inbox.receive_or(latest, not_before=2))

    with link.outbox, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(wait)
            await trio.testing.wait_all_tasks_blocked()
            link.outbox._channel.send_nowait("row")
            mock_clock.jump(2)
    assert got == ["row"]


@given(
    schedule=st.random_module(),
    puts=st.lists(Pause, min_size=1, max_size=5),
    rows=st.lists(Pause, max_size=5),
)
def test_a_rate_is_kept_and_nothing_is_forgotten(
    schedule: object, puts: list[int], rows: list[int]
) -> None:
    got: list[str | int] = []

    async def main() -> list[float]:
        link, out = Link[str](), Link[str | int]()
        latest = Latest[int]()
        merger = Merger(link.inbox, latest, out.outbox, interval_s=1)

        async def send_slowly() -> None:
            with link.outbox:
                for steps in rows:
                    await trio.sleep(steps / 4)
                    await link.outbox.send("row")
                await trio.sleep(10)
                await link.outbox.finish()

        async def put_slowly() -> None:
            for number, steps in enumerate(puts):
                await trio.sleep(steps / 4)
                latest.put(number)

        async with open_supervisor() as supervisor:
            supervisor.start(merger)
            supervisor.call(collect, out.inbox, got)
            supervisor.call(send_slowly)
            supervisor.call(put_slowly)
        return merger.woken_at

    woken_at = trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert all(later - earlier >= 1 for earlier, later in pairwise(woken_at))
    assert got.count("row") == len(rows)
    assert [value for value in got if value != "row"][-1] == len(puts) - 1
