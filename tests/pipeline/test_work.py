"""Deferred work: it begins at once, never holds up the end, and no failure of it gets lost."""

import gc
import traceback
from collections.abc import Coroutine
from functools import partial

import attrs
import pytest
import trio
from trio.testing import MockClock

from tests.trees import After, At_once, Fails_after, For_ever, Reader, ready, stream, texts
from trio_agent import (
    Agent,
    Deferred,
    InvocationCancelledError,
    InvocationError,
    Node,
    Runtime,
    Suspense,
    agent,
    component,
    defer,
    use,
)
from trio_agent.errors import ContractError
from trio_agent.pipeline.work import DeferredFailedError
from trio_agent.testing import (
    SingleTree,
    expect_document,
    expect_events,
    make_invocation,
    render,
    render_failure,
)


async def value_after(seconds: float, value: int) -> int:
    await trio.sleep(seconds)
    return value


async def failure_after(seconds: float, message: str) -> int:
    await trio.sleep(seconds)
    raise LookupError(message)


@component
async def Shows(number: Deferred[int]) -> Node:
    return Agent.Text(await number)


@component
def Uses(number: Deferred[int]) -> Node:
    return Agent.Text("used ", use(number))


async def test_work_begins_at_once_and_any_number_of_components_may_await_it(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Root() -> Node:
        number = defer(value_after, 3, 7)
        await trio.sleep(2)
        return [Shows(number), Suspense(Shows(number)), Suspense(Uses(number))]

    rendered = await render(Root())
    assert texts(rendered.document.root) == ["7", "7", "used 7"]
    assert trio.current_time() == 3


async def test_a_value_that_is_there_can_be_used_at_once(autojump_clock: MockClock) -> None:
    @component
    async def Root() -> Node:
        number = defer(value_after, 1, 7)
        await trio.sleep(2)
        return Suspense(Uses(number), fallback=Agent.Text("not shown"))

    rendered = await render(Root())
    expect_events(rendered.events).exact_types(["shell", "complete"])
    assert texts(rendered.document.root) == ["used 7"]


async def test_a_def_component_may_use_one_value_after_the_other(
    autojump_clock: MockClock,
) -> None:
    runs: list[int] = []

    @component
    def Sums(first: Deferred[int], second: Deferred[int]) -> Node:
        runs.append(1)
        return [Agent.Text(use(first) + use(second)), At_once(Agent.Text("and more"))]

    @component
    async def Root() -> Node:
        return Suspense(Sums(defer(value_after, 1, 3), defer(value_after, 2, 4)))

    rendered = await render(Root())
    assert texts(rendered.document.root) == ["7", "and more"]
    assert len(runs) == 3


async def test_everybody_who_awaits_it_gets_the_failure_from_where_it_happened(
    autojump_clock: MockClock,
) -> None:
    depths: list[int] = []

    @component
    async def Looks(number: Deferred[int]) -> Node:
        try:
            await number
        except LookupError as error:
            frames = traceback.extract_tb(error.__traceback__)
            assert frames[-1].name == "failure_after"
            depths.append(len(frames))
            raise
        return None  # pragma: no cover  # what it awaits fails

    @component
    async def Root() -> Node:
        number = defer(failure_after, 1, "no such number")
        return [Suspense(Looks(number)), Suspense(Looks(number)), Suspense(Uses(number))]

    rendered = await render(Root())
    expect_events(rendered.events).exact_types(["shell", "error", "error", "error", "complete"])
    assert texts(rendered.document.root) == ["[boundary] no such number"] * 3
    assert depths[0] == depths[1]


async def test_a_failure_that_several_siblings_received_is_one_failure(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Root() -> Node:
        number = defer(failure_after, 1, "no such number")
        return Suspense(Shows(number), Shows(number), Shows(number))

    rendered = await render(Root())
    assert texts(rendered.document.root) == ["[boundary] no such number"]


async def test_an_invalid_node_made_by_deferred_work_is_its_own_error(
    autojump_clock: MockClock,
) -> None:
    async def makes() -> int:
        return Agent.Progress(3, 2)  # type: ignore[return-value]  # wrong on purpose

    @component
    async def Root() -> Node:
        number = defer(makes)
        return [Suspense(Shows(number)), Suspense(Uses(number))]

    for text in texts((await render(Root())).document.root):
        assert "invalid-document" in text
        assert ".makes)" in text


async def test_a_failure_that_nobody_received_fails_the_invocation_and_names_the_function(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Root() -> Node:
        _ = defer(failure_after, 1, "the disk is full")
        await trio.sleep(2)
        return Agent.Text("all is well")

    failed = await render_failure(Root())
    assert failed.error.code == "deferred-failed"
    assert "failure_after failed" in failed.error.message
    assert "the disk is full" in failed.error.message
    assert isinstance(failed.cause, DeferredFailedError)
    assert isinstance(failed.cause.__cause__, LookupError)


async def test_a_failure_that_was_received_and_handled_fails_nothing(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Root() -> Node:
        number = defer(failure_after, 1, "no")
        try:
            await number
        except LookupError:
            return Agent.Text("handled")
        return None  # pragma: no cover  # it fails

    assert texts((await render(Root())).document.root) == ["handled"]


async def test_what_still_runs_when_all_is_shown_is_cancelled_and_holds_nothing_up(
    autojump_clock: MockClock,
) -> None:
    ended: list[float] = []

    async def long() -> None:
        try:
            await trio.sleep(50)
        finally:
            ended.append(trio.current_time())

    @component
    async def Root() -> Node:
        _ = defer(long)
        await trio.sleep(1)
        return None

    expect_events((await render(Root())).events).exact_types(["shell", "complete"])
    assert ended == [1]


async def test_a_failure_after_all_is_shown_fails_nothing_however_slow_the_consumer_is(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Root() -> Node:
        _ = defer(failure_after, 5, "too late to matter")
        await trio.sleep(1)
        return [Agent.Text("x"), Suspense(After(1, None))]

    reader = Reader(pause_s=10)
    await Runtime(SingleTree(Root())).invoke(make_invocation(), reader, reader.sink)
    assert reader.types == ["shell", "replace", "complete"]


async def test_work_that_never_began_is_stopped_too() -> None:
    @component
    async def Root() -> Node:
        _ = defer(value_after, 1, 1)
        return None

    expect_events((await render(Root())).events).exact_types(["shell", "complete"])


async def test_cancelled_work_says_so_to_whoever_awaits_it(autojump_clock: MockClock) -> None:
    kept: list[Deferred[int]] = []

    @component
    async def Root() -> Node:
        kept.append(defer(value_after, 50, 1))
        await trio.sleep(1)
        return None

    await render(Root())
    assert "settled" in repr(kept[0])
    with pytest.raises(InvocationCancelledError, match="value_after was cancelled"):
        await kept[0]


async def test_work_of_a_cancelled_invocation_is_settled_too(autojump_clock: MockClock) -> None:
    kept: list[Deferred[int]] = []

    @component
    async def Root() -> Node:
        kept.append(defer(value_after, 50, 1))
        return For_ever()

    async with stream(Root()):
        await trio.sleep(1)
    with pytest.raises(InvocationCancelledError):
        await kept[0]


async def test_work_may_defer_work(autojump_clock: MockClock) -> None:
    async def outer() -> int:
        return await defer(value_after, 2, 5) + 1

    @component
    async def Root() -> Node:
        return Shows(agent().defer(outer))

    assert texts((await render(Root())).document.root) == ["6"]


async def test_a_failed_boundary_does_not_touch_deferred_work(autojump_clock: MockClock) -> None:
    @component
    async def Starts(kept: list[Deferred[int]]) -> Node:
        kept.append(defer(value_after, 3, 9))
        await trio.sleep(1)
        raise ValueError("no")

    @component
    async def Awaits(kept: list[Deferred[int]]) -> Node:
        await trio.sleep(2)
        return Shows(kept[0])

    kept: list[Deferred[int]] = []
    rendered = await render([Suspense(Starts(kept)), Suspense(Awaits(kept))])
    assert texts(rendered.document.root) == ["[boundary] no", "9"]


async def test_the_deadline_bounds_deferred_work(autojump_clock: MockClock) -> None:
    @component
    async def Root() -> Node:
        return Suspense(Shows(defer(value_after, 50, 1)))

    failed = await render_failure(Root(), limits={"max_elapsed_s": 5})
    assert failed.error.code == "elapsed-time-exceeded"
    assert trio.current_time() == 5


async def test_work_that_outlives_the_deadline_of_a_shown_document_fails_nothing(
    autojump_clock: MockClock,
) -> None:
    kept: list[Deferred[int]] = []

    @component
    async def Root() -> Node:
        kept.append(defer(value_after, 50, 1))
        return [Suspense(After(1, None)), Suspense(After(2, None))]

    reader = Reader(pause_s=20)
    await Runtime(SingleTree(Root())).invoke(
        make_invocation(), reader, reader.sink, limits={"max_elapsed_s": 5}
    )
    assert reader.types == ["shell", "replace", "replace", "complete"]
    with pytest.raises(ContractError, match="value_after was not done within the time limit"):
        await kept[0]


async def test_a_def_component_may_not_defer() -> None:
    @component
    def Root() -> Node:
        _ = defer(value_after, 1, 1)
        return None  # pragma: no cover  # defer refuses

    failed = await render_failure(Root())
    assert failed.error.code == "invalid-element"
    assert "Root is a def and may run again" in failed.error.message


async def test_an_async_component_may_defer_after_a_def_has_run(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Defers() -> Node:
        return Shows(defer(value_after, 1, 7))

    @component
    def Page() -> Node:
        return [Defers(), Suspense(Defers())]

    assert texts((await render(Page())).document.root) == ["7", "7"]


async def test_a_coroutine_made_beforehand_is_refused() -> None:
    @component
    async def Root() -> Node:
        _ = defer(value_after(1, 1))  # type: ignore[arg-type]  # wrong on purpose
        return None  # pragma: no cover  # defer refuses

    failed = await render_failure(Root())
    assert failed.error.code == "invalid-element"
    assert "defer(value_after, ...)" in failed.error.message
    assert "in component " in failed.error.message


async def test_what_cannot_be_called_is_refused() -> None:
    @component
    async def Root() -> Node:
        _ = defer(7)  # type: ignore[arg-type]  # wrong on purpose
        return None  # pragma: no cover  # defer refuses

    failed = await render_failure(Root())
    assert failed.error.code == "invalid-element"
    assert "received 7" in failed.error.message


async def test_what_returns_no_coroutine_fails_by_name(autojump_clock: MockClock) -> None:
    def plain() -> int:
        return 3

    @component
    async def Root() -> Node:
        return Shows(defer(plain))  # type: ignore[arg-type]  # wrong on purpose

    failed = await render_failure(Root())
    assert failed.error.code == "invalid-element"
    assert "plain" in failed.error.message
    assert "async def" in failed.error.message


async def test_anything_that_returns_a_coroutine_can_be_deferred(autojump_clock: MockClock) -> None:
    @attrs.frozen
    class Adds:
        number: int

        async def __call__(self, more: int) -> int:
            return self.number + more

    def wraps(number: int) -> Coroutine[object, object, int]:
        return value_after(0, number)

    @component
    async def Root() -> Node:
        return [
            Shows(defer(Adds(1), 1)),
            Shows(defer(partial(value_after, 1), 3)),
            Shows(defer(wraps, 4)),
        ]

    assert texts((await render(Root())).document.root) == ["2", "3", "4"]


async def test_a_worker_thread_may_not_defer() -> None:
    @component
    async def Root() -> Node:
        _ = await trio.to_thread.run_sync(partial(defer, value_after, 1, 1))
        return None  # pragma: no cover  # defer refuses

    failed = await render_failure(Root())
    assert failed.error.code == "invalid-element"
    assert "worker thread" in failed.error.message


async def test_sys_exit_in_deferred_work_is_a_failure_of_it(autojump_clock: MockClock) -> None:
    @component
    async def Root() -> Node:
        async def leaves() -> int:
            raise SystemExit(4)

        return Suspense(Shows(defer(leaves)))

    rendered = await render(Root())
    expect_document(rendered.document).has_kinds("error")
    assert "leaves called sys.exit(4)" in texts(rendered.document.root)[0]


async def test_a_failure_is_not_kept_alive_by_its_invocation(autojump_clock: MockClock) -> None:
    failed = await render_failure(Fails_after(0, ValueError("x")))
    assert isinstance(failed.error, InvocationError)
    del failed
    gc.collect()


async def test_a_tree_without_deferred_work_has_none() -> None:
    assert (await render(ready())).value == {"ready": True}
