"""The runtime: how an invocation ends, whoever ends it, and that nothing is left of it."""

from collections.abc import Callable, Iterator
from typing import cast

import attrs
import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.testing import assert_no_leaks
from tests.trees import (
    After,
    At_once,
    Behind,
    Fails_after,
    For_ever,
    Gates,
    Reader,
    ready,
    single,
    stream,
)
from trio_agent import (
    Agent,
    InvocationCancelledError,
    InvocationError,
    LimitOverrides,
    Limits,
    Node,
    Program,
    Runtime,
    Suspense,
    agent,
    component,
)
from trio_agent.errors import ArtifactEpochError, ConsumerLeftError, ContractError, RequestError
from trio_agent.testing import (
    SingleTree,
    expect_document,
    expect_events,
    make_invocation,
    render,
    render_failure,
)
from trio_agent.vocabulary.event import CompleteEvent, RenderEvent
from trio_agent.vocabulary.identity import PROTOCOL_REVISION, Identity
from trio_agent.vocabulary.invocation import Invocation


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    with assert_no_leaks():
        yield


def named(id_: str) -> Invocation:
    return Invocation(kind="cli", target="x", id=id_)


# ---------------------------------------------------------------------------------- results


async def test_the_result_is_what_the_projection_made_of_it() -> None:
    reader = Reader()
    result = await Runtime(SingleTree(ready())).invoke(named("a"), reader, reader.sink)
    assert result == ["shell", "complete"]


async def test_every_output_goes_to_the_sink_one_at_a_time(autojump_clock: MockClock) -> None:
    reader = Reader(pause_s=2)
    await Runtime(SingleTree(ready())).invoke(named("a"), reader, reader.sink)
    assert trio.current_time() == 4


