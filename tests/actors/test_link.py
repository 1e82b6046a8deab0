"""A link hands values over one by one and says how it ends."""

from __future__ import annotations

import math

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from actors import (
    EndClosedError,
    Inbox,
    Latest,
    Link,
    LinkFinishedError,
    LinkTruncatedError,
    Mark,
    Outbox,
    PeerGoneError,
    open_supervisor,
)


async def collect(inbox: Inbox[int], into: list[int]) -> None:
    with inbox:
        into += [value async for value in inbox]


@given(
    schedule=st.random_module(),
    values=st.lists(st.integers(), max_size=8),
    capacity=st.integers(0, 3),
    with_last=st.booleans(),
)
async def test_every_value_arrives_once_and_in_order(
    schedule: object, values: list[int], capacity: int, with_last: bool
) -> None:
    link = Link[int](capacity=capacity)
    got: list[int] = []

    async def send() -> None:
        with link.outbox:
            for value in values:
                await link.outbox.send(value)
            if with_last:
                await link.outbox.finish(-1)
            else:
                await link.outbox.finish()

    async with open_supervisor() as supervisor:
        supervisor.call(send)
        supervisor.call(collect, link.inbox, got)
    assert got == values + [-1] * with_last


async def test_without_a_buffer_sending_returns_when_the_value_was_taken() -> None:
    link = Link[int]()
    log: list[str] = []

    async def send() -> None:
        await link.outbox.send(1)
        log.append("sent")

    with link.outbox, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(send)
            await trio.testing.wait_all_tasks_blocked()
            assert log == []
            assert await link.inbox.receive() == 1
            await trio.testing.wait_all_tasks_blocked()
            assert log == ["sent"]


async def test_a_buffer_takes_values_without_a_receiver() -> None:
    link = Link[int](capacity=2)
    with link.inbox:
        with link.outbox:
            await link.outbox.send(1)
            await link.outbox.finish(2)
        assert [value async for value in link.inbox] == [1, 2]


async def test_closing_without_finish_is_a_truncation() -> None:
    link = Link[int](capacity=1)
    with link.inbox:
        with link.outbox:
            await link.outbox.send(1)
        # What was sent before is not lost, and the truncation does not wear off.
        assert await link.inbox.receive() == 1
        for _ in range(2):
            with pytest.raises(LinkTruncatedError):
                await link.inbox.receive()


async def test_a_sender_that_leaves_wakes_the_receiver() -> None:
    link = Link[int]()
    with pytest.RaisesGroup(LinkTruncatedError):
        async with open_supervisor() as supervisor:
            supervisor.call(collect, link.inbox, [])
            await trio.testing.wait_all_tasks_blocked()
            link.outbox.close()


async def test_sending_to_a_receiver_that_left_is_an_error() -> None:
    link = Link[int](capacity=1)
    with link.outbox:
        await link.outbox.send(1)
        link.inbox.close()
        with pytest.raises(PeerGoneError):
            await link.outbox.send(2)
        with pytest.raises(PeerGoneError):
            await link.outbox.finish(3)


async def test_a_receiver_that_leaves_wakes_the_sender() -> None:
    link = Link[int]()
    with link.outbox, pytest.RaisesGroup(PeerGoneError):
        async with open_supervisor() as supervisor:
            supervisor.call(link.outbox.send, 1)
            await trio.testing.wait_all_tasks_blocked()
            link.inbox.close()


@given(schedule=st.random_module(), finishing=st.booleans())
async def test_blocked_senders_are_served_first_come_first_served(
    schedule: object, finishing: bool
) -> None:
    link = Link[int]()
    got: list[int] = []
    with link.outbox:
        async with open_supervisor() as supervisor:
            for value in range(5):
                supervisor.call(link.outbox.send, value)
                await trio.testing.wait_all_tasks_blocked()
            if finishing:
                supervisor.call(link.outbox.finish, 5)
                await trio.testing.wait_all_tasks_blocked()
            with link.inbox:
                while len(got) < 5 + finishing:
                    value_or_end = await link.inbox.receive()
                    assert value_or_end is not Mark.FINISHED
                    got.append(value_or_end)
    assert got == list(range(5 + finishing))


async def test_a_cancelled_send_hands_nothing_over() -> None:
    link = Link[int]()
    with link.outbox, link.inbox:
        with trio.move_on_after(0) as scope:
            await link.outbox.send(1)
        assert scope.cancelled_caught
        async with open_supervisor() as supervisor:
            supervisor.call(link.outbox.send, 2)
            assert await link.inbox.receive() == 2


@pytest.mark.parametrize("last", [(), (1,)])
async def test_nothing_can_be_sent_after_finish(last: tuple[int, ...]) -> None:
    link = Link[int](capacity=2)
    with link.outbox, link.inbox:
        await link.outbox.finish(*last)
        with pytest.raises(LinkFinishedError, match="sent a int after"):
            await link.outbox.send(1)
        with pytest.raises(LinkFinishedError, match="already"):
            await link.outbox.finish()


