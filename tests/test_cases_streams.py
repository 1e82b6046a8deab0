"""The reference's behavioural cases, continued: sessions (D), identity (G), the request (H).

The table of all cases is in `test_cases`.
"""

import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import cast

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.testing import assert_no_leaks
from tests.trees import (
    After,
    Gates,
    Reader,
    boom,
    dual,
    nested,
    ready,
    single,
    stream,
    texts,
)
from trio_agent import (
    Agent,
    AgentDocument,
    AgentError,
    CommandContext,
    EventStream,
    HandoffRequired,
    HandoffRequiredError,
    Invocation,
    InvocationCancelledError,
    InvocationError,
    LimitOverrides,
    Limits,
    Node,
    Runtime,
    Suspense,
    agent,
    component,
    use_agent,
)
from trio_agent.context.observed import (
    NOT_PROVIDED,
    Available,
    Axes,
    Capabilities,
    FilesystemCapability,
    Host,
    NetworkCapability,
    Session,
    Unavailable,
)
from trio_agent.errors import ArtifactEpochError, RequestError
from trio_agent.testing import (
    SingleTree,
    expect_document,
    expect_events,
    make_invocation,
    render,
    render_events,
    render_failure,
)
from trio_agent.vocabulary.event import ErrorEvent, ReplaceEvent
from trio_agent.vocabulary.identity import Identity


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    with assert_no_leaks():
        yield


async def read(events: EventStream) -> tuple[str, list[str]]:
    """Type of the next event, or the boundary of a replace, and what its document shows."""
    event = await anext(events)
    document = getattr(event, "document", None)
    shown = texts(document.root) if isinstance(document, AgentDocument) else []
    return (event.boundary_id if isinstance(event, ReplaceEvent) else event.type), shown


async def is_waiting(events: EventStream) -> bool:
    with trio.move_on_after(10) as scope:
        await anext(events)
    return scope.cancelled_caught


@component
async def Keeps(kept: list[CommandContext], content: Node) -> Node:
    kept.append(agent())
    return content


def handoff_of(context: CommandContext) -> HandoffRequired:
    with pytest.raises(HandoffRequiredError) as caught:
        context.progress.report(1)
    return caught.value.handoff


# ------------------------------------------------------------------------ D. sessions


async def test_case_058_without_suspense_there_are_a_shell_and_the_end() -> None:
    async with stream(ready()) as events:
        assert await read(events) == ("shell", ["# Ready"])
        assert await read(events) == ("complete", ["# Ready"])
        with pytest.raises(StopAsyncIteration):
            await anext(events)


async def test_case_059_the_shell_comes_at_once_and_nothing_more_until_the_gate_opens(
    autojump_clock: MockClock,
) -> None:
    async with stream(single(Gates())) as events:
        shell = await anext(events)
        assert shell.sequence == 0
        assert shell.to_wire()["document"] == {
            "version": 1,
            "status": "success",
            "root": {
                "kind": "result",
                "children": [
                    {"kind": "markdown", "text": "# Shell"},
                    {"kind": "progress", "completed": 0, "message": "loading-a"},
                ],
            },
            "value": {"ready": False},
        }
        assert await is_waiting(events)


async def test_case_061_invoking_gives_the_final_document_of_the_stream() -> None:
    gates = Gates()
    gates.a.set()
    events = await render_events(single(gates))
    rendered = await render(single(gates))
    assert rendered.document == cast("ReplaceEvent", events[-1]).document
    assert texts(rendered.document.root) == ["# Shell", "A ready"]


async def test_case_062_boundaries_are_replaced_as_they_settle() -> None:
    gates = Gates()
    async with stream(dual(gates)) as events:
        assert await read(events) == ("shell", ["# Shell", "loading-a", "loading-b"])
        gates.b.set()
        assert await read(events) == ("b:2", ["# Shell", "loading-a", "B ready"])
        gates.a.set()
        assert await read(events) == ("b:1", ["# Shell", "A ready", "B ready"])
        complete = await anext(events)
        assert (complete.type, complete.sequence) == ("complete", 3)


async def test_case_064_boundaries_that_settle_together_have_a_snapshot_each() -> None:
    # There both events show both contents if they come quickly; our events must not depend on that.
    gates = Gates()
    async with stream(dual(gates)) as events:
        await read(events)
        gates.a.set()
        gates.b.set()
        await wait_all_tasks_blocked()
        (first, one), (second, both) = await read(events), await read(events)
    assert {first, second} == {"b:1", "b:2"}
    assert len([text for text in one if text.endswith("ready")]) == 1
    assert both == ["# Shell", "A ready", "B ready"]


