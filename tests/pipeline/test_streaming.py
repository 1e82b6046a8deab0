"""What comes when: the shell, what replaces it, and the end."""

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.trees import (
    After,
    At_once,
    Behind,
    Boom,
    Fails_after,
    For_ever,
    Gates,
    boom,
    dual,
    nested,
    ready,
    single,
    stream,
    texts,
)
from trio_agent import Agent, EventStream, Fragment, Node, Suspense, component
from trio_agent.testing import expect_document, expect_events, render, render_events
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    ReplaceEvent,
    ShellEvent,
)


async def read(events: EventStream) -> ShellEvent | ReplaceEvent | ErrorEvent | CompleteEvent:
    event = await anext(events)
    assert event.type != "progress"
    return event


async def is_waiting(events: EventStream) -> bool:
    with trio.move_on_after(10) as scope:
        await anext(events)
    return scope.cancelled_caught


async def test_without_suspense_there_are_a_shell_and_the_end() -> None:
    rendered = await render(ready())
    expect_events(rendered.events).exact_types(["shell", "complete"]).has_monotonic_sequence()
    expect_document(rendered.document).has_value({"ready": True}).has_kinds("markdown")


async def test_the_shell_has_the_fallback_and_nothing_comes_before_the_gate_opens(
    autojump_clock: MockClock,
) -> None:
    async with stream(single(Gates())) as events:
        shell = await read(events)
        assert shell.sequence == 0
        assert shell.document is not None
        assert texts(shell.document.root) == ["# Shell", "loading-a"]
        assert shell.document.status == "success"
        assert await is_waiting(events)


async def test_a_boundary_is_replaced_and_then_comes_the_end() -> None:
    gates = Gates()
    async with stream(single(gates)) as events:
        await read(events)
        gates.a.set()
        replace, complete = await read(events), await read(events)
        assert isinstance(replace, ReplaceEvent)
        assert (replace.sequence, replace.boundary_id) == (1, "b:1")
        assert texts(replace.document.root) == ["# Shell", "A ready"]
        assert isinstance(complete, CompleteEvent)
        assert complete.document == replace.document
        with pytest.raises(StopAsyncIteration):
            await anext(events)


async def test_invoking_gives_the_document_that_streaming_gives() -> None:
    gates = Gates()
    gates.a.set()
    assert (await render(single(gates))).value == {"ready": False}


async def test_boundaries_are_replaced_in_the_order_in_which_they_settle() -> None:
    gates = Gates()
    async with stream(dual(gates)) as events:
        await read(events)
        gates.b.set()
        first = await read(events)
        assert isinstance(first, ReplaceEvent)
        assert first.boundary_id == "b:2"
        assert texts(first.document.root) == ["# Shell", "loading-a", "B ready"]
        gates.a.set()
        second = await read(events)
        assert isinstance(second, ReplaceEvent)
        assert second.boundary_id == "b:1"
        assert (await read(events)).sequence == 3


async def test_boundaries_that_settle_together_have_an_event_each() -> None:
    gates = Gates()
    async with stream(dual(gates)) as events:
        await read(events)
        gates.a.set()
        gates.b.set()
        await wait_all_tasks_blocked()
        first, second = await read(events), await read(events)
        # One row settles one boundary: what has come meanwhile is not drained in a batch.
        assert first.document != second.document
        assert {event.type for event in (first, second)} == {"replace"}


async def test_a_nested_boundary_shows_its_fallback_when_it_is_revealed() -> None:
    gates = Gates()
    async with stream(nested(gates)) as events:
        assert texts((await read(events)).document.root) == ["# Shell", "loading-outer"]  # type: ignore[union-attr]  # no error
        gates.a.set()
        outer = await read(events)
        assert isinstance(outer, ReplaceEvent)
        assert outer.boundary_id == "b:1"
        assert texts(outer.document.root) == ["# Shell", "inner-shell", "loading-inner"]
        gates.b.set()
        inner = await read(events)
        assert isinstance(inner, ReplaceEvent)
        assert inner.boundary_id.startswith("b:1.")
        assert texts(inner.document.root) == ["# Shell", "inner-shell", "nested-ready"]
        assert (await read(events)).type == "complete"


async def test_what_is_ready_before_its_surroundings_are_has_no_event_of_its_own() -> None:
    gates = Gates()
    async with stream(nested(gates)) as events:
        await read(events)
        gates.b.set()
        await wait_all_tasks_blocked()
        gates.a.set()
        types = [event.type async for event in events]
    assert types == ["replace", "replace", "complete"]


async def test_a_failed_boundary_is_one_error_and_the_others_go_on() -> None:
    gates = Gates()
    async with stream([boom(gates), Suspense(Behind(gates.b, Agent.Text("late")))]) as events:
        await read(events)
        gates.a.set()
        failed = await read(events)
        assert isinstance(failed, ErrorEvent)
        assert failed.error.code == "boundary"
        assert failed.error.message == "boundary failed"
        assert failed.document is not None
        expect_document(failed.document).has_status("represented-error").has_error("boundary")
        gates.b.set()
        rest = [event async for event in events]
    expect_events(rest).exact_types(["replace", "complete"])