async def test_a_finish_that_was_cancelled_is_not_repeated() -> None:
    link = Link[int]()
    with link.inbox:
        with link.outbox:
            with trio.move_on_after(0):
                await link.outbox.finish(1)
            with pytest.raises(LinkFinishedError):
                await link.outbox.finish(1)
        with pytest.raises(LinkTruncatedError):
            await link.inbox.receive()


@pytest.mark.parametrize("last", [(), (1,)])
async def test_the_end_stays_reached(last: tuple[int, ...]) -> None:
    link = Link[int](capacity=1)
    with link.inbox:
        with link.outbox:
            await link.outbox.finish(*last)
        for value in last:
            assert await link.inbox.receive() == value
        assert await link.inbox.receive() is Mark.FINISHED
        assert [value async for value in link.inbox] == []
        with trio.testing.assert_checkpoints():
            assert await link.inbox.receive() is Mark.FINISHED


async def test_nobody_can_be_cancelled_between_the_last_value_and_the_end() -> None:
    link = Link[int]()
    log: list[object] = []

    async def send() -> None:
        with link.outbox:
            await link.outbox.finish(1)
            log.append("finished")

    with trio.CancelScope() as scope, link.inbox:
        async with open_supervisor() as supervisor:
            supervisor.call(send)
            async for value in link.inbox:
                scope.cancel()
                log.append(value)
            log.append("end")
    assert sorted(log, key=str) == [1, "end", "finished"]


async def test_closing_never_hides_the_error_that_made_us_leave() -> None:
    link = Link[int]()
    scope = trio.CancelScope()
    scope.cancel()
    with pytest.raises(ZeroDivisionError), scope, link.outbox, link.inbox:
        raise ZeroDivisionError
    assert not scope.cancelled_caught


def test_ends_cannot_be_opened_with_async_with() -> None:
    for end in (Outbox, Inbox):
        assert not hasattr(end, "__aenter__")


async def test_a_closed_end_cannot_be_used_by_its_owner() -> None:
    link = Link[int]()
    link.outbox.close()
    link.outbox.close()
    with pytest.raises(EndClosedError):
        await link.outbox.send(1)
    with pytest.raises(EndClosedError):
        await link.outbox.finish()
    link.inbox.close()
    link.inbox.close()
    with pytest.raises(EndClosedError):
        await link.inbox.receive()
    assert not link.outbox.is_open
    assert not link.inbox.is_open


async def test_a_closed_inbox_cannot_be_asked_for_the_end() -> None:
    link = Link[int](capacity=1)
    with link.outbox, link.inbox:
        await link.outbox.finish(1)
        await link.inbox.receive()
    with pytest.raises(EndClosedError):
        await link.inbox.receive()


async def test_closing_an_end_that_is_in_use_wakes_the_user() -> None:
    there, back = Link[int](), Link[int]()
    with there.inbox, back.outbox:
        with pytest.RaisesGroup(EndClosedError):
            async with open_supervisor() as supervisor:
                supervisor.call(there.outbox.send, 1)
                await trio.testing.wait_all_tasks_blocked()
                there.outbox.close()
        with pytest.RaisesGroup(EndClosedError):
            async with open_supervisor() as supervisor:
                supervisor.call(back.inbox.receive)
                await trio.testing.wait_all_tasks_blocked()
                back.inbox.close()


@pytest.mark.parametrize("end", ["outbox", "inbox"])
def test_an_end_that_is_never_closed_warns(end: str) -> None:
    links = [Link[int]()]
    (links[0].inbox if end == "outbox" else links[0].outbox).close()
    with pytest.warns(ResourceWarning, match=f"{end.title()} object at .* was never closed"):
        links.clear()


async def test_two_readers_of_one_inbox_are_found_out() -> None:
    async def iterate(inbox: Inbox[int]) -> None:
        await anext(inbox)

    for reader in (Inbox[int].receive, iterate):
        link, latest = Link[int](), Latest[int]()
        with (
            link.outbox,
            link.inbox,
            pytest.RaisesGroup(pytest.RaisesExc(RuntimeError, match="two tasks read one inbox")),
        ):
            async with open_supervisor() as supervisor:
                supervisor.call(reader, link.inbox)
                await trio.testing.wait_all_tasks_blocked()
                supervisor.call(link.inbox.receive_or, latest)
                await trio.testing.wait_all_tasks_blocked()
                latest.put(1)


@pytest.mark.parametrize("capacity", [-1, math.pi])
def test_a_capacity_is_a_number_of_values(capacity: int) -> None:
    with pytest.raises((ValueError, TypeError)):
        Link[int](capacity=capacity)
