"""What an early prototype taught about the pipeline, where no other test says it."""

import gc
from typing import cast

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.trees import After, Gates, stream
from trio_agent import Agent, InvocationError, Node, ProgressReporter, Suspense, agent, component
from trio_agent.testing import expect_events, render
from trio_agent.vocabulary.event import CompleteEvent, ReplaceEvent, ShellEvent
from trio_agent.vocabulary.result import Chunk, ResultNode


async def test_a_consumer_that_comes_back_sees_two_stale_reports_at_most() -> None:
    gates = Gates()
    kept: list[ProgressReporter] = []

    @component
    async def Talks() -> Node:
        kept.append(agent().progress)
        await gates.a.wait()
        return None

    async with stream(Suspense(Talks())) as events:
        assert (await anext(events)).type == "shell"
        await wait_all_tasks_blocked()
        for number in range(200):
            kept[0].report(number)
            await wait_all_tasks_blocked()
        found: list[float] = []
        while 199 not in found:
            event = await anext(events)
            assert event.type == "progress"
            found.append(event.completed)
        assert len(found) <= 3
        gates.a.set()
        assert [event.type async for event in events] == ["replace", "complete"]


async def test_two_workers_of_one_fallback_end_together_and_in_peace(
    autojump_clock: MockClock,
) -> None:
    # Both once entered one cancel scope, which a scope refuses.
    ended: list[float] = []

    @component
    async def Stands_in() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            ended.append(trio.current_time())

    inner = Suspense(Stands_in(), fallback=Agent.Text("inner"))
    covered = Suspense(After(3, Agent.Text("x")), fallback=[inner, inner, Agent.Text("f")])
    rendered = await render([covered, Agent.Text("y")])
    expect_events(rendered.events).exact_types(["shell", "replace", "complete"])
    assert ended == [3, 3]


async def test_metadata_are_merged_again_only_when_the_value_changes(
    autojump_clock: MockClock,
) -> None:
    def metadata_of(event: object) -> object:
        document = cast("ShellEvent | ReplaceEvent | CompleteEvent", event).document
        return cast("ResultNode", document.root).metadata

    route = Agent.Result(
        Suspense(After(1, Agent.Text("a"))),
        Suspense(After(2, Agent.Text("b"))),
        value=1,
        metadata={"route": 1},
    )
    rendered = await render(Agent.Result(route, metadata={"layout": 1}))
    expect_events(rendered.events).exact_types(["shell", "replace", "replace", "complete"])
    first, *others = map(metadata_of, rendered.events)
    assert first is not None
    assert all(metadata is first for metadata in others)


@component
async def Fails_late() -> Node:
    await trio.sleep(2)
    raise ValueError("no")


@component
async def Fails() -> Node:
    raise ValueError("no")


NESTED = Suspense(After(2, Agent.Text("b")), fallback=[Suspense(After(1, Agent.Text("c")))])


@pytest.mark.parametrize(
    "root",
    [
        Agent.Result(Agent.Text("x"), value=1),
        [Agent.Text("x"), Suspense(After(1, [Agent.Text("a"), NESTED]), fallback=Agent.Text("w"))],
        [Agent.Text("x"), Suspense(Fails_late(), fallback=Agent.Text("w"))],
        [Agent.Text("x"), Suspense(After(1, Agent.Text("a"))), Fails()],
    ],
    ids=["a result", "boundaries", "a failed boundary", "a failed root"],
)
async def test_no_document_waits_for_the_garbage_collector(
    root: Node, autojump_clock: MockClock
) -> None:
    # What held it referred to itself, so that a hundred large ones could pile up.
    gc.collect()
    gc.disable()
    try:
        try:
            async with stream(root) as events:
                async for event in events:
                    del event
        except InvocationError:
            pass
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        waited = [found for found in gc.garbage if isinstance(found, ResultNode | Chunk)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert waited == []
