"""Who comes after the end is refused, with all that is needed to make a notice of it."""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import attrs
import pytest
import trio
from trio.testing import MockClock

from tests.trees import After, Reader, stream
from trio_agent import (
    Agent,
    CommandContext,
    HandoffRequired,
    HandoffRequiredError,
    InvocationCancelledError,
    InvocationError,
    Node,
    ProgressReporter,
    Runtime,
    Suspense,
    agent,
    component,
    defer,
)
from trio_agent.testing import SingleTree
from trio_agent.vocabulary.invocation import Invocation


async def work() -> None:
    """Never begun: it comes too late."""
    raise AssertionError("not reached")  # pragma: no cover  # that is what is tested


@attrs.frozen(eq=False)
class Kept:
    """What outlives its invocation."""

    handles: list[CommandContext] = attrs.field(factory=list)
    reporters: list[ProgressReporter] = attrs.field(factory=list)
    refused: list[HandoffRequired] = attrs.field(factory=list)


@component
async def Keeps(kept: Kept, then: Callable[[], Node]) -> Node:
    kept.handles.append(agent())
    kept.reporters.append(agent().progress.named("kept"))
    await trio.sleep(3)
    return then()


def fail() -> Node:
    raise ValueError("no")


ENDINGS: dict[str, tuple[Callable[[], Node], str, int]] = {
    "complete": (lambda: Agent.Text("x"), "success", 1),
    "complete with an error": (lambda: Agent.Error("E", "x"), "represented-error", 1),
    "failed": (fail, "failed", 0),
}


async def run(kept: Kept, then: Callable[[], Node]) -> None:
    invocation = Invocation(kind="cli", target="audit", operation_id="cli:audit", id="one")
    reader = Reader()
    await Runtime(SingleTree(Keeps(kept, then))).invoke(invocation, reader, reader.sink)


def refused(produce: Callable[[], object]) -> HandoffRequired:
    with pytest.raises(HandoffRequiredError) as caught:
        produce()
    assert caught.value.code == "handoff-required"
    assert "invocation one of cli:audit has ended" in str(caught.value)
    return caught.value.handoff


@pytest.mark.parametrize("ending", ENDINGS)
async def test_however_it_ended_the_handoff_says_it_all(
    ending: str, autojump_clock: MockClock
) -> None:
    then, outcome, last = ENDINGS[ending]
    kept = Kept()
    expected = nullcontext() if ending != "failed" else pytest.raises(InvocationError)
    with expected:
        await run(kept, then)
    await trio.sleep(2)
    handle, reporter = kept.handles[0], kept.reporters[0]
    common = attrs.evolve(
        refused(partial(handle.progress.report, 3, total=4, message="m")),
        kind="defer",
        refused="work",
    )
    assert common == HandoffRequired(
        invocation_id="one",
        route_id="cli:audit",
        kind="defer",
        last_sequence=last,
        completed_at=3.0,
        outcome=outcome,  # type: ignore[arg-type]  # a parameter of the test
        refused="work",
    )
    report = refused(partial(handle.progress.report, 3, total=4, message="m"))
    assert report == attrs.evolve(
        common, kind="progress", refused={"completed": 3, "total": 4, "message": "m"}
    )
    named = refused(partial(reporter.report, 3))
    assert named.refused == {"completed": 3, "source": "kept"}
    late = refused(partial(handle.progress.named("new").report, message="late"))
    assert late.refused == {"completed": 0, "message": "late", "source": "new"}
    assert refused(partial(handle.defer, work)) == common
    in_thread = await trio.to_thread.run_sync(refused, partial(reporter.report, 3))
    assert in_thread == named
    assert await trio.to_thread.run_sync(refused, partial(handle.defer, work)) == common


async def test_after_a_cancellation_too(autojump_clock: MockClock) -> None:
    kept = Kept()
    with trio.move_on_after(1):
        await run(kept, lambda: None)
    handoff = refused(partial(kept.handles[0].progress.report, 1))
    assert (handoff.outcome, handoff.last_sequence, handoff.completed_at) == ("cancelled", -1, 1)
    assert refused(partial(kept.handles[0].defer, work)).kind == "defer"


async def test_after_a_consumer_that_left(autojump_clock: MockClock) -> None:
    kept = Kept()
    async with stream([Suspense(Keeps(kept, lambda: None))]) as events:
        assert (await anext(events)).type == "shell"
        await trio.sleep(1)
    with pytest.raises(HandoffRequiredError) as caught:
        kept.handles[0].progress.report(1)
    assert caught.value.handoff.outcome == "cancelled"
    assert caught.value.handoff.last_sequence == 0


async def test_shielded_cleanup_of_deferred_work_comes_too_late(
    autojump_clock: MockClock,
) -> None:
    kept = Kept()

    async def dawdle() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(5, shield=True):
                await trio.sleep(2)
                for produce in (partial(agent().progress.report, 9), partial(defer, work)):
                    try:
                        produce()
                    except HandoffRequiredError as error:
                        kept.refused.append(error.handoff)

    @component
    async def Root() -> Node:
        _ = agent().defer(dawdle)
        await trio.sleep(1)
        return None

    async with stream(Root()) as events:
        assert [event.type async for event in events] == ["shell", "complete"]
        # The end of the stream waits until all tasks have ended.
        assert trio.current_time() == 3
    assert [handoff.kind for handoff in kept.refused] == ["progress", "defer"]
    assert {handoff.completed_at for handoff in kept.refused} == {1.0}


async def test_an_abandoned_thread_comes_too_late() -> None:
    began, go, done = threading.Event(), threading.Event(), threading.Event()
    kept = Kept()

    def work_on() -> None:
        reporter = agent().progress
        began.set()
        go.wait(30)
        try:
            reporter.report(1)
        except HandoffRequiredError as error:
            kept.refused.append(error.handoff)
        done.set()

    async def in_thread() -> None:
        await trio.to_thread.run_sync(work_on, abandon_on_cancel=True)

    @component
    async def Root() -> Node:
        _ = agent().defer(in_thread)
        await trio.to_thread.run_sync(began.wait, 30)
        return None

    with trio.fail_after(30):
        async with stream(Root()) as events:
            assert [event.type async for event in events] == ["shell", "complete"]
    go.set()
    assert done.wait(30)
    assert kept.refused[0].outcome == "success"


async def test_the_door_is_shut_before_complete_is_taken(autojump_clock: MockClock) -> None:
    kept = Kept()
    async with stream([Suspense(After(1, None)), Keeps(kept, lambda: None)]) as events:
        assert (await anext(events)).type == "shell"
        await trio.sleep(5)
        handoff = refused_by(kept)
        assert handoff.outcome == "success"
        assert handoff.completed_at == 3.0
        assert [event.sequence async for event in events] == [handoff.last_sequence]


def refused_by(kept: Kept) -> HandoffRequired:
    with pytest.raises(HandoffRequiredError) as caught:
        kept.handles[0].progress.report(1)
    return caught.value.handoff


async def test_nobody_who_comes_in_time_is_refused(autojump_clock: MockClock) -> None:
    kept = Kept()
    runtime = Runtime(SingleTree(Suspense(Keeps(kept, lambda: None))))
    async with runtime.stream(Invocation(kind="cli", target="x", id="one")) as events:
        await anext(events)
        kept.handles[0].progress.report(1)
        assert (await anext(events)).type == "progress"
        runtime.cancel("one")
        with pytest.raises(InvocationCancelledError):
            await anext(events)
    assert refused_by(kept).last_sequence == 1