async def test_the_error_event_on_the_wire_has_no_document() -> None:
    gates = Gates()
    gates.a.set()
    events = await render_events(boom(gates))
    assert set(events[1].to_wire()) == {"type", "sequence", "boundaryId", "error"}


async def test_an_error_of_the_author_keeps_its_code_in_a_boundary(
    autojump_clock: MockClock,
) -> None:
    from trio_agent import AgentError

    events = await render_events(Suspense(Fails_after(1, AgentError("E_GONE", "not there"))))
    expect_events(events).exact_types(["shell", "error", "complete"])
    expect_events(events).has_error("E_GONE", "not there")


async def test_content_that_needs_nothing_async_is_inline_and_its_fallback_is_not_rendered() -> (
    None
):
    @component
    def Fallback() -> Node:
        raise AssertionError("not rendered")  # pragma: no cover  # that is what is tested

    @component
    def Inner() -> Node:
        return Agent.Text("inner")

    events = await render_events([Suspense(Inner(), fallback=Fallback())])
    expect_events(events).exact_types(["shell", "complete"])


async def test_a_synchronous_throw_in_a_boundary_is_told_of_right_after_the_shell() -> None:
    @component
    def Bad() -> Node:
        raise KeyError("nothing there")

    rendered = await render([Agent.Text("kept"), Suspense(Bad()), Suspense(At_once(None))])
    expect_events(rendered.events).exact_types(["shell", "error", "replace", "complete"])
    expect_document(rendered.document).has_kinds("text", "error")


async def test_an_async_component_suspends_even_if_it_never_waits() -> None:
    events = await render_events(Suspense(At_once(Agent.Text("x")), fallback=Agent.Text("f")))
    expect_events(events).exact_types(["shell", "replace", "complete"])


async def test_outside_a_boundary_the_shell_waits(autojump_clock: MockClock) -> None:
    rendered = await render([After(3, Agent.Text("late")), After(2, Agent.Text("later"))])
    expect_events(rendered.events).exact_types(["shell", "complete"])
    # Siblings that wait, wait at the same time.
    assert trio.current_time() == 3


async def test_a_chain_of_components_waits_one_after_the_other(autojump_clock: MockClock) -> None:
    rendered = await render([After(1, [After(2, Agent.Text("a"))]), After(1, None)])
    expect_document(rendered.document).has_kinds("text")
    assert trio.current_time() == 3


async def test_nested_boundaries_work_while_their_surroundings_wait(
    autojump_clock: MockClock,
) -> None:
    tree = [After(5, Agent.Text("slow")), After(5, Suspense(After(5, Agent.Text("inner"))))]
    events = await render_events([*tree, Suspense(After(5, Agent.Text("beside")))])
    expect_events(events).exact_types(["shell", "replace", "complete"])
    assert trio.current_time() == 10


@pytest.mark.parametrize("seed", range(12))
async def test_the_shell_does_not_depend_on_the_scheduler(seed: int) -> None:
    first = At_once(Suspense(At_once(Agent.Text("x")), fallback=Agent.Text("f")))
    events = await render_events([first, At_once(Agent.Text("y"))])
    expect_events(events).exact_types(["shell", "replace", "complete"])


async def test_a_fallback_may_wait_too_and_holds_its_surroundings_up_meanwhile(
    autojump_clock: MockClock,
) -> None:
    slow = Suspense(After(5, Agent.Text("content")), fallback=After(2, Agent.Text("fallback")))
    async with stream(slow) as events:
        shell = await read(events)
        assert trio.current_time() == 2
        assert shell.document is not None
        assert texts(shell.document.root) == ["fallback"]
        assert [event.type async for event in events] == ["replace", "complete"]


async def test_work_for_a_fallback_ends_when_nobody_needs_it(autojump_clock: MockClock) -> None:
    slow = Suspense(After(1, Agent.Text("content")), fallback=[After(60, None), For_ever()])
    events = await render_events(slow)
    expect_events(events).exact_types(["shell", "complete"])
    assert trio.current_time() == 1


async def test_boundaries_in_a_fallback_are_dropped_with_it(autojump_clock: MockClock) -> None:
    covered = Suspense(
        After(2, Agent.Text("content")),
        fallback=Suspense(After(30, Agent.Text("unneeded")), fallback=Agent.Text("f")),
    )
    events = await render_events(covered)
    expect_events(events).exact_types(["shell", "replace", "complete"])
    assert trio.current_time() == 2


