"""A reply changes hands once and can be read for ever."""

from __future__ import annotations

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from actors import Reply, ReplyTwiceError, SlotEmptyError, open_supervisor


async def test_whoever_waits_gets_the_value() -> None:
    reply = Reply[str]()
    got: list[str] = []

    async def ask() -> None:
        got.append(await reply.take())

    async with open_supervisor() as supervisor:
        supervisor.call(ask)
        supervisor.call(ask)
        await trio.testing.wait_all_tasks_blocked()
        assert not reply.is_given
        reply.give("yes")
    assert got == ["yes", "yes"]


@given(schedule=st.random_module(), askers=st.integers(0, 4))
async def test_every_asker_gets_it_in_any_order(schedule: object, askers: int) -> None:
    reply = Reply[int]()
    got: list[int] = []

    async def ask() -> None:
        got.append(await reply.take())

    async def give() -> None:
        reply.give(7)

    async with open_supervisor() as supervisor:
        supervisor.call(give)
        for _ in range(askers):
            supervisor.call(ask)
    assert got == [7] * askers


async def test_a_value_that_is_there_can_be_taken_again_and_again() -> None:
    reply = Reply[str | None]()
    reply.give(None)
    assert reply.is_given
    for _ in range(2):
        with trio.testing.assert_checkpoints():
            assert await reply.take() is None
    assert reply.take_nowait() is None


def test_a_second_value_is_refused_and_the_first_one_stays() -> None:
    reply = Reply[int]()
    reply.give(1)
    with pytest.raises(ReplyTwiceError, match="given a int"):
        reply.give(2)
    assert reply.take_nowait() == 1


def test_reading_too_early_is_an_error() -> None:
    with pytest.raises(SlotEmptyError, match="has not been given"):
        Reply[int]().take_nowait()


async def test_taking_can_be_cancelled_and_repeated() -> None:
    reply = Reply[int]()
    with trio.CancelScope() as scope:
        scope.cancel()
        await reply.take()
    assert scope.cancelled_caught
    reply.give(3)
    assert await reply.take() == 3


def test_no_event_is_made_unless_somebody_waits() -> None:
    reply = Reply[int]()
    reply.give(1)
    reply.take_nowait()
    assert reply._given is None
