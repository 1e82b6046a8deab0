"""Providers: made once for each request, shared, and told apart from whoever asks."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from tests.trees import At_once, Reader, texts
from trio_agent import (
    Agent,
    CommandContext,
    Invocation,
    InvocationError,
    LimitOverrides,
    Node,
    Program,
    Runtime,
    Suspense,
    agent,
    component,
)
from trio_agent.context.observed import Available, Axes, Host, Unavailable
from trio_agent.context.providers import ProcessLifetime, ProviderContext
from trio_agent.errors import ContractError, RequestError
from trio_agent.testing import make_invocation
from trio_agent.testing.tree import TEST_IDENTITY
from trio_agent.vocabulary.event import CompleteEvent

if TYPE_CHECKING:
    from trio_agent.vocabulary.identity import Identity

Factory = Callable[[ProviderContext], object]


@attrs.frozen(eq=False)
class Plugin:
    """An application of one tree with providers: also their source."""

    root: Node
    factories: dict[str, Factory]
    loaded: list[str] = attrs.field(factory=list)
    identity: Identity = TEST_IDENTITY

    @property
    def keys(self) -> Collection[str]:
        return self.factories

    def load(self, key: str) -> Factory:
        self.loaded.append(key)
        return self.factories[key]

    def open(self, invocation: Invocation) -> Program:
        return Program(root=self.root, providers=self)


async def run(root: Node, **factories: Factory) -> Reader:
    return await run_with(Plugin(root, factories))


async def run_with(
    plugin: Plugin,
    *,
    values: dict[str, object] | None = None,
    axes: Axes | None = None,
    limits: LimitOverrides | None = None,
) -> Reader:
    reader = Reader()
    runtime = Runtime(plugin, providers=values)
    await runtime.invoke(make_invocation(), reader, reader.sink, axes=axes, limits=limits)
    return reader


def said(reader: Reader) -> list[str]:
    last = reader.events[-1]
    assert isinstance(last, CompleteEvent)
    return texts(last.document.root)


@component
async def Shows(key: str) -> Node:
    return Agent.Text(str(await agent().provider(key)))


async def test_a_factory_may_be_async_or_not_and_its_awaitable_is_awaited() -> None:
    def later(context: ProviderContext) -> Awaitable[str]:
        async def work() -> str:
            await trio.lowlevel.checkpoint()
            return "later"

        return work()

    async def awaited(context: ProviderContext) -> str:
        await trio.lowlevel.checkpoint()
        return "awaited"

    root = [Shows("plain"), Shows("later"), Shows("awaited")]
    reader = await run(root, plain=lambda _: "plain", later=later, awaited=awaited)
    assert said(reader) == ["plain", "later", "awaited"]


async def test_a_def_runs_in_a_worker_thread() -> None:
    def where(context: ProviderContext) -> str:
        trio.from_thread.check_cancelled()
        return "in a thread"

    assert said(await run(Shows("where"), where=where)) == ["in a thread"]


@given(st.random_module())
async def test_surfaces_case_106_who_asks_at_the_same_time_shares_one_result(
    schedule: object,
) -> None:
    made: list[str] = []

    async def slow(context: ProviderContext) -> object:
        made.append("slow")
        await trio.lowlevel.checkpoint()
        return object()

    seen: set[int] = set()

    @component
    async def Asks() -> Node:
        seen.add(id(await agent().provider("slow")))
        seen.add(id(await agent().provider("slow")))
        return None

    await run([Asks(), Suspense(Asks()), Asks()], slow=slow)
    assert (made, len(seen)) == (["slow"], 1)


@given(st.random_module())
async def test_surfaces_case_106_they_share_a_failure_too(schedule: object) -> None:
    made: list[str] = []

    async def broken(context: ProviderContext) -> object:
        made.append("broken")
        await trio.lowlevel.checkpoint()
        raise ValueError("no probe")

    root: Node = [Suspense(Shows("broken")), Suspense(Shows("broken")), Agent.Text("beside")]
    reader = await run(root, broken=broken)
    assert said(reader) == ["[boundary] no probe", "[boundary] no probe", "beside"]
    assert made == ["broken"]


async def test_a_failure_outside_of_boundaries_fails_the_invocation() -> None:
    async def broken(context: ProviderContext) -> object:
        raise ContractError("invalid-document", "no probe")

    with pytest.raises(InvocationError, match="no probe") as caught:
        await run(Shows("broken"), broken=broken)
    # Told of the provider, not of whoever asked for it first.
    assert "in component provider broken" in str(caught.value)


async def test_what_nobody_asks_for_is_not_loaded() -> None:
    plugin = Plugin(Shows("a"), {"a": lambda _: "a", "b": lambda _: "b"})
    reader = Reader()
    await Runtime(plugin).invoke(make_invocation(), reader, reader.sink)
    assert plugin.loaded == ["a"]


async def test_two_requests_make_it_twice() -> None:
    made: list[str] = []

    def count(context: ProviderContext) -> int:
        made.append(context.invocation.id)
        return len(made)

    runtime = Runtime(Plugin(Shows("count"), {"count": count}))
    for id_ in ("one", "two"):
        reader = Reader()
        invocation = attrs.evolve(make_invocation(), id=id_)
        await runtime.invoke(invocation, reader, reader.sink)
        assert said(reader) == [str(len(made))]
    assert made == ["one", "two"]


async def test_a_factory_knows_the_request_and_nothing_of_who_asks() -> None:
    contexts: list[ProviderContext] = []

    async def keeps(context: ProviderContext) -> str:
        contexts.append(context)
        assert context.plugin == Unavailable("not-provided")
        return str(context.axes.host)

    host = Available(source="native", value=Host(name="claude"))
    reader = await run_with(Plugin(Shows("keeps"), {"keeps": keeps}), axes=Axes(host=host))
    assert said(reader) == [str(host)]
    assert contexts[0].__slots__ == ("_key", "_request", "_shelf")
    for attribute in ("actor", "terminal", "progress", "elicit", "defer", "state", "notices"):
        assert not hasattr(contexts[0], attribute)
    for ask in (
        lambda: contexts[0].invocation,
        lambda: contexts[0].axes,
        lambda: contexts[0].plugin,
    ):
        with pytest.raises(RequestError) as caught:
            ask()
        assert caught.value.code == "request-closed"
    with pytest.raises(RequestError):
        await contexts[0].provider("keeps")


async def test_case_145_the_handle_is_not_known_in_a_factory() -> None:
    def in_thread(context: ProviderContext) -> object:
        return agent()

    async def in_task(context: ProviderContext) -> object:
        await trio.lowlevel.checkpoint()
        return agent()

    for factory in (in_thread, in_task):
        with pytest.raises(InvocationError) as caught:
            await run(Shows("it"), it=factory)
        assert caught.value.code == "outside-invocation"


async def test_case_145_whoever_asked_is_still_inside() -> None:
    @component
    async def Asks() -> Node:
        context = agent()
        await context.provider("it")
        assert agent() is context
        return Agent.Text("inside")

    assert said(await run([Asks(), At_once(None)], it=lambda _: None)) == ["inside"]


async def test_case_146_an_unknown_key_names_all_there_are() -> None:
    with pytest.raises(InvocationError) as caught:
        await run(Shows("c"), a=lambda _: 1, b=lambda _: 2)
    assert caught.value.code == "unknown-provider"
    assert caught.value.message == "Unknown provider 'c'; there is a, b, process_lifetime"


async def test_without_any_providers_there_is_one() -> None:
    @component
    async def Asks() -> Node:
        lifetime = await agent().provider("process_lifetime", ProcessLifetime)
        again = await agent().provider("process_lifetime")
        assert lifetime is again
        return Agent.Text(json.dumps([lifetime.pid, lifetime.hits, lifetime.instance_id]))

    found: list[list[object]] = []
    for _ in range(2):
        (text,) = said(await run(Asks()))
        found.append(json.loads(text))
    (pid, hits, id_), (pid_again, hits_again, id_again) = found
    assert pid == pid_again == os.getpid()
    assert id_ == id_again
    assert isinstance(hits, int)
    assert hits_again == hits + 1
    with pytest.raises(InvocationError, match="there is process_lifetime"):
        await run(Shows("x"))


async def test_case_110_finished_values_replace_all_factories() -> None:
    def never(context: ProviderContext) -> object:
        raise AssertionError("not reached")  # pragma: no cover  # that is what is tested

    plugin = Plugin([Shows("a"), Suspense(Shows("b"))], {"a": never, "b": never})
    reader = await run_with(plugin, values={"a": "given"})
    assert said(reader) == [
        "given",
        "[unknown-provider] Unknown provider 'b'; there is a, process_lifetime",
    ]
    plugin = Plugin(Shows("process_lifetime"), {})
    assert said(await run_with(plugin, values={"process_lifetime": "mine"})) == ["mine"]


async def test_a_value_may_be_held_against_its_class() -> None:
    @component
    async def Asks(kind: type) -> Node:
        return Agent.Text(str(await agent().provider("it", kind)))

    assert said(await run(Asks(int), it=lambda _: 3)) == ["3"]
    with pytest.raises(
        InvocationError, match="the provider it gave an instance of int, expected str"
    ):
        await run(Asks(str), it=lambda _: 3)


# ------------------------------------------------------------------------------ each other


def asks_for(*keys: str) -> Factory:
    async def factory(context: ProviderContext) -> str:
        return "+".join([str(await context.provider(key)) for key in keys])

    return factory


async def test_providers_may_ask_for_each_other() -> None:
    reader = await run(
        [Shows("both"), Shows("left")],
        left=lambda _: "l",
        right=asks_for("left"),
        both=asks_for("left", "right"),
    )
    assert said(reader) == ["l+l", "l"]


@pytest.mark.parametrize(
    ("asked", "circle"),
    [
        (["self"], "self -> self"),
        (["a"], "c -> a -> b -> c"),
        (["b", "d"], "a -> b -> c -> a"),
    ],
)
async def test_a_circle_is_an_error_that_names_it(asked: list[str], circle: str) -> None:
    factories = {
        "self": asks_for("self"),
        "a": asks_for("b"),
        "b": asks_for("c"),
        "c": asks_for("a"),
    }
    factories["d"] = asks_for("a")
    for key in asked:
        with pytest.raises(InvocationError) as caught:
            await run(Shows(key), **factories)
        assert caught.value.code == "provider-cycle"
    with pytest.raises(InvocationError) as caught:
        await run(Shows(asked[0]), **factories)
    assert caught.value.message == f"providers wait for each other: {circle}"


@given(st.random_module(), st.permutations("abc"))
async def test_a_circle_that_is_entered_from_all_sides_at_once_hangs_nobody(
    schedule: object, keys: list[str]
) -> None:
    factories = {"a": asks_for("b"), "b": asks_for("c"), "c": asks_for("a")}
    reader = await run([Suspense(Shows(key)) for key in keys], **factories)
    shown = said(reader)
    assert len(shown) == 3
    assert all("providers wait for each other: " in one for one in shown)


async def test_who_waits_for_two_at_once_is_in_no_circle_by_that() -> None:
    async def both(context: ProviderContext) -> str:
        found: list[object] = []

        async def take(key: str) -> None:
            found.append(await context.provider(key))

        async with trio.open_nursery() as nursery:
            for key in ("a", "b", "a"):
                nursery.start_soon(take, key)
        return "".join(sorted(map(str, found)))

    reader = await run(Shows("both"), both=both, a=asks_for("c"), b=asks_for("c"), c=lambda _: "c")
    assert said(reader) == ["ccc"]


async def test_providers_that_share_what_they_wait_for_are_no_circle(
    autojump_clock: MockClock,
) -> None:
    async def slow(context: ProviderContext) -> str:
        await trio.sleep(10)
        return "s"

    async def both(context: ProviderContext) -> str:
        found: dict[str, object] = {}

        async def take(key: str) -> None:
            found[key] = await context.provider(key)

        async with trio.open_nursery() as nursery:
            for key in ("left", "right"):
                nursery.start_soon(take, key)
        return f"{found['left']}{found['right']}"

    async def late(context: ProviderContext) -> str:
        await trio.sleep(5)
        return str(await context.provider("both"))

    reader = await run(
        [Shows("both"), Shows("late")],
        slow=slow,
        left=asks_for("slow"),
        right=asks_for("slow"),
        both=both,
        late=late,
    )
    assert said(reader) == ["ss", "ss"]


async def test_after_a_circle_was_avoided_a_settled_value_may_be_asked_for() -> None:
    async def patient(context: ProviderContext) -> str:
        return str(await context.provider("quick"))

    reader = await run([Shows("quick"), Shows("patient")], quick=lambda _: "q", patient=patient)
    assert said(reader) == ["q", "q"]


# ------------------------------------------------------------------------------ the end


async def test_who_stops_waiting_stops_nobody_else(autojump_clock: MockClock) -> None:
    made: list[str] = []

    async def slow(context: ProviderContext) -> str:
        await trio.sleep(10)
        made.append("slow")
        return "slow"

    @component
    async def Impatient() -> Node:
        with trio.move_on_after(1):
            await agent().provider("slow")
        return Agent.Text("gone")

    assert said(await run([Impatient(), Shows("slow")], slow=slow)) == ["gone", "slow"]
    assert made == ["slow"]


async def test_what_nobody_waits_for_any_more_does_not_hold_up_the_end(
    autojump_clock: MockClock,
) -> None:
    ended: list[str] = []

    async def endless(context: ProviderContext) -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.append("endless")

    async def fails(context: ProviderContext) -> None:
        await trio.sleep(2)
        raise ValueError("nobody hears of this")

    @component
    async def Impatient(key: str) -> Node:
        with trio.move_on_after(1):
            await agent().provider(key)
        await trio.sleep(2)
        return Agent.Text(key)

    root = [Impatient("endless"), Impatient("fails")]
    assert said(await run(root, endless=endless, fails=fails)) == ["endless", "fails"]
    assert ended == ["endless"]


async def test_the_time_limit_is_that_of_the_invocation(autojump_clock: MockClock) -> None:
    async def endless(context: ProviderContext) -> None:
        await trio.sleep_forever()

    with pytest.raises(InvocationError) as caught:
        await run_with(Plugin(Shows("endless"), {"endless": endless}), limits={"max_elapsed_s": 5})
    assert caught.value.code == "elapsed-time-exceeded"
    assert trio.current_time() == 5


async def test_after_the_end_nothing_is_made() -> None:
    kept: list[CommandContext] = []

    @component
    async def Keeps() -> Node:
        kept.append(agent())
        return None

    await run(Keeps(), it=lambda _: 1)
    with pytest.raises(RequestError) as caught:
        await kept[0].provider("it")
    assert caught.value.code == "request-closed"


async def test_surfaces_case_115_overlapping_requests_see_their_own_values() -> None:
    def who(context: ProviderContext) -> str:
        return context.invocation.id

    runtime = Runtime(Plugin(Shows("who"), {"who": who}))
    readers = {id_: Reader() for id_ in ("one", "two")}
    async with trio.open_nursery() as nursery:
        for id_, reader in readers.items():
            invocation = attrs.evolve(make_invocation(), id=id_)
            nursery.start_soon(runtime.invoke, invocation, reader, reader.sink)
    assert {id_: said(reader) for id_, reader in readers.items()} == {
        "one": ["one"],
        "two": ["two"],
    }
