"""Progress: never waits, never fails a render, and the last word of each source is heard."""

import math
import threading

import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.testing import assert_no_leaks
from tests.trees import After, At_once, Gates, Reader, single, stream
from trio_agent import Agent, Node, ProgressReporter, Runtime, Suspense, agent, component
from trio_agent.errors import ContractError
from trio_agent.pipeline.progress import MAX_SOURCES
from trio_agent.testing import (
    SingleTree,
    expect_events,
    make_invocation,
    render,
    render_failure,
)
from trio_agent.vocabulary.event import ProgressEvent


@component
async def Reports(*reports: float, pause_s: float = 0) -> Node:
    for number in reports:
        agent().progress.report(number, total=100)
        await trio.sleep(pause_s)
    return None


def numbers(events: object) -> list[float]:
    return [event.completed for event in events if isinstance(event, ProgressEvent)]  # type: ignore[attr-defined]  # in a test every report counts


async def test_a_report_after_the_shell_is_an_event_with_its_members(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Inspects() -> Node:
        await trio.sleep(1)
        agent().progress.report(3, total=10, message="inspecting")
        await trio.sleep(1)
        return None

    rendered = await render(Suspense(Inspects()))
    expect_events(rendered.events).exact_types(["shell", "progress", "replace", "complete"])
    assert rendered.progress == (ProgressEvent(1, 3, 10, "inspecting"),)


async def test_before_the_shell_reports_are_held_and_collapse_per_source(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Busy() -> Node:
        for number in range(50):
            agent().progress.report(number)
            agent().progress.named("hashing").report(number * 2, message="hashing")
            await trio.sleep(1)
        return None

    rendered = await render(Busy())
    expect_events(rendered.events).exact_types(["shell", "progress", "progress", "complete"])
    assert [(event.source, event.completed) for event in rendered.progress] == [
        (None, 49),
        ("hashing", 98),
    ]


async def test_a_report_made_before_a_row_comes_before_its_event(autojump_clock: MockClock) -> None:
    rendered = await render([Agent.Text("x"), Suspense(Reports(1, 2, 3, pause_s=1))])
    expect_events(rendered.events).exact_types(
        ["shell", "progress", "progress", "progress", "replace", "complete"]
    )


async def test_the_last_of_each_source_comes_before_the_end() -> None:
    @component
    async def Finishes() -> Node:
        for name in ("a", "b", "c"):
            agent().progress.named(name).report(1, total=1)
        return None

    rendered = await render(Finishes())
    expect_events(rendered.events).completes_once().has_monotonic_sequence()
    assert [event.source for event in rendered.progress] == ["a", "b", "c"]


async def test_every_source_is_heard_while_the_work_still_goes_on(
    autojump_clock: MockClock,
) -> None:
    gates = Gates()

    @component
    async def Reports_thrice() -> Node:
        for name in ("a", "b", "c"):
            agent().progress.named(name).report(1)
        await gates.a.wait()
        return None

    async with stream(Suspense(Reports_thrice())) as events:
        assert (await anext(events)).type == "shell"
        with trio.fail_after(5):
            heard = [await anext(events) for _ in range(3)]
        assert [event.source for event in heard if isinstance(event, ProgressEvent)] == [
            "a",
            "b",
            "c",
        ]
        gates.a.set()
        assert [event.type async for event in events] == ["replace", "complete"]


async def test_a_reporter_of_the_same_name_is_the_same_source() -> None:
    @component
    async def Twice() -> Node:
        agent().progress.named("a").report(4)
        agent().progress.named("a").report(message="still at it")
        return None

    rendered = await render(Twice())
    assert rendered.progress == (ProgressEvent(1, 4, None, "still at it", "a"),)


async def test_a_report_with_a_message_only_keeps_the_last_number() -> None:
    @component
    async def Talks() -> Node:
        agent().progress.report(message="begun")
        return None

    assert (await render(Talks())).progress == (ProgressEvent(1, 0, None, "begun"),)


async def test_there_may_be_sixty_four_sources_and_no_more() -> None:
    @component
    async def Many() -> Node:
        reporters = [agent().progress.named(str(number)) for number in range(MAX_SOURCES)]
        for reporter in reporters:
            reporter.report(1)
        agent().progress.named("3").report(2)
        with pytest.raises(ContractError, match="at most 64") as caught:
            agent().progress.named("one more")
        assert caught.value.code == "invalid-document"
        return None

    rendered = await render(Many())
    assert len(rendered.progress) == MAX_SOURCES


@pytest.mark.parametrize("number", [-1, math.nan, math.inf, True, "3", 2**53])
async def test_a_number_that_is_none_is_refused_where_it_is_reported(number: float) -> None:
    @component
    async def Bad() -> Node:
        with pytest.raises(ContractError) as caught:
            agent().progress.report(number)
        assert caught.value.code == "invalid-document"
        with pytest.raises(ContractError):
            agent().progress.report(3, total=2)
        with pytest.raises(ContractError):
            agent().progress.report(3, message="   ")
        with pytest.raises(ContractError):
            agent().progress.named("  ")
        return None

    assert (await render(Bad())).progress == ()


async def test_a_hundred_thousand_reports_fail_nothing_and_collapse(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Talkative() -> Node:
        progress = agent().progress
        for number in range(100_000):
            progress.report(number)
            if number % 1000 == 0:
                await trio.sleep(0)
        return None

    reader = Reader(pause_s=5)
    tree = SingleTree([Agent.Text("x"), Suspense(Talkative())])
    await Runtime(tree).invoke(make_invocation(), reader, reader.sink)
    expect_events(reader.events).has_monotonic_sequence().completes_once()
    found = numbers(reader.events)
    assert found == sorted(found)
    assert found[-1] == 99_999
    assert len(found) < 10


async def test_a_report_while_the_decoder_sends_is_not_lost(autojump_clock: MockClock) -> None:
    # A bell that rings while nobody listens: the report has to come out nevertheless.
    gates = Gates()

    @component
    async def One() -> Node:
        agent().progress.report(1)
        await wait_all_tasks_blocked()
        agent().progress.report(2)
        await gates.a.wait()
        return None

    async with stream(Suspense(One())) as events:
        assert (await anext(events)).type == "shell"
        await wait_all_tasks_blocked()
        assert numbers([await anext(events)]) == [1]
        with trio.fail_after(5):
            assert numbers([await anext(events)]) == [2]
        gates.a.set()


async def test_no_task_is_made_for_progress() -> None:
    async def count_tasks(tree: Node) -> int:
        async with stream(tree) as events:
            await anext(events)
            await wait_all_tasks_blocked()
            return trio.lowlevel.current_statistics().tasks_living

    gates = Gates()
    silent = await count_tasks(single(gates))

    @component
    async def Talks() -> Node:
        agent().progress.report(1)
        await gates.a.wait()
        return None  # pragma: no cover  # cancelled before

    assert await count_tasks(Suspense(Talks())) == silent


async def test_threads_may_report_at_any_time() -> None:
    # No fake clock: it would jump while the thread works.
    @component
    async def In_thread() -> Node:
        reporter = agent().progress.named("thread")

        def work() -> None:
            for number in range(500):
                reporter.report(number)

        await trio.to_thread.run_sync(work)
        return None

    with trio.fail_after(30):
        rendered = await render(Suspense(In_thread()))
    found = numbers(rendered.events)
    assert found == sorted(found)
    assert found[-1] == 499


async def test_a_thread_wakes_a_decoder_that_waits() -> None:
    go, gates = threading.Event(), Gates()

    @component
    async def In_thread() -> Node:
        reporter: ProgressReporter = agent().progress

        def work() -> None:
            go.wait(30)
            reporter.report(1)

        await trio.to_thread.run_sync(work)
        await gates.a.wait()
        return None

    async with stream(Suspense(In_thread())) as events:
        assert (await anext(events)).type == "shell"
        await wait_all_tasks_blocked()
        go.set()
        with trio.fail_after(30):
            assert numbers([await anext(events)]) == [1]
        gates.a.set()
        assert [event.type async for event in events] == ["replace", "complete"]


async def test_progress_takes_at_most_half_of_the_rate(autojump_clock: MockClock) -> None:
    @component
    async def Talkative() -> Node:
        for number in range(100):
            agent().progress.report(number)
            await trio.sleep(0.01)
        return None

    rendered = await render(Suspense(Talkative()), limits={"max_event_rate": 20})
    expect_events(rendered.events).completes_once()
    # Ten a second at most, the shell among them, and the last of all.
    assert 5 <= len(rendered.progress) <= 11
    assert rendered.progress[-1].completed == 99


async def test_progress_takes_at_most_half_of_the_count(autojump_clock: MockClock) -> None:
    tree = Suspense(Reports(*range(90), pause_s=1))
    rendered = await render(tree, limits={"max_events": 10, "max_elapsed_s": 100})
    expect_events(rendered.events).completes_once()
    assert numbers(rendered.events) == [0, 1, 2, 3, 89]


async def test_when_the_count_is_used_up_only_the_end_is_kept(autojump_clock: MockClock) -> None:
    tree = [Suspense(At_once(None)), Suspense(At_once(None)), Suspense(After(1, Reports(1)))]
    for rate in (1, 100):
        rendered = await render(tree, limits={"max_events": 5, "max_event_rate": rate})
        expect_events(rendered.events).exact_types(["shell", *["replace"] * 3, "complete"])


@pytest.mark.parametrize("rate", [1, 2, 3, 7])
async def test_the_last_of_each_source_is_heard_however_low_the_rate_is(
    rate: int, autojump_clock: MockClock
) -> None:
    @component
    async def Finishes() -> Node:
        for name in "abcde":
            agent().progress.named(name).report(1)
        return None

    rendered = await render(Finishes(), limits={"max_event_rate": rate})
    expect_events(rendered.events).completes_once().has_monotonic_sequence()
    assert [event.source for event in rendered.progress] == list("abcde")


async def test_deferred_work_that_never_stops_talking_does_not_hold_up_the_end(
    autojump_clock: MockClock,
) -> None:
    async def talk(number: int) -> None:
        reporter = agent().progress.named(str(number))
        while True:
            reporter.report(trio.current_time())
            await trio.sleep(0.05)

    @component
    async def Root() -> Node:
        for number in range(4):
            _ = agent().defer(talk, number)
        await trio.sleep(3)
        return None

    rendered = await render(Root(), limits={"max_event_rate": 3})
    expect_events(rendered.events).completes_once()
    assert {event.source for event in rendered.progress} == {"0", "1", "2", "3"}
    assert trio.current_time() < 10


async def test_a_message_larger_than_an_event_may_be_fails_the_invocation() -> None:
    @component
    async def Shouts() -> Node:
        agent().progress.report(message="x" * 3000)
        return None

    failed = await render_failure(Shouts(), limits={"max_event_bytes": 2000})
    assert failed.error.code == "event-bytes-exceeded"


@given(schedule=st.random_module(), pause=st.sampled_from([0, 0.5, 3]), steps=st.integers(1, 8))
def test_numbers_rise_and_the_last_is_heard_whatever_the_schedule(
    schedule: object, pause: float, steps: int
) -> None:
    reader = Reader(pause_s=pause)
    tree = SingleTree([Suspense(Reports(*range(steps), pause_s=1)), Suspense(After(2, None))])

    async def run() -> None:
        await Runtime(tree).invoke(make_invocation(), reader, reader.sink)

    with assert_no_leaks():
        trio.run(run, clock=MockClock(autojump_threshold=0))
    expect_events(reader.events).has_monotonic_sequence().completes_once()
    found = numbers(reader.events)
    assert found == sorted(found)
    assert found[-1] == steps - 1
