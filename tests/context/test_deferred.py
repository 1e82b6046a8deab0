"""A deferred value: awaited by any number, received once is enough, never hanging."""

from collections.abc import Iterator

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from actors import ReplyTwiceError
from actors.testing import assert_no_leaks
from trio_agent.context.deferred import Deferred, Done, Failed, Stopped
from trio_agent.errors import InvocationCancelledError


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    with assert_no_leaks():
        yield


def raised(message: str) -> Failed:
    try:
        _ = dict[str, int]()[message]
    except KeyError as error:
        return Failed(error, error.__traceback__)
    raise AssertionError("not reached")  # pragma: no cover  # an empty mapping has nothing


async def test_everybody_who_waits_gets_the_value() -> None:
    deferred = Deferred[int]("count")
    seen: list[int] = []

    async def wait() -> None:
        seen.append(await deferred)

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        deferred.settle(Done(5))
    assert seen == [5, 5, 5]
    assert deferred.receive_nowait() == 5


async def test_waiting_for_it_receives_nothing() -> None:
    deferred = Deferred[int]("count")
    deferred.settle(raised("no"))
    await deferred.wait_settled()
    assert not deferred.is_received
    with pytest.raises(LookupError):
        await deferred
    assert deferred.is_received


async def test_a_failure_is_raised_as_often_as_it_is_asked_for_and_its_traceback_does_not_grow() -> (
    None
):
    deferred = Deferred[int]("count")
    deferred.settle(raised("no"))
    lengths: set[int] = set()
    for _ in range(5):
        with pytest.raises(LookupError) as caught:
            await deferred
        lengths.add(len(caught.traceback))
    assert len(lengths) == 1


async def test_cancelled_work_is_told_by_name() -> None:
    deferred = Deferred[int]("count")
    deferred.settle(Stopped())
    with pytest.raises(InvocationCancelledError, match="count was cancelled before it was done"):
        await deferred


async def test_it_says_whose_it_is_and_whether_it_is_settled() -> None:
    deferred = Deferred[int]("count")
    assert repr(deferred) == "<Deferred count, pending>"
    assert not deferred.is_settled
    deferred.settle(Done(1))
    assert repr(deferred) == "<Deferred count, settled>"
    assert deferred.is_settled


async def test_it_is_settled_once() -> None:
    deferred = Deferred[int]("count")
    deferred.settle(Done(1))
    with pytest.raises(ReplyTwiceError):
        deferred.settle(Done(2))
    assert await deferred == 1
