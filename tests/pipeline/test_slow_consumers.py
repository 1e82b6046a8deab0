"""What events there are does not depend on how fast the consumer reads, progress excepted."""

import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from actors.testing import assert_no_leaks
from tests.trees import After, Fails_after, Reader
from trio_agent import Agent, InvocationError, Node, Runtime, Suspense, agent, component
from trio_agent.testing import SingleTree, expect_events, make_invocation, render
from trio_agent.vocabulary.event import RenderEvent


def tree() -> Node:
    return [
        Agent.Markdown("# Shell"),
        Suspense(After(1, Agent.Text("a")), fallback=Agent.Text("fa")),
        Suspense(After(2, Agent.Text("b")), fallback=Agent.Text("fb")),
        Suspense(Fails_after(3, ValueError("c"))),
        Suspense(After(4, Agent.Result(Agent.Text("d"), value=4)), fallback=Agent.Text("fd")),
    ]


async def events_at(pause_s: float, node: Node) -> list[RenderEvent]:
    reader = Reader(pause_s=pause_s)
    await Runtime(SingleTree(node)).invoke(make_invocation(), reader, reader.sink)
    return reader.events


@pytest.mark.parametrize("pause_s", [0.25, 1.5, 100])
async def test_the_events_are_those_of_a_fast_consumer(
    pause_s: float, autojump_clock: MockClock
) -> None:
    assert await events_at(pause_s, tree()) == await events_at(0, tree())


async def test_progress_excepted(autojump_clock: MockClock) -> None:
    @component
    async def Talks() -> Node:
        for number in range(20):
            agent().progress.report(number)
            await trio.sleep(0.1)
        return None

    node = [tree(), Suspense(Talks())]
    slow, fast = [
        [event for event in await events_at(pause, node) if event.type != "progress"]
        for pause in (5, 0)
    ]
    assert [event.type for event in slow] == [event.type for event in fast]


async def test_a_slow_consumer_does_not_fail_a_finished_render(autojump_clock: MockClock) -> None:
    reader = Reader(pause_s=100)
    await Runtime(SingleTree(tree())).invoke(
        make_invocation(), reader, reader.sink, limits={"max_elapsed_s": 5}
    )
    expect_events(reader.events).completes_once()
    assert trio.current_time() == 600


async def test_a_consumer_that_does_not_read_holds_up_no_component(
    autojump_clock: MockClock,
) -> None:
    done: list[float] = []

    @component
    async def Works() -> Node:
        await trio.sleep(1)
        done.append(trio.current_time())
        return None

    async with Runtime(SingleTree([Suspense(Works()) for _ in range(5)])).stream(
        make_invocation()
    ) as events:
        await trio.sleep(10)
        assert done == [1] * 5
        assert len([event async for event in events]) == 7


async def test_a_fast_render_to_a_slow_consumer_still_meets_its_deadline(
    autojump_clock: MockClock,
) -> None:
    reader = Reader(pause_s=3)
    slow = [tree(), Suspense(After(50, None))]
    with pytest.raises(InvocationError) as caught:
        await Runtime(SingleTree(slow)).invoke(
            make_invocation(), reader, reader.sink, limits={"max_elapsed_s": 20}
        )
    assert caught.value.code == "elapsed-time-exceeded"
    assert trio.current_time() == 20


@given(schedule=st.random_module(), pause=st.floats(0, 10), delays=st.lists(st.integers(1, 50)))
def test_whatever_the_delays(schedule: object, pause: float, delays: list[int]) -> None:
    node = [
        Suspense(After(delay + index / 100, Agent.Text(index)), fallback=None)
        for index, delay in enumerate(delays)
    ]

    async def run() -> list[list[RenderEvent]]:
        return [await events_at(pause, node), await events_at(0, node)]

    with assert_no_leaks():
        slow, fast = trio.run(run, clock=MockClock(autojump_threshold=0))
    assert slow == fast


async def test_the_rate_delays_and_loses_nothing(autojump_clock: MockClock) -> None:
    # Fifteen hundred quick boundaries are more than a second may have.
    node = [Suspense(After(0.001, Agent.Text(number))) for number in range(1500)]
    rendered = await render(node)
    expect_events(rendered.events).has_monotonic_sequence().completes_once()
    assert len(rendered.events) == 1502
    assert 1 < trio.current_time() < 2.1


async def test_errors_wait_their_turn_too(autojump_clock: MockClock) -> None:
    node = [Suspense(Fails_after(1, ValueError(str(number)))) for number in range(6)]
    rendered = await render(node, limits={"max_event_rate": 2})
    expect_events(rendered.events).exact_types(["shell", *["error"] * 6, "complete"])