async def test_cleanup_that_fails_in_a_fallback_nobody_needs_fails_nothing(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Messy() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("on the way out")

    covered = Suspense(After(1, Agent.Text("content")), fallback=[Messy(), For_ever()])
    events = await render_events(covered)
    expect_events(events).exact_types(["shell", "complete"])


async def test_cleanup_that_fails_inside_a_failing_boundary_changes_nothing(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Messy() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("on the way out")

    inside = Suspense(Messy(), For_ever())
    rendered = await render(Suspense(inside, Fails_after(1, OSError("no disk"))))
    expect_events(rendered.events).exact_types(["shell", "error", "complete"])
    expect_document(rendered.document).has_error("boundary", "no disk")


async def test_a_failing_boundary_cancels_what_is_nested_in_it_first(
    autojump_clock: MockClock,
) -> None:
    ended: list[float] = []

    @component
    async def Inner() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            ended.append(trio.current_time())

    tree = Suspense(Suspense(Inner()), Fails_after(4, ValueError("no")), After(9, None))
    expect_events(await render_events(tree)).exact_types(["shell", "error", "complete"])
    assert ended == [4]


async def test_several_failures_in_one_boundary_are_counted() -> None:
    gate = trio.Event()
    gate.set()
    rendered = await render(Suspense(Boom(gate), Boom(gate)))
    expect_document(rendered.document).has_kinds("error")
    message = rendered.root.children[0].message  # type: ignore[union-attr]  # an error node
    assert message in {"boundary failed", "2 errors, the first: boundary failed"}


async def test_fragments_and_lists_add_nothing(autojump_clock: MockClock) -> None:
    tree = Fragment(None, False, [True, [Agent.Text("a"), Fragment(After(1, Agent.Text("b")))]])
    assert texts((await render(tree)).document.root) == ["a", "b"]


async def test_a_boundary_that_is_all_content_of_another_has_an_id_of_its_own(
    autojump_clock: MockClock,
) -> None:
    inner = Suspense(After(1, Agent.Text("x")), fallback=Agent.Text("f"))
    events = await render_events(Suspense(At_once(inner)))
    assert [e.boundary_id for e in events if isinstance(e, ReplaceEvent)] == ["b:0", "b:0.0"]


async def test_what_is_written_around_several_results_is_decided_by_the_authored_root() -> None:
    wrapped = await render(
        Suspense(At_once(Agent.Result(Agent.Text("x"), metadata={"a": 1}, value=1)))
    )
    assert wrapped.value == 1
    assert wrapped.root.metadata is not None
    assert [node.kind for node in wrapped.root.children] == ["text"]


async def test_metadata_joins_across_boundaries_and_the_outer_members_win() -> None:
    route = Agent.Result(Agent.Text("x"), value=1, metadata={"layout": "route", "r": 2})
    tree = Agent.Result(Suspense(At_once(route)), metadata={"layout": "root"})
    rendered = await render(tree)
    metadata = rendered.root.metadata
    assert metadata is not None
    assert metadata.value == {"layout": "root", "r": 2}
    shell = rendered.events[0]
    assert isinstance(shell, ShellEvent)
    assert shell.document.value is None


async def test_a_nested_boundary_starts_when_the_row_around_it_has_been_taken(
    autojump_clock: MockClock,
) -> None:
    started: list[str] = []

    @component
    async def Notes(name: str, node: Node) -> Node:
        started.append(name)
        return node

    inner = Suspense(Notes("inner", Agent.Text("i")))
    async with stream([Agent.Text("x"), Suspense(Notes("outer", inner))]) as events:
        await trio.sleep(1)
        # The shell waits to be taken, so the row of the boundary does too.
        assert started == ["outer"]
        await read(events)
        await trio.sleep(1)
        assert started == ["outer", "inner"]
        assert [event.type async for event in events] == ["replace", "replace", "complete"]


async def test_a_nested_boundary_starts_at_once_if_its_surroundings_have_to_wait(
    autojump_clock: MockClock,
) -> None:
    started: list[float] = []

    @component
    async def Notes() -> Node:
        started.append(trio.current_time())
        return None

    tree: Node = [After(3, None), Suspense(Notes()), At_once(Suspense(Notes())), After(2, None)]
    await render(tree)
    await render(Suspense(tree))
    assert started == [0, 0, 3, 3]


async def test_one_component_may_wait_for_what_a_later_one_sets(autojump_clock: MockClock) -> None:
    # Any limit on how many run at a time would end in a deadlock.
    gates = [trio.Event() for _ in range(300)]

    @component
    async def Link(number: int) -> Node:
        if number + 1 < len(gates):
            await gates[number + 1].wait()
        gates[number].set()
        return Agent.Text(number)

    rendered = await render([Suspense(Link(number)) for number in range(len(gates))])
    assert texts(rendered.document.root) == [str(number) for number in range(len(gates))]


async def test_an_error_inside_a_revealed_boundary_comes_right_after_its_replace() -> None:
    @component
    def Bad() -> Node:
        raise ValueError("inside")

    events = await render_events(Suspense(At_once([Agent.Text("x"), Suspense(Bad())])))
    expect_events(events).exact_types(["shell", "replace", "error", "complete"])


async def test_an_error_inside_a_failed_boundary_has_no_event(autojump_clock: MockClock) -> None:
    content: Node = [Suspense(Fails_after(1, ValueError("in"))), Fails_after(2, ValueError("out"))]
    rendered = await render(Suspense(content))
    expect_events(rendered.events).exact_types(["shell", "error", "complete"])
    assert texts(rendered.document.root) == ["[boundary] out"]
