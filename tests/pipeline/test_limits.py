"""Every limit fails the invocation with a code of its own, never a single boundary."""

import pytest
import trio
from trio.testing import MockClock

from tests.trees import After, At_once, Fails_after, For_ever, Gates, dual, stream
from trio_agent import Agent, InvocationError, LimitOverrides, Node, Suspense, component, defer
from trio_agent.testing import expect_events, render, render_failure

LONG = "x" * 500


def medium() -> Node:
    return Agent.Image(b"12345678" * 100, "image/png")


LIMITS: dict[str, tuple[str, LimitOverrides, Node]] = {
    "bytes": ("document-bytes-exceeded", {"max_document_bytes": 300}, Agent.Text(LONG)),
    "nodes": ("document-node-count-exceeded", {"max_document_nodes": 4}, [Agent.Text("x")] * 9),
    "depth": (
        "document-depth-exceeded",
        {"max_document_depth": 3},
        Agent.Result(Agent.Result(Agent.Json([[1]]))),
    ),
    "results": (
        "document-depth-exceeded",
        {"max_document_depth": 2},
        Agent.Result(Agent.Result(Agent.Result(Agent.Text("x")))),
    ),
    "value": ("document-bytes-exceeded", {"max_document_bytes": 300}, Agent.Result(value=LONG)),
    "media": ("media-bytes-exceeded", {"max_media_bytes": 100}, medium()),
}


@pytest.mark.parametrize("name", LIMITS)
async def test_a_broken_limit_fails_the_invocation(name: str) -> None:
    code, limits, node = LIMITS[name]
    failed = await render_failure(node, limits=limits)
    assert failed.error.code == code
    assert failed.events == ()
    assert (await render(node)).events


@pytest.mark.parametrize("name", LIMITS)
async def test_in_a_boundary_too(name: str, autojump_clock: MockClock) -> None:
    code, limits, node = LIMITS[name]
    inline = await render_failure(Suspense(node), limits=limits)
    assert (inline.error.code, len(inline.events)) == (code, 0)
    later = await render_failure(Suspense(After(1, node), For_ever()), limits=limits)
    assert (later.error.code, len(later.events)) == (code, 1)
    alone = await render_failure(Suspense(After(1, node)), limits=limits)
    assert (alone.error.code, len(alone.events)) == (code, 1)
    nested: Node = [At_once(None), Suspense(After(1, node))]
    inside = await render_failure(Suspense(nested, After(2, None)), limits=limits)
    assert inside.error.code == code


async def test_an_event_that_is_too_large_fails_the_invocation() -> None:
    failed = await render_failure(Agent.Text(LONG), limits={"max_event_bytes": 300})
    assert failed.error.code == "event-bytes-exceeded"


async def test_an_error_message_that_is_too_large_fails_the_invocation(
    autojump_clock: MockClock,
) -> None:
    node = Suspense(Fails_after(1, ValueError(LONG)))
    failed = await render_failure(node, limits={"max_document_bytes": 400})
    assert failed.error.code == "document-bytes-exceeded"


async def test_one_event_more_than_allowed_fails_after_those_that_were(
    autojump_clock: MockClock,
) -> None:
    gates = Gates()
    async with stream(dual(gates), limits={"max_events": 2}) as events:
        assert (await anext(events)).type == "shell"
        gates.a.set()
        assert (await anext(events)).type == "replace"
        gates.b.set()
        for _ in range(2):
            with pytest.raises(InvocationError) as caught:
                await anext(events)
            assert caught.value.code == "event-count-exceeded"
            assert caught.value.event.sequence == 2


async def test_as_many_events_as_allowed_pass() -> None:
    gates = Gates()
    gates.a.set()
    gates.b.set()
    rendered = await render(dual(gates), limits={"max_events": 4})
    expect_events(rendered.events).completes_once()


async def test_a_finished_row_that_nobody_takes_is_paid_for(autojump_clock: MockClock) -> None:
    node = [Suspense(After(1, Agent.Text("x" * 4000))) for _ in range(300)]
    async with stream(node) as events:
        assert (await anext(events)).type == "shell"
        await trio.sleep(5)
        with pytest.raises(InvocationError) as caught:
            await anext(events)
        assert caught.value.code == "document-bytes-exceeded"


async def test_ten_thousand_siblings_are_fine() -> None:
    node: Node = [Agent.Text("x") for _ in range(10_000)]
    rendered = await render(node, limits={"max_document_nodes": 20_000})
    assert len(rendered.root.children) == 10_000


async def test_ten_thousand_siblings_that_wait_are_fine(autojump_clock: MockClock) -> None:
    node: Node = [After(1, Agent.Text("x")) for _ in range(10_000)]
    rendered = await render(node, limits={"max_document_nodes": 20_000})
    assert len(rendered.root.children) == 10_000
    assert trio.current_time() == 1


# ---------------------------------------------------------------------------------- deadline


@component
async def Slow(seconds: float) -> Node:
    with trio.CancelScope(shield=True):
        await trio.sleep(seconds)
    return None


DEADLINES: dict[str, Node] = {
    "root": For_ever(),
    "several in the root": [For_ever(), After(1, None)],
    "boundary": Suspense(For_ever()),
    "several in a boundary": Suspense(For_ever(), For_ever()),
    "nested boundary": Suspense(At_once(None), Suspense(For_ever(), At_once(None))),
    "fallback": Suspense(For_ever(), fallback=For_ever()),
    "boundary in a fallback": Suspense(For_ever(), fallback=Suspense(For_ever())),
}


@pytest.mark.parametrize("name", DEADLINES)
async def test_the_deadline_fails_whatever_waits(name: str, autojump_clock: MockClock) -> None:
    failed = await render_failure(DEADLINES[name], limits={"max_elapsed_s": 7})
    assert failed.error.code == "elapsed-time-exceeded"
    assert trio.current_time() == 7


async def test_the_deadline_is_a_minute_by_default(autojump_clock: MockClock) -> None:
    assert (await render_failure(For_ever())).error.code == "elapsed-time-exceeded"
    assert trio.current_time() == 60


async def test_the_deadline_waits_for_cleanup(autojump_clock: MockClock) -> None:
    failed = await render_failure([Slow(9), For_ever()], limits={"max_elapsed_s": 7})
    assert failed.error.code == "elapsed-time-exceeded"
    assert trio.current_time() == 9


async def test_a_failure_in_the_cleanup_of_the_deadline_does_not_hide_it(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Messy() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            raise OSError("on the way out")

    failed = await render_failure([Messy(), For_ever()], limits={"max_elapsed_s": 7})
    assert failed.error.code == "elapsed-time-exceeded"


async def test_a_root_that_fails_in_its_own_words_at_the_deadline_was_late(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Messy() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            raise OSError("on the way out")

    failed = await render_failure(Messy(), limits={"max_elapsed_s": 7})
    assert failed.error.code == "elapsed-time-exceeded"


async def test_a_component_may_wait_for_deferred_work_until_the_deadline(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Root() -> Node:
        await defer(trio.sleep_forever)

    failed = await render_failure(Root(), limits={"max_elapsed_s": 7})
    assert failed.error.code == "elapsed-time-exceeded"


async def test_what_is_done_at_the_very_end_counts(autojump_clock: MockClock) -> None:
    rendered = await render(After(6.999, None), limits={"max_elapsed_s": 7})
    expect_events(rendered.events).completes_once()