async def test_case_065_a_nested_boundary_shows_its_fallback_when_it_is_revealed() -> None:
    gates = Gates()
    async with stream(nested(gates)) as events:
        assert await read(events) == ("shell", ["# Shell", "loading-outer"])
        gates.a.set()
        assert await read(events) == ("b:1", ["# Shell", "inner-shell", "loading-inner"])
        gates.b.set()
        inner, shown = await read(events)
        assert inner.startswith("b:1.")
        assert shown == ["# Shell", "inner-shell", "nested-ready"]
        assert (await read(events))[0] == "complete"


async def test_case_067_the_error_of_a_boundary_has_the_code_boundary() -> None:
    gates = Gates()
    gates.a.set()
    rendered = await render(boom(gates))
    expect_events(rendered.events).exact_types(["shell", "error", "complete"])
    expect_events(rendered.events).has_error("boundary", "boundary failed")
    expect_document(rendered.document).has_status("represented-error")
    expect_document(rendered.document).has_error("boundary", "boundary failed")


@component
async def Rejects(make: Callable[[], Exception]) -> Node:
    raise make()


@pytest.mark.parametrize(
    ("make", "code", "message"),
    [
        (lambda: AgentError("E_X", "m"), "E_X", "m"),
        (lambda: AgentError(" ", "m"), "boundary", "AgentError needs a code that is not blank"),
        (ValueError, "boundary", "ValueError"),
    ],
    ids=["a code of its own", "a blank code", "no message"],
)
async def test_case_068_a_rejection_may_bring_a_code(
    make: Callable[[], Exception], code: str, message: str
) -> None:
    # There anything may be thrown, records too; in Python exceptions are, and AgentError has a code.
    (error,) = (
        event
        for event in await render_events(Suspense(Rejects(make)))
        if isinstance(event, ErrorEvent)
    )
    assert (error.error.code, error.error.message.startswith(message)) == (code, True)


async def test_case_070_a_root_that_raises_has_no_event_and_fails_stream_and_call() -> None:
    # There the exception itself comes out; here one typed error, whose cause is that exception.
    error = LookupError("no library")
    failed = await render_failure(Rejects(lambda: error))
    assert (failed.events, failed.error.code, failed.cause) == ((), "render-failed", error)
    async with stream(Rejects(lambda: error)) as events:
        with pytest.raises(InvocationError, match="no library") as caught:
            await anext(events)
    assert caught.value.__cause__ is error


async def test_case_071_what_is_cancelled_before_it_begins_never_runs() -> None:
    # There a signal that is passed has been aborted; in Trio it is the scope around the call.
    ran: list[CommandContext] = []
    with trio.CancelScope() as scope:
        scope.cancel()
        await render(Keeps(ran, ready()))
    assert scope.cancelled_caught
    with trio.CancelScope() as scope:
        scope.cancel()
        async with stream(Keeps(ran, ready())) as events:
            await anext(events)  # pragma: no cover  # not reached
    assert scope.cancelled_caught
    assert ran == []


@pytest.mark.parametrize(
    ("number", "content"),
    [
        (73, lambda: After(50, ready())),
        (74, lambda: [Suspense(After(50, Agent.Text("x")))]),
    ],
    ids=["073_before_the_shell", "074_after_the_shell"],
)
async def test_case_073_and_074_cancelling_ends_the_read_and_refuses_later_reports(
    number: int, content: Callable[[], Node], autojump_clock: MockClock
) -> None:
    # There both fail with AbortError; here each has an error that says what happened.
    kept: list[CommandContext] = []
    runtime = Runtime(SingleTree(Keeps(kept, content())))
    async with runtime.stream(make_invocation()) as events, trio.open_nursery() as nursery:
        if number == 74:
            assert (await anext(events)).type == "shell"

        async def cancel() -> None:
            await trio.sleep(1)
            assert runtime.cancel("test")

        nursery.start_soon(cancel)
        with pytest.raises(InvocationCancelledError):
            await anext(events)
    handoff = handoff_of(kept[0])
    assert (handoff.outcome, handoff.last_sequence) == ("cancelled", -1 if number == 73 else 0)
    assert trio.current_time() == 1


async def test_case_076_after_a_failure_reports_are_refused() -> None:
    # There a later report fails with the same error; here it is told that all is over, and how.
    kept: list[CommandContext] = []

    @component
    async def Setup() -> Node:
        kept.append(agent())
        raise OSError("flight setup failed")

    failed = await render_failure(Setup())
    assert failed.error.message == "flight setup failed"
    assert handoff_of(kept[0]).outcome == "failed"


async def test_case_077_the_deadline_fails_the_stream_and_every_later_read(
    autojump_clock: MockClock,
) -> None:
    async with stream(single(Gates()), limits={"max_elapsed_s": 0.15}) as events:
        assert (await read(events))[0] == "shell"
        for _ in range(2):
            with pytest.raises(InvocationError) as caught:
                await anext(events)
            assert caught.value.code == "elapsed-time-exceeded"
    assert trio.current_time() == pytest.approx(0.15)


