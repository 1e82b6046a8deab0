"""The leak checks find what is planted, and nothing where nothing is."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable

import pytest
import trio

from actors import Link, open_supervisor
from actors.testing import Leaks, assert_no_leaks, watch_leaks


class Unruly:
    """Refuses to go quietly, and hides in a cycle."""

    def __init__(self) -> None:
        self.cycle = self

    def __del__(self) -> None:
        raise ZeroDivisionError


def leave_an_end_open() -> None:
    Link[int]().inbox.close()


def forget_a_coroutine() -> None:
    trio.sleep(0)  # type: ignore[unused-coroutine]  # that is the leak


def warn() -> None:
    warnings.warn("mind the gap", stacklevel=1)


@pytest.mark.parametrize(
    ("leak", "found"),
    [
        (leave_an_end_open, "ends: Outbox made at .*test_leaks.py"),
        (forget_a_coroutine, "warnings: coroutine 'sleep' was never awaited"),
        (warn, "warnings: mind the gap"),
        (Unruly, "unraisables: ZeroDivisionError"),
    ],
)
def test_a_leak_fails_and_is_named(leak: Callable[[], object], found: str) -> None:
    with pytest.raises(AssertionError, match=found), assert_no_leaks():
        leak()


async def test_a_task_that_still_runs_is_a_leak() -> None:
    async with open_supervisor() as supervisor:
        with watch_leaks() as watch:
            supervisor.call(trio.sleep_forever, name="straggler")
        assert watch.leaks == Leaks(tasks=("straggler",))
        supervisor.stop()


async def test_tasks_that_ran_before_are_not_counted() -> None:
    async with open_supervisor() as supervisor:
        supervisor.call(trio.sleep_forever)
        with assert_no_leaks():
            await trio.lowlevel.checkpoint()
        supervisor.stop()


async def test_tidy_work_passes() -> None:
    with assert_no_leaks():
        link = Link[int](capacity=1)
        with link.outbox, link.inbox:
            await link.outbox.finish(1)


def test_an_error_of_the_block_goes_first() -> None:
    def leak_and_fail() -> None:
        leave_an_end_open()
        raise KeyError

    with pytest.raises(KeyError), assert_no_leaks():
        leak_and_fail()


def test_a_leaked_end_is_reported_only_once() -> None:
    with watch_leaks() as watch:
        link = Link[int]()
    assert len(watch.leaks.ends) == 2
    assert not link.outbox.is_open
    del link
    gc.collect()


def test_watches_can_be_nested_and_end_with_the_block() -> None:
    with watch_leaks() as outer:
        with watch_leaks() as inner:
            leave_an_end_open()
        leave_an_end_open()
    assert len(inner.leaks.ends) == len(outer.leaks.ends) == 1
    assert Link.watch is None


def test_no_leaks_say_so() -> None:
    assert str(Leaks()) == "nothing was left behind"
    assert str(Leaks(ends=("a", "b"), tasks=("c",))) == "ends: a; ends: b; tasks: c"
