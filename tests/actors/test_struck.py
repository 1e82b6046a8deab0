"""The kernel struck at every step: nothing is left behind, and the end is one with the last value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
import trio

from actors import (
    Inbox,
    Latest,
    Link,
    LinkTruncatedError,
    Mark,
    Outbox,
    PeerGoneError,
    Reply,
    open_supervisor,
)
from actors.testing import Extent, Kind, Leaks, StrikeError, strike_every_step

SEEDS = range(3)


@dataclass
class Record:
    """What a run can tell about itself afterwards."""

    taken: list[str] = field(default_factory=list)
    sender_finished: bool = False
    receiver_saw_the_end: bool = False
    reply: Reply[int] = field(default_factory=Reply[int])


@dataclass
class Source:
    rows: Outbox[str]
    latest: Latest[str]
    record: Record

    async def run(self) -> None:
        with self.rows:
            async with open_supervisor() as workers:
                for name in ("a", "b"):
                    workers.call(self.work, name)
            await self.rows.finish("last")
            self.record.sender_finished = True

    async def work(self, name: str) -> None:
        self.latest.put(f"{name} begins")
        await trio.sleep(1)
        await self.rows.send(name)


@dataclass
class Middle:
    rows: Inbox[str]
    latest: Latest[str]
    events: Outbox[str]

    async def run(self) -> None:
        with self.rows, self.events:
            while (got := await self.rows.receive_or(self.latest)) is not Mark.FINISHED:
                await self.events.send(self.latest.take() if got is Mark.WOKEN else got)
            await self.events.finish("complete")


@dataclass
class Drain:
    events: Inbox[str]
    record: Record

    async def run(self) -> None:
        with self.events:
            async for event in self.events:
                self.record.taken.append(event)
            self.record.receiver_saw_the_end = True
        self.record.reply.give(len(self.record.taken))


async def run_pipeline(extent: Extent) -> Record:
    record = Record()
    with extent:
        rows, events = Link[str](), Link[str]()
        latest = Latest[str]()
        async with open_supervisor() as supervisor:
            supervisor.start(Source(rows.outbox, latest, record))
            supervisor.start(Middle(rows.inbox, latest, events.outbox))
            supervisor.start(Drain(events.inbox, record))
    return record


@pytest.mark.parametrize("kind", ["cancel", "crash"])
def test_nothing_is_left_behind_wherever_it_is_struck(kind: Kind) -> None:
    outcomes: set[str] = set()
    for attempt in strike_every_step(run_pipeline, seeds=SEEDS, kind=kind):
        assert attempt.leaks == Leaks(), attempt
        assert attempt.unwind_s == 0
        assert attempt.result.reply.is_given == attempt.result.receiver_saw_the_end
        outcomes.add(attempt.outcome)
    assert outcomes == {"finished", "cancelled" if kind == "cancel" else "crashed"}


def test_whoever_took_the_last_value_also_saw_the_end() -> None:
    for attempt in strike_every_step(run_pipeline, seeds=SEEDS):
        took_last = "complete" in attempt.result.taken
        assert took_last == attempt.result.receiver_saw_the_end, attempt
        if took_last:
            assert attempt.result.sender_finished


def test_a_crash_anywhere_is_reported_without_echoes() -> None:
    for attempt in strike_every_step(run_pipeline, seeds=SEEDS, kind="crash"):
        if isinstance(attempt.error, ExceptionGroup):
            _, causes = attempt.error.split(StrikeError)
            assert causes is None, attempt


async def _send_all(outbox: Outbox[int], log: list[int]) -> None:
    with outbox:
        for number in range(4):
            await outbox.send(number)
            log.append(number)
        await outbox.finish(4)
        log.append(4)


def _transfer(capacity: int) -> Callable[[Extent], Awaitable[tuple[list[int], list[int]]]]:
    async def main(extent: Extent) -> tuple[list[int], list[int]]:
        sent: list[int] = []
        taken: list[int] = []
        link = Link[int](capacity=capacity)
        with link.inbox:
            with extent:
                await _send_all(link.outbox, sent)
            link.outbox.close()
            try:
                taken += [number async for number in link.inbox]
            except LinkTruncatedError:
                assert 4 not in taken
        return sent, taken

    return main


def test_a_struck_sender_knows_exactly_what_it_has_sent() -> None:
    for attempt in strike_every_step(_transfer(capacity=5)):
        sent, taken = attempt.result
        assert taken == sent or (taken == [] and 4 not in sent), attempt


@pytest.mark.parametrize("capacity", [0, 2])
def test_a_value_is_taken_or_kept_never_both_never_neither(capacity: int) -> None:
    async def main(extent: Extent) -> tuple[list[int], list[int]]:
        sent: list[int] = []
        taken: list[int] = []
        link = Link[int](capacity=capacity)

        async def take() -> None:
            while (number := await link.inbox.receive()) is not Mark.FINISHED:
                taken.append(number)

        with link.inbox:
            async with open_supervisor() as supervisor:
                supervisor.call(_send_all, link.outbox, sent)
                with extent:
                    await take()
                await take()
        return sent, taken

    for attempt in strike_every_step(main, seeds=SEEDS):
        assert attempt.result == ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]), attempt


def test_a_peer_that_leaves_while_struck_leaves_no_end_open() -> None:
    async def main(extent: Extent) -> None:
        with extent:
            link = Link[int]()
            with link.inbox:
                async with open_supervisor() as supervisor:
                    supervisor.call(_send_until_alone, link.outbox)
                    await link.inbox.receive()
                    link.inbox.close()

    for attempt in strike_every_step(main, seeds=SEEDS):
        assert attempt.leaks == Leaks(), attempt


async def _send_until_alone(outbox: Outbox[int]) -> None:
    with outbox:
        try:
            while True:
                await outbox.send(1)
        except PeerGoneError:
            return
