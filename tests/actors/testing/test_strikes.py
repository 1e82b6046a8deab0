"""The strikes reach every step, tell what happened, and find planted faults."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Awaitable, Callable

import pytest
import trio
import trio.testing

from actors import Link, open_supervisor
from actors.testing import (
    Extent,
    Kind,
    Leaks,
    StrikeError,
    strike,
    strike_every_step,
)

Main = Callable[[Extent], Awaitable[object]]


async def three_checkpoints(extent: Extent) -> list[int]:
    passed: list[int] = []
    await trio.lowlevel.checkpoint()
    with extent:
        for number in range(3):
            await trio.lowlevel.checkpoint()
            passed.append(number)
    await trio.lowlevel.checkpoint()
    return passed


@pytest.mark.parametrize("kind", ["cancel", "crash"])
def test_every_step_of_the_extent_is_struck_and_nothing_else(kind: Kind) -> None:
    attempts = list(strike_every_step(three_checkpoints, kind=kind))
    assert [attempt.step for attempt in attempts] == list(range(1, len(attempts) + 1))
    assert {len(attempt.result) for attempt in attempts} == {0, 1, 2, 3}
    assert [attempt.place is None for attempt in attempts] == [False] * (len(attempts) - 1) + [True]
    last = attempts[-1]
    assert (last.outcome, last.error, last.unwind_s) == ("finished", None, 0)
    struck = {attempt.outcome for attempt in attempts[:-1]}
    assert struck >= {"cancelled" if kind == "cancel" else "crashed"}


def test_an_attempt_can_be_repeated_alone() -> None:
    for attempt in strike_every_step(three_checkpoints, seeds=[4]):
        assert strike(three_checkpoints, step=attempt.step, seed=4) == attempt


def test_the_place_is_where_the_programs_own_code_waits() -> None:
    attempt = strike(three_checkpoints, step=1)
    assert attempt.place is not None
    assert "three_checkpoints (" in attempt.place
    assert "test_strikes.py:" in attempt.place


def test_the_schedule_depends_on_the_seed_alone() -> None:
    async def main(extent: Extent) -> list[int]:
        order: list[int] = []

        async def run(number: int) -> None:
            order.append(number)

        with extent:
            async with open_supervisor() as supervisor:
                for number in range(8):
                    supervisor.call(run, number)
        return order

    runs = [[strike(main, step=999, seed=seed).result for seed in range(8)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert len({tuple(order) for order in runs[0]}) > 1


def test_time_from_strike_to_end_is_virtual_and_measured() -> None:
    async def main(extent: Extent) -> None:
        with extent:
            try:
                await trio.sleep(100)
            finally:
                with trio.move_on_after(7, shield=True):
                    await trio.sleep_forever()

    attempts = list(strike_every_step(main))
    assert {attempt.unwind_s for attempt in attempts} == {7, 0}


async def leak_an_end(extent: Extent) -> None:
    with extent:
        link = Link[int]()
        await trio.lowlevel.checkpoint()
        link.outbox.close()
        link.inbox.close()


async def make_a_coroutine_too_early(extent: Extent) -> None:
    with extent:
        sleeping = trio.sleep(0)
        await trio.lowlevel.checkpoint()
        await sleeping


async def run_nothing_but_trio(extent: Extent) -> None:
    with extent:
        async with open_supervisor() as supervisor:
            event = trio.Event()
            supervisor.call(event.wait)
            await trio.lowlevel.checkpoint()
            event.set()


@pytest.mark.parametrize("kind", ["cancel", "crash"])
@pytest.mark.parametrize(
    ("main", "kinds"),
    [
        (leak_an_end, {"ends"}),
        (make_a_coroutine_too_early, {"warnings"}),
        (run_nothing_but_trio, set()),
    ],
)
def test_planted_leaks_are_found(main: Main, kinds: set[str], kind: Kind) -> None:
    found: set[str] = set()
    for attempt in strike_every_step(main, kind=kind):
        found |= {name for name in ("ends", "tasks", "warnings") if getattr(attempt.leaks, name)}
    assert found == kinds


def test_a_task_that_outlives_the_extent_is_found() -> None:
    async def main(extent: Extent) -> None:
        async with open_supervisor() as outer:
            with extent:
                outer.call(trio.sleep, 1, name="straggler")
                await trio.lowlevel.checkpoint()

    assert {attempt.leaks for attempt in strike_every_step(main)} == {Leaks(tasks=("straggler",))}


def test_a_swallowed_cancellation_shows_as_finished() -> None:
    async def main(extent: Extent) -> None:
        with extent, contextlib.suppress(trio.Cancelled):
            await trio.sleep(1)

    assert {attempt.outcome for attempt in strike_every_step(main)} == {"finished"}


def test_a_crash_that_was_caught_is_no_crash_of_the_extent() -> None:
    caught: list[str] = []

    async def main(extent: Extent) -> None:
        with extent:
            try:
                await trio.sleep(1)
            except StrikeError as error:
                caught.append(str(error))

    assert [attempt.outcome for attempt in strike_every_step(main, kind="crash")] == [
        "finished",
        "finished",
    ]
    assert caught == ["struck before step 1"]


def test_a_crash_is_a_consequence_however_it_was_wrapped() -> None:
    async def main(extent: Extent) -> None:
        with extent:
            try:
                async with open_supervisor() as supervisor:
                    supervisor.call(trio.sleep, 1)
            except ExceptionGroup as group:
                raise KeyError("translated") from group

    first = strike(main, step=1, kind="crash")
    assert first.outcome == "crashed"
    assert isinstance(first.error, KeyError)


def test_a_crash_spares_tasks_outside_of_the_extent() -> None:
    async def main(extent: Extent) -> None:
        async with open_supervisor() as outer:
            outer.call(trio.sleep, 1)
            await trio.lowlevel.checkpoint()
            with extent:
                await trio.sleep(2)

    assert [attempt.outcome for attempt in strike_every_step(main, kind="crash")] == [
        "crashed",
        "finished",
    ]


@pytest.mark.parametrize("kind", ["cancel", "crash"])
def test_an_assertion_never_gets_lost(kind: Kind) -> None:
    async def main(extent: Extent) -> None:
        with extent:
            try:
                await trio.sleep(1)
            finally:
                raise AssertionError("seen")

    with pytest.raises(AssertionError, match="seen") as caught:
        strike(main, step=1, kind=kind)
    assert caught.value.__notes__[0].startswith(f"seed 0, {kind} before step 1: ")


def test_an_error_that_the_strike_did_not_cause_is_raised() -> None:
    async def main(extent: Extent) -> None:
        with extent:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        strike(main, step=1, kind="crash")
    assert caught.value.__notes__ == ["seed 0, crash before step 1: not struck"]


def test_a_run_that_gets_stuck_is_an_error() -> None:
    async def main(extent: Extent) -> None:
        with extent:
            await trio.sleep_forever()

    with pytest.raises(trio.TooSlowError):
        strike(main, step=99)


def test_a_program_without_an_extent_is_refused() -> None:
    async def main(extent: Extent) -> None:
        await trio.lowlevel.checkpoint()

    with pytest.raises(RuntimeError, match="never left its extent"):
        next(strike_every_step(main))


@pytest.mark.parametrize("was_frozen", [False, True])
def test_a_sequence_of_attempts_may_be_abandoned(was_frozen: bool) -> None:
    gc.unfreeze()
    if was_frozen:
        gc.freeze()
    attempts = strike_every_step(three_checkpoints)
    assert next(attempts).step == 1
    attempts.close()
    assert (gc.get_freeze_count() > 0) is was_frozen
