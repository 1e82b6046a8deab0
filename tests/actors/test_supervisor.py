"""One crash ends all; echoes are left out; nothing else is caught."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from actors import Actor, Inbox, Link, LinkTruncatedError, Outbox, PeerGoneError, open_supervisor


@dataclass
class Count:
    """Send 0, 1, 2 ... for ever."""

    numbers: Outbox[int]

    async def run(self) -> None:
        with self.numbers:
            number = 0
            while True:
                await self.numbers.send(number)
                number += 1


@dataclass
class Leave:
    """Take *number* values; then crash, or just leave."""

    numbers: Inbox[int]
    number: int
    error: BaseException | None = None

    async def run(self) -> None:
        with self.numbers:
            for _ in range(self.number):
                await self.numbers.receive()
            if self.error is not None:
                raise self.error


async def test_leaving_waits_for_every_actor(autojump_clock: trio.testing.MockClock) -> None:
    async with open_supervisor() as supervisor:
        supervisor.call(trio.sleep, 5)
        supervisor.call(trio.sleep, 3)
    assert trio.current_time() == 5


async def test_one_crash_cancels_the_others() -> None:
    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_supervisor() as supervisor:
            supervisor.call(trio.sleep_forever)
            link = Link[int]()
            link.outbox.close()
            supervisor.start(Leave(link.inbox, 0, ZeroDivisionError()))


async def test_a_crash_in_the_block_cancels_the_actors() -> None:
    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_supervisor() as supervisor:
            supervisor.call(trio.sleep_forever)
            raise ZeroDivisionError


@given(schedule=st.random_module(), number=st.integers(0, 4), crash_is_first=st.booleans())
async def test_only_the_cause_is_reported(
    schedule: object, number: int, crash_is_first: bool
) -> None:
    link = Link[int]()
    actors: list[Actor] = [
        Count(link.outbox),
        Leave(link.inbox, number, ZeroDivisionError()),
    ]
    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_supervisor() as supervisor:
            for actor in reversed(actors) if crash_is_first else actors:
                supervisor.start(actor)


@given(schedule=st.random_module())
async def test_echoes_in_inner_groups_are_left_out_too(schedule: object) -> None:
    link = Link[int]()

    async def outer_part() -> None:
        async with open_supervisor() as inner:
            inner.start(Count(link.outbox))

    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_supervisor() as supervisor:
            supervisor.call(outer_part)
            supervisor.start(Leave(link.inbox, 1, ZeroDivisionError()))


async def test_a_peer_that_just_left_is_reported_if_there_is_nothing_else() -> None:
    link = Link[int]()
    with pytest.RaisesGroup(PeerGoneError):
        async with open_supervisor() as supervisor:
            supervisor.start(Count(link.outbox))
            supervisor.start(Leave(link.inbox, 2))


async def test_a_truncation_is_reported_if_there_is_nothing_else() -> None:
    link = Link[int]()
    link.outbox.close()
    with pytest.RaisesGroup(LinkTruncatedError):
        async with open_supervisor() as supervisor:
            supervisor.start(Leave(link.inbox, 1))


async def test_errors_that_are_no_echoes_all_stay() -> None:
    async def fail(error: Exception) -> None:
        raise error

    with pytest.RaisesGroup(ZeroDivisionError, KeyError):
        async with open_supervisor() as supervisor:
            supervisor.call(fail, ZeroDivisionError())
            supervisor.call(fail, KeyError())


async def test_being_cancelled_from_outside_is_a_cause() -> None:
    link = Link[int]()

    async def send_while_shielded() -> None:
        with link.outbox, trio.CancelScope(shield=True):
            await link.outbox.send(1)

    with trio.CancelScope() as scope:
        async with open_supervisor() as supervisor:
            supervisor.call(trio.sleep_forever)
            supervisor.call(send_while_shielded)
            await trio.testing.wait_all_tasks_blocked()
            scope.cancel()
            link.inbox.close()
    assert scope.cancelled_caught


async def test_a_keyboard_interrupt_passes_and_is_a_cause() -> None:
    link = Link[int]()
    with pytest.RaisesGroup(KeyboardInterrupt):
        async with open_supervisor() as supervisor:
            supervisor.start(Count(link.outbox))
            supervisor.start(Leave(link.inbox, 1, KeyboardInterrupt()))


async def test_stopping_is_quiet_and_includes_the_block() -> None:
    reasons: list[str | None] = []

    async def tell_reason() -> None:
        try:
            await trio.sleep_forever()
        except trio.Cancelled as cancelled:
            reasons.append(cancelled.reason)
            raise

    async def stop() -> None:
        await trio.testing.wait_all_tasks_blocked()
        supervisor.stop("enough")

    async with open_supervisor() as supervisor:
        supervisor.call(tell_reason)
        supervisor.call(stop)
        await tell_reason()
    assert reasons == ["enough", "enough"]


async def test_stopping_one_supervisor_leaves_the_outer_one_alone() -> None:
    async with open_supervisor() as outer:
        async with open_supervisor() as inner:
            inner.stop()
        await trio.lowlevel.checkpoint()
        outer.stop()


async def test_tasks_are_named_after_the_actor_or_as_asked() -> None:
    names: list[str] = []

    class Teller:
        async def run(self) -> None:
            names.append(trio.lowlevel.current_task().name)

    async with open_supervisor() as supervisor:
        supervisor.start(Teller())
    async with open_supervisor() as supervisor:
        supervisor.call(Teller().run, name="custom")
    assert names == ["Teller", "custom"]


async def test_a_coroutine_is_refused() -> None:
    coroutine = trio.sleep(0)
    with pytest.RaisesGroup(TypeError):
        async with open_supervisor() as supervisor:
            supervisor.call(coroutine)  # type: ignore[arg-type]  # that is the point
    coroutine.close()


class WeaklyKnownError(Exception):
    """Built-in exceptions take no weak references."""


async def test_a_reported_crash_is_not_kept_alive_by_a_cycle() -> None:
    link = Link[int]()
    known: list[weakref.ref[WeaklyKnownError]] = []

    async def send_while_shielded() -> None:
        with link.outbox, trio.CancelScope(shield=True):
            await link.outbox.send(1)

    async def leave_and_crash() -> None:
        await trio.testing.wait_all_tasks_blocked()
        error = WeaklyKnownError()
        known.append(weakref.ref(error))
        try:
            with link.inbox:
                raise error
        finally:
            del error

    gc.disable()
    try:
        try:
            async with open_supervisor() as supervisor:
                supervisor.call(send_while_shielded)
                supervisor.call(leave_and_crash)
        except* WeaklyKnownError:
            assert known[0]() is not None
        await trio.lowlevel.checkpoint()
        assert known[0]() is None
    finally:
        gc.enable()