async def test_one_runtime_runs_many_at_a_time_and_they_do_not_meet(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Whose() -> Node:
        mine = agent().invocation.id
        await trio.sleep(1)
        assert agent().invocation.id == mine
        return Agent.Text(mine)

    runtime = Runtime(SingleTree(Whose()))
    seen: list[str] = []

    async def one(id_: str) -> None:
        reader = Reader()
        await runtime.invoke(named(id_), reader, reader.sink)
        complete = cast("CompleteEvent", reader.events[-1])
        expect_document(complete.document).contains_text(id_)
        seen.append(id_)

    async with trio.open_nursery() as nursery:
        for number in range(5):
            nursery.start_soon(one, f"number {number}")
    assert len(seen) == 5
    assert trio.current_time() == 1


async def test_an_invocation_inside_another_has_a_request_of_its_own() -> None:
    @component
    async def Outer() -> Node:
        inner = await render(At_once(Agent.Text("inner")), invocation=named("inner"))
        assert agent().invocation.id == "outer"
        return inner.document.root.children[0]  # type: ignore[union-attr,return-value]  # its one child

    rendered = await render(Outer(), invocation=named("outer"))
    expect_document(rendered.document).contains_text("inner")


async def test_an_id_that_is_running_is_refused() -> None:
    gates = Gates()
    runtime = Runtime(SingleTree(single(gates)))
    async with runtime.stream(named("same")):
        reader = Reader()
        with pytest.raises(RequestError, match="'same' is running"):
            await runtime.invoke(named("same"), reader, reader.sink)
        with pytest.raises(RequestError, match="'same' is running"):
            async with runtime.stream(named("same")):
                raise AssertionError("not reached")
    gates.a.set()
    reader = Reader()
    await runtime.invoke(named("same"), reader, reader.sink)
    assert reader.types == ["shell", "replace", "complete"]


async def test_an_application_may_refuse_a_target() -> None:
    class Empty:
        identity = Identity("e")

        def open(self, invocation: Invocation) -> None:
            raise RequestError("invalid-invocation", f"no {invocation.target} here")

    runtime = Runtime(Empty())  # type: ignore[arg-type]  # it only refuses
    reader = Reader()
    with pytest.raises(RequestError, match="no x here"):
        await runtime.invoke(named("a"), reader, reader.sink)
    assert runtime.cancel("a") is False


async def test_limits_of_the_call_win_over_the_routes_and_those_over_the_runtimes() -> None:
    leaves = [Agent.Text(str(number)) for number in range(20)]

    async def fails_with(runtime: int, route: int | None, call: int | None) -> bool:
        tree = SingleTree(leaves, limits={} if route is None else {"max_document_nodes": route})
        reader = Reader()
        try:
            await Runtime(tree, limits=Limits(max_document_nodes=runtime)).invoke(
                named("a"),
                reader,
                reader.sink,
                limits=None if call is None else {"max_document_nodes": call},
            )
        except InvocationError as error:
            return error.code == "document-node-count-exceeded"
        return False

    assert await fails_with(5, None, None)
    assert not await fails_with(5, 100, None)
    assert await fails_with(100, 5, None)
    assert not await fails_with(5, 5, 100)
    assert await fails_with(100, 100, 5)


async def test_an_unknown_limit_is_refused_before_anything_runs() -> None:
    with pytest.raises(ContractError, match="max_fun"):
        await render(ready(), limits=cast("LimitOverrides", {"max_fun": 3}))


# ---------------------------------------------------------------------------------- failure


async def test_a_root_that_raises_has_no_document_and_one_terminal_error() -> None:
    failed = await render_failure(Fails_after(0, ValueError("no")))
    assert failed.events == ()
    assert failed.error.code == "render-failed"
    assert failed.error.event.to_wire() == {
        "type": "error",
        "sequence": 0,
        "error": {"code": "render-failed", "message": "no"},
    }


async def test_what_made_it_fail_is_the_cause() -> None:
    error = ValueError("the very one")
    assert (await render_failure(Fails_after(0, error))).cause is error


async def test_an_assertion_in_a_component_can_be_found() -> None:
    @component
    async def Checks() -> Node:
        assert 1 + 1 == 3
        return None

    failed = await render_failure(Checks())
    assert isinstance(failed.cause, AssertionError)
    assert failed.cause.__traceback__ is not None


async def test_several_failures_are_counted_and_all_are_the_cause() -> None:
    failed = await render_failure(
        [Fails_after(0, ValueError("a")), Fails_after(0, ValueError("a"))]
    )
    if isinstance(failed.cause, ExceptionGroup):
        assert failed.error.message == "2 errors, the first: a"
    else:
        assert failed.error.message == "a"


async def test_an_exception_without_words_is_named_by_its_class() -> None:
    assert (await render_failure(Fails_after(0, KeyError()))).error.message == "KeyError"


async def test_an_exception_that_cannot_be_put_into_words_is_named_by_its_class() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("I have no words")

    assert (await render_failure(Fails_after(0, MuteError()))).error.message == "MuteError"


async def test_a_failure_after_the_shell_is_numbered_after_it(autojump_clock: MockClock) -> None:
    tree = Suspense(After(1, [Agent.Text("x")] * 9))
    failed = await render_failure(tree, limits={"max_document_nodes": 5})
    expect_events(failed.events).exact_types(["shell"])
    assert failed.error.event.sequence == 1


async def test_a_projection_that_raises_fails_the_invocation() -> None:
    class Broken(Reader):
        def feed(self, event: RenderEvent) -> list[RenderEvent]:
            raise LookupError("no such column")

    with pytest.raises(InvocationError, match="no such column") as caught:
        await Runtime(SingleTree(ready())).invoke(named("a"), Broken(), Reader().sink)
    assert isinstance(caught.value.__cause__, LookupError)


async def test_a_projection_that_raises_at_the_end_fails_the_invocation() -> None:
    class Broken(Reader):
        def finish(self) -> list[str]:
            raise LookupError("no such column")

    with pytest.raises(InvocationError, match="no such column") as caught:
        await Runtime(SingleTree(ready())).invoke(named("a"), Broken(), Reader().sink)
    assert caught.value.event.sequence == 1


async def test_a_sink_that_raises_fails_the_invocation_at_once(autojump_clock: MockClock) -> None:
    reader = Reader(leave_at="shell", error=OSError("disk full"))
    tree = SingleTree(Suspense(After(50, None)))
    with pytest.raises(InvocationError, match="disk full"):
        await Runtime(tree).invoke(named("a"), reader, reader.sink)
    assert trio.current_time() == 0


# ---------------------------------------------------------------------------------- leaving


@pytest.mark.parametrize("at", ["shell", "replace", "complete"])
async def test_a_consumer_that_leaves_cancels_the_invocation_at_once(
    at: str, autojump_clock: MockClock
) -> None:
    reader = Reader(leave_at=at, error=ConsumerLeftError())
    tree = SingleTree(
        [Suspense(After(1, None)), Suspense(After(1 if at == "complete" else 50, None))]
    )
    with pytest.raises(InvocationCancelledError, match="left before it was complete"):
        await Runtime(tree).invoke(named("a"), reader, reader.sink)
    assert trio.current_time() == (0 if at == "shell" else 1)


async def test_a_boundary_that_fails_because_the_consumer_left_says_nothing(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Messy() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            raise OSError("lost a file")

    reader = Reader(leave_at="shell", error=ConsumerLeftError())
    with pytest.raises(InvocationCancelledError):
        await Runtime(SingleTree(Suspense(Messy()))).invoke(named("a"), reader, reader.sink)


async def test_breaking_out_of_a_stream_cancels_the_invocation(autojump_clock: MockClock) -> None:
    ended: list[float] = []

    @component
    async def Long() -> Node:
        try:
            await trio.sleep(50)
        finally:
            ended.append(trio.current_time())
        return None  # pragma: no cover  # cancelled before

    async with stream(Suspense(Long())) as events:
        async for event in events:
            assert event.type == "shell"
            await trio.sleep(1)
            break
    assert ended == [1]


@pytest.mark.parametrize(
    "error", [ValueError("mine"), ExceptionGroup("mine", [ValueError()]), SystemExit(3)]
)
async def test_what_a_block_raises_comes_out_as_it_is(error: BaseException) -> None:
    async def leave() -> None:
        async with stream(single(Gates())) as events:
            await anext(events)
            raise error

    with pytest.raises(type(error)) as caught:
        await leave()
    assert caught.value is error


async def test_a_keyboard_interrupt_in_a_block_comes_out_as_it_is() -> None:
    with pytest.raises(KeyboardInterrupt):
        async with stream(single(Gates())):
            raise KeyboardInterrupt


async def test_a_stream_raises_what_invoking_raises_and_again_when_read_again() -> None:
    async with stream(Fails_after(0, ValueError("no"))) as events:
        for _ in range(2):
            with pytest.raises(InvocationError, match="no"):
                await anext(events)


async def test_a_stream_ends_once_and_for_all() -> None:
    async with stream(ready()) as events:
        assert [event.type async for event in events] == ["shell", "complete"]
        assert [event.type async for event in events] == []


async def test_a_failure_nobody_reads_does_not_leave_the_block() -> None:
    async with stream(Fails_after(0, ValueError("no"))):
        await wait_all_tasks_blocked()


# ---------------------------------------------------------------------------------- cancelling


async def test_cancelling_an_unknown_or_ended_invocation_says_no() -> None:
    runtime = Runtime(SingleTree(ready()))
    assert runtime.cancel("a") is False
    reader = Reader()
    await runtime.invoke(named("a"), reader, reader.sink)
    assert runtime.cancel("a") is False


PHASES: dict[str, Callable[[], Node]] = {
    "before the shell": For_ever,
    "before the shell, two at a time": lambda: [For_ever(), For_ever()],
    "boundary pending": lambda: [Agent.Text("x"), Suspense(For_ever())],
    "nested boundary pending": lambda: Suspense([At_once(None), Suspense(For_ever())]),
    "fallback pending": lambda: [Suspense(For_ever(), fallback=For_ever())],
}


@pytest.mark.parametrize("phase", PHASES)
async def test_cancel_ends_it_in_every_phase(phase: str, autojump_clock: MockClock) -> None:
    runtime = Runtime(SingleTree(PHASES[phase]()))
    reader = Reader()
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def wait() -> None:
            with pytest.raises(InvocationCancelledError, match="invocation a was cancelled"):
                await runtime.invoke(named("a"), reader, reader.sink)

        await trio.sleep(3)
        assert runtime.cancel("a") is True
    assert trio.current_time() == 3
    assert runtime.cancel("a") is False


@pytest.mark.parametrize("phase", PHASES)
async def test_an_outer_scope_ends_it_in_every_phase(phase: str, autojump_clock: MockClock) -> None:
    reader = Reader()
    with trio.move_on_after(3) as scope:
        await Runtime(SingleTree(PHASES[phase]())).invoke(named("a"), reader, reader.sink)
    assert scope.cancelled_caught
    assert trio.current_time() == 3


async def test_cancel_wins_over_what_fails_because_of_it(autojump_clock: MockClock) -> None:
    @component
    async def Messy() -> Node:
        try:
            await trio.sleep_forever()
        finally:
            raise OSError("lost a file")

    runtime = Runtime(SingleTree(Messy()))
    async with runtime.stream(named("a")) as events:
        await wait_all_tasks_blocked()
        assert runtime.cancel("a")
        with pytest.raises(InvocationCancelledError):
            await anext(events)


async def test_cancel_while_an_event_waits_to_be_taken(autojump_clock: MockClock) -> None:
    runtime = Runtime(SingleTree(ready()))
    async with runtime.stream(named("a")) as events:
        await wait_all_tasks_blocked()
        assert runtime.cancel("a")
        with pytest.raises(InvocationCancelledError):
            await anext(events)


async def test_a_stream_can_be_cancelled_before_it_began() -> None:
    runtime = Runtime(SingleTree(ready()))
    async with runtime.stream(named("a")) as events:
        assert runtime.cancel("a")
        with pytest.raises(InvocationCancelledError):
            await anext(events)


async def test_what_has_completed_is_not_cancelled_any_more(autojump_clock: MockClock) -> None:
    async def dawdle() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(5, shield=True):
                await trio.sleep_forever()

    @component
    async def Defers() -> Node:
        _ = agent().defer(dawdle)
        await trio.sleep(1)
        return None

    runtime = Runtime(SingleTree(Defers()))
    async with runtime.stream(named("a")) as events:
        assert [(await anext(events)).type for _ in range(2)] == ["shell", "complete"]
        runtime.cancel("a")
        with pytest.raises(StopAsyncIteration):
            await anext(events)


async def test_nothing_runs_in_a_scope_that_is_cancelled_already() -> None:
    ran: list[str] = []

    @component
    def Runs() -> Node:
        ran.append("ran")
        return None

    with trio.CancelScope() as scope:
        scope.cancel()
        await render(Runs())
    with trio.CancelScope() as scope:
        scope.cancel()
        async with stream(Runs()):
            raise AssertionError("not reached")
    assert scope.cancelled_caught
    assert ran == []


@given(schedule=st.random_module(), at=st.floats(0, 4))
def test_whenever_it_is_cancelled_the_events_are_the_beginning_of_a_legal_list(
    schedule: object, at: float
) -> None:
    tree: Node = [
        After(1, Agent.Text("a")),
        Suspense(After(2, Suspense(After(1, Agent.Text("n")))), fallback=After(1.5, None)),
        Suspense(Fails_after(2.5, ValueError("x"))),
    ]
    reader = Reader()

    async def run() -> None:
        with trio.move_on_after(at):
            await Runtime(SingleTree(tree)).invoke(named("a"), reader, reader.sink)

    with assert_no_leaks():
        trio.run(run, clock=MockClock(autojump_threshold=0))
    expect_events(reader.events).has_monotonic_sequence()
    whole = ["shell", "replace", "error", "replace", "complete"]
    assert reader.types == whole[: len(reader.types)]


async def test_a_keyboard_interrupt_in_a_component_passes_as_itself() -> None:
    with pytest.raises(KeyboardInterrupt):
        await render(Fails_after(0, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        await render(Suspense([At_once(None), Fails_after(0, KeyboardInterrupt())]))


async def test_a_keyboard_interrupt_in_a_component_comes_out_of_a_stream_as_itself() -> None:
    with pytest.raises(KeyboardInterrupt):
        async with stream(Fails_after(0, KeyboardInterrupt())) as events:
            await anext(events)


async def test_a_keyboard_interrupt_in_a_def_component_passes_as_itself() -> None:
    @component
    def Pressed() -> Node:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await render(Suspense(Pressed()))


# ---------------------------------------------------------------------------------- identity


async def test_another_build_is_refused_before_anything_runs() -> None:
    ran: list[str] = []

    @component
    def Runs() -> Node:
        ran.append("ran")
        return None

    invocation = attrs.evolve(named("a"), artifact_epoch="theirs")
    failed = await render_failure(Runs(), invocation=invocation, identity=Identity("ours"))
    assert failed.error.code == "artifact-epoch-mismatch"
    assert failed.events == ()
    assert failed.error.event.sequence == 0
    assert ran == []
    assert isinstance(failed.cause, ArtifactEpochError)
    assert (failed.cause.expected, failed.cause.received) == (
        str(Identity("ours")),
        str(Identity("theirs")),
    )


async def test_another_protocol_revision_is_refused_too() -> None:
    invocation = attrs.evolve(named("a"), protocol_revision="0")
    failed = await render_failure(ready(), invocation=invocation)
    assert failed.error.code == "artifact-epoch-mismatch"
    same = attrs.evolve(named("a"), protocol_revision=PROTOCOL_REVISION, artifact_epoch="ours")
    assert (await render(ready(), invocation=same, identity=Identity("ours"))).value is not None


async def test_a_stream_of_another_build_raises_when_it_is_read() -> None:
    runtime = Runtime(SingleTree(ready(), identity=Identity("ours")))
    async with runtime.stream(attrs.evolve(named("a"), artifact_epoch="theirs")) as events:
        with pytest.raises(InvocationError) as caught:
            await anext(events)
    assert caught.value.code == "artifact-epoch-mismatch"


async def test_a_build_that_cannot_be_read_fails_before_anything_starts() -> None:
    @attrs.frozen
    class Unreadable:
        @property
        def identity(self) -> Identity:
            raise OSError("cannot read the plugin")

        def open(self, invocation: Invocation) -> Program:
            return Program(root=ready())

    reader = Reader()
    runtime = Runtime(Unreadable())
    with pytest.raises(OSError, match="cannot read"):
        await runtime.invoke(attrs.evolve(named("a"), artifact_epoch="theirs"), reader, reader.sink)
    assert runtime.cancel("a") is False
    assert await runtime.invoke(named("a"), reader, reader.sink) == ["shell", "complete"]


async def test_an_invocation_that_names_no_build_runs_on_any() -> None:
    assert (await render(ready(), invocation=make_invocation())).value == {"ready": True}


async def test_a_gate_that_opens_later_is_fine(autojump_clock: MockClock) -> None:
    gates = Gates()
    async with stream(Behind(gates.a, Agent.Text("x"))) as events:
        await trio.sleep(1)
        gates.a.set()
        assert [event.type async for event in events] == ["shell", "complete"]