async def test_case_080_one_event_too_many_fails_the_stream_and_every_later_read() -> None:
    gates = Gates()
    async with stream(single(gates), limits={"max_events": 1}) as events:
        assert (await read(events))[0] == "shell"
        gates.a.set()
        for _ in range(2):
            with pytest.raises(InvocationError) as caught:
                await anext(events)
            assert caught.value.code == "event-count-exceeded"


async def test_case_082_a_report_is_an_event_between_the_others() -> None:
    gates = Gates()
    kept: list[CommandContext] = []
    async with stream(Keeps(kept, single(gates))) as events:
        assert (await read(events))[0] == "shell"
        kept[0].progress.report(3, total=10, message="inspecting")
        assert (await anext(events)).to_wire() == {
            "type": "progress",
            "sequence": 1,
            "completed": 3,
            "total": 10,
            "message": "inspecting",
        }
        gates.a.set()
        replace = await anext(events)
        assert (replace.type, replace.sequence) == ("replace", 2)


async def test_case_083_reports_that_nobody_reads_collapse_to_the_latest() -> None:
    # There the third waits until the first was read; here no report ever makes work wait.
    gates = Gates()
    kept: list[CommandContext] = []
    async with stream(Keeps(kept, single(gates))) as events:
        await read(events)
        for number in (1, 2, 3):
            kept[0].progress.report(number)
        await wait_all_tasks_blocked()
        gates.a.set()
        rest = [event async for event in events]
    expect_events(rest).contains_sequence(["progress", "replace", "complete"]).has_progress(3)
    numbers = [event.completed for event in rest if event.type == "progress"]
    assert numbers == sorted(numbers)


async def test_case_085_reports_before_the_shell_collapse_and_never_exceed_the_count() -> None:
    # There the one too many fails the render; here a report never does.
    @component
    async def Talks() -> Node:
        for number in range(1, 101):
            agent().progress.report(number)
        return Agent.Text("x")

    rendered = await render(Talks(), limits={"max_events": 5})
    assert [event.completed for event in rendered.progress] == [100]
    expect_events(rendered.events).completes_once()


async def test_case_086_a_report_after_the_end_is_a_handoff() -> None:
    kept: list[CommandContext] = []
    await render(Keeps(kept, ready()))
    handoff = handoff_of(kept[0])
    assert (handoff.outcome, handoff.last_sequence) == ("success", 1)
    assert handoff.refused == {"completed": 1}


async def test_case_088_a_component_sees_the_epoch_that_its_caller_named() -> None:
    # There it is only handed on; here it is the build's own, since another is refused (case 128).
    seen: list[str | None] = []

    @component
    async def Sees() -> Node:
        seen.append(agent().invocation.artifact_epoch)
        return None

    invocation = attrs.evolve(make_invocation(), artifact_epoch="epoch-a")
    await render(Sees(), invocation=invocation, identity=Identity("epoch-a"))
    assert seen == ["epoch-a"]


async def test_case_089_limits_of_the_call_win_and_the_others_stay() -> None:
    runtime = Runtime(SingleTree(ready()), limits=Limits(max_events=5))
    reader = Reader()
    with pytest.raises(InvocationError) as caught:
        await runtime.invoke(make_invocation(), reader, reader.sink, limits={"max_events": 1})
    assert (caught.value.code, reader.types) == ("event-count-exceeded", ["shell"])
    assert Limits(max_events=5).overridden(LimitOverrides(max_events=1)) == Limits(max_events=1)


async def test_case_091_the_final_document_is_that_of_the_last_replace() -> None:
    gates = Gates()
    gates.a.set()
    gates.b.set()
    *_, replace, complete = await render_events(dual(gates))
    assert isinstance(replace, ReplaceEvent)
    assert complete.type == "complete"
    assert complete.document == replace.document


async def test_case_092_what_hangs_for_ever_ends_at_the_deadline(
    autojump_clock: MockClock,
) -> None:
    # There it hangs for ever; a host must not have to guess when to give up.
    failed = await render_failure(After(float("inf"), None))
    assert failed.error.code == "elapsed-time-exceeded"
    assert trio.current_time() == 60


# ------------------------------------------------------------------------ G. identity


async def test_case_127_a_warm_runtime_runs_every_invocation_and_stays_the_same_build() -> None:
    ran: list[CommandContext] = []
    tree = SingleTree(Keeps(ran, ready()), identity=Identity("epoch-a"))
    runtime = Runtime(tree)
    for id_ in ("one", "two"):
        invocation = attrs.evolve(make_invocation(), id=id_, artifact_epoch="epoch-a")
        reader = Reader()
        assert await runtime.invoke(invocation, reader, reader.sink) == ["shell", "complete"]
    assert len(ran) == 2


