"""Parts of the pipeline by themselves, where no tree leads a test."""

import math

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from actors import open_supervisor
from tests.trees import At_once, Gates, stream
from trio_agent import AgentError, InvocationCancelledError, Node, Suspense, agent, component
from trio_agent.errors import ContractError, LimitError
from trio_agent.pipeline.author import describe, find_limit, iterate_leaves
from trio_agent.pipeline.door import Door, Ending
from trio_agent.pipeline.rendering import Hole
from trio_agent.pipeline.work import WorkDesk
from trio_agent.protocol.assembler import RootFailedError
from trio_agent.protocol.rows import ErrorRow
from trio_agent.testing import render_failure
from trio_agent.vocabulary.element import Definition, Element


def new_desk() -> WorkDesk:
    return WorkDesk(Door("one", "cli:audit"), math.inf)


async def test_work_that_is_stopped_before_its_first_step_never_begins() -> None:
    began: list[str] = []

    async def begins() -> None:
        began.append("began")  # pragma: no cover  # that is what is tested

    desk = new_desk()
    async with open_supervisor() as supervisor:
        desk.open(supervisor)
        deferred = desk.start(begins, ())
        desk.stop()
    with pytest.raises(InvocationCancelledError):
        deferred.receive_nowait()
    assert began == []


async def test_no_work_starts_before_there_is_a_supervisor() -> None:
    with pytest.raises(AssertionError, match="before the supervisor is open"):
        _ = new_desk().start(trio.sleep, (1,))


def test_a_door_is_shut_once_and_the_first_ending_stands() -> None:
    class Nothing:
        def to_wire(self) -> object:
            return "nothing"

    door = Door("one", "cli:audit")
    door.check("progress", Nothing())
    door.shut(Ending(3, 1.0, "success"))
    door.shut(Ending(4, 2.0, "cancelled"))
    with pytest.raises(Exception, match=r"has ended \(success\)"):
        door.check("progress", Nothing())


def test_a_report_that_interrupts_another_in_its_own_thread_does_not_wait_for_it() -> None:
    door = Door("one", "cli:audit")
    with door.lock:
        assert door.lock.acquire(blocking=False)
        door.lock.release()


def test_a_failure_that_came_as_a_row_keeps_its_code() -> None:
    fault = describe(RootFailedError(ErrorRow(0, "E_GONE", "not there")), "render-failed")
    assert (fault.code, fault.message) == ("E_GONE", "not there")


def test_a_failure_is_put_into_words_by_its_first_leaf() -> None:
    group = ExceptionGroup("a", [ExceptionGroup("b", [AgentError("E", "one")]), ValueError("two")])
    assert [str(leaf) for leaf in iterate_leaves(group)] == ["one", "two"]
    fault = describe(group, "boundary")
    assert (fault.code, fault.message) == ("E", "2 errors, the first: one")
    assert describe(ExceptionGroup("a", [ValueError("x")]), "boundary").message == "x"


def test_the_words_of_a_failure_are_plain_strings_whatever_the_author_made_of_them() -> None:
    class Loud(str):
        __slots__ = ()

    class LoudError(Exception):
        def __str__(self) -> str:
            return Loud("loud")

    assert type(describe(LoudError(), "boundary").message) is str
    fault = describe(AgentError(Loud("E"), Loud("x")), "boundary")
    assert (type(fault.code), fault.code) == (str, "E")
    assert (type(fault.message), fault.message) == (str, "x")


def test_a_broken_limit_is_found_in_any_group() -> None:
    limit = LimitError("event-count-exceeded", "too many")
    group = ExceptionGroup("a", [ValueError(), ExceptionGroup("b", [limit])])
    assert find_limit(group) is limit
    assert find_limit(ValueError()) is None
    assert find_limit(ContractError("boundary", "x")) is None


async def test_a_ring_for_a_report_that_was_taken_already_is_nothing() -> None:
    gates = Gates()

    @component
    async def Rings() -> Node:
        progress = agent().progress
        progress.report(1)
        await wait_all_tasks_blocked()
        # As the queue of the Trio thread does, when another thread has reported meanwhile.
        progress._progress.bell.put(None)  # type: ignore[attr-defined]  # the queue is private
        await gates.a.wait()
        return None

    async with stream(Suspense(Rings())) as events:
        assert [(await anext(events)).type for _ in range(2)] == ["shell", "progress"]
        await wait_all_tasks_blocked()
        gates.a.set()
        assert [event.type async for event in events] == ["replace", "complete"]


async def test_a_function_that_only_says_it_is_async_may_raise_when_it_is_called() -> None:
    def raises(*args: object, **kwargs: object) -> object:
        return int(None)  # type: ignore[call-overload]  # to raise

    element = Element(Definition(raises, "raises", is_async=True), (), {})
    failed = await render_failure(element)
    assert failed.error.code == "render-failed"
    assert isinstance(failed.cause, TypeError)


def test_a_hole_is_filled_once() -> None:
    element = At_once(None)
    hole = Hole([], None, element, None, 0, 1)  # type: ignore[arg-type]  # a bare hole
    assert hole.take_element() is element
    with pytest.raises(AssertionError, match="once"):
        hole.take_element()