async def test_case_128_another_epoch_is_refused_and_the_runtime_goes_on() -> None:
    ran: list[CommandContext] = []
    runtime = Runtime(SingleTree(Keeps(ran, ready()), identity=Identity("epoch-a")))
    other = attrs.evolve(make_invocation(), artifact_epoch="epoch-b")
    reader = Reader()
    with pytest.raises(InvocationError) as caught:
        await runtime.invoke(other, reader, reader.sink)
    assert caught.value.code == "artifact-epoch-mismatch"
    cause = caught.value.__cause__
    assert isinstance(cause, ArtifactEpochError)
    assert ("epoch-a" in cause.expected, "epoch-b" in cause.received) == (True, True)
    assert (ran, reader.types) == ([], [])
    own = attrs.evolve(other, artifact_epoch="epoch-a")
    assert await runtime.invoke(own, reader, reader.sink) == ["shell", "complete"]


# ------------------------------------------------------------------------ H. the request


def everything() -> Axes:
    return Axes(
        host=Available(source="native", value=Host(name="claude-code")),
        session=Available(source="receipt", value=Session(session_id="s-1")),
        actor=Unavailable("unauthenticated"),
    )


async def test_case_134_each_axis_is_as_given_and_what_was_not_given_is_unavailable() -> None:
    # State and notices do not exist yet, so there is no key that says so.
    axes = everything()
    kept: list[Axes] = []

    @component
    async def Sees() -> Node:
        context = agent()
        kept.append(context.axes)
        for target, name in ((context.axes, "host"), (context.invocation, "id")):
            with pytest.raises(AttributeError):
                setattr(target, name, "changed")
        with pytest.raises(AttributeError):
            context.invocation = make_invocation()  # type: ignore[misc]  # what is tested
        return None

    await render(Sees(), axes=axes)
    assert kept == [axes]
    assert kept[0].workspace == kept[0].lineage == Unavailable("not-provided")


async def test_case_136_without_anybody_known_nothing_is_known() -> None:
    wire = Axes().to_wire()
    for name in ("host", "session", "actor", "workspace", "terminal"):
        assert wire[name] == {"state": "unavailable", "reason": "not-provided"}
        assert getattr(Axes(), name) is NOT_PROVIDED
        assert not hasattr(NOT_PROVIDED, "value")


async def test_case_137_what_the_caller_changes_later_changes_nothing() -> None:
    roots, allow = ["/library"], ["example.org"]
    capabilities = Capabilities(
        filesystem=Available(
            source="native", value=FilesystemCapability(roots=cast("tuple[str, ...]", roots))
        ),
        network=Available(
            source="native", value=NetworkCapability(allow=cast("tuple[str, ...]", allow))
        ),
    )
    props = {"roots": roots}
    seen: list[object] = []

    @component
    async def Sees() -> Node:
        roots.append("/etc")
        allow.clear()
        seen.extend((agent().axes.capabilities.to_wire(), agent().invocation.props.value))
        return None

    await render(Sees(), axes=Axes(capabilities=capabilities), props=props)
    wire = cast("dict[str, dict[str, object]]", seen[0])
    assert wire["filesystem"]["value"] == {"roots": ["/library"]}
    assert wire["network"]["value"] == {"allow": ["example.org"]}
    assert seen[1] == {"roots": ["/library"]}


async def test_case_139_outside_an_invocation_there_is_no_request() -> None:
    async def ask() -> None:
        with pytest.raises(RequestError) as caught:
            _ = agent()
        assert caught.value.code == "outside-invocation"

    await ask()
    await render(ready())
    await ask()


async def test_case_140_a_handle_that_was_kept_is_refused_after_the_end() -> None:
    kept: list[CommandContext] = []
    await render(Keeps(kept, ready()))
    with pytest.raises(RequestError) as caught:
        _ = kept[0].invocation
    assert caught.value.code == "request-closed"


async def test_case_143_the_handle_is_the_same_everywhere(autojump_clock: MockClock) -> None:
    seen: list[CommandContext] = []

    @component
    async def Asks() -> Node:
        seen.append(agent())
        await trio.sleep(1)
        seen.extend((agent(), use_agent(), await agent()))
        return None

    await render(Asks())
    assert len(seen) == 4
    assert all(handle is seen[0] for handle in seen)


def test_case_149_an_invocation_without_id_and_time_gets_both() -> None:
    first, second = (Invocation(kind="cli", target="x") for _ in range(2))
    assert uuid.UUID(first.id) != uuid.UUID(second.id)
    started = datetime.fromisoformat(first.started_at)
    assert started.utcoffset() is not None
    assert first.started_at.endswith("Z")
