"""The request handle: the same everywhere inside an invocation, and of no use after it."""

from collections.abc import Iterator

import pytest
import trio
from trio.testing import MockClock

from actors.testing import assert_no_leaks
from tests.trees import At_once, Reader
from trio_agent import Agent, CommandContext, Node, Runtime, agent, component, defer, use_agent
from trio_agent.context.observed import Available, Axes, Host, Unavailable
from trio_agent.errors import RequestError
from trio_agent.testing import SingleTree, make_invocation, render


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    with assert_no_leaks():
        yield


def test_outside_of_an_invocation_there_is_none() -> None:
    async def work() -> None: ...

    for ask in (agent, use_agent, lambda: defer(work)):
        with pytest.raises(RequestError) as caught:
            ask()
        assert caught.value.code == "outside-invocation"


async def test_it_is_the_same_in_components_work_threads_and_when_awaited() -> None:
    seen: list[CommandContext] = []

    async def work() -> None:
        seen.append(agent())

    @component
    def Inner() -> Node:
        seen.append(agent())
        return None

    @component
    async def Root() -> Node:
        seen.extend([agent(), use_agent(), await agent()])
        await defer(work)
        seen.append(await trio.to_thread.run_sync(agent))
        return [Inner(), At_once(None)]

    await render(Root())
    assert len(seen) == 6
    assert len(set(map(id, seen))) == 1


async def test_it_knows_the_invocation_and_the_axes() -> None:
    axes = Axes(host=Available(source="native", value=Host(name="claude-code")))

    @component
    async def Root() -> Node:
        context = agent()
        assert context.axes is axes
        assert context.axes.session == Unavailable("not-provided")
        return Agent.Json(context.invocation.props.value)

    rendered = await render(Root(), axes=axes, props={"path": "x"})
    assert rendered.root.children[0].value.value == {"path": "x"}  # type: ignore[union-attr]  # a JSON node
    assert rendered.invocation == make_invocation({"path": "x"})


async def test_without_axes_none_is_provided() -> None:
    @component
    async def Root() -> Node:
        first = agent().axes
        assert first is agent().axes
        assert first.host == Unavailable("not-provided")
        return None

    await render(Root())


async def test_a_function_is_asked_for_axes_once_and_only_if_somebody_wants_them() -> None:
    asked: list[Axes] = []

    def find() -> Axes:
        asked.append(Axes())
        return asked[0]

    @component
    async def Root() -> Node:
        assert agent().axes is agent().axes
        return None

    reader = Reader()
    runtime = Runtime(SingleTree(At_once(None)))
    await runtime.invoke(make_invocation(), reader, reader.sink, axes=find)
    assert asked == []
    await Runtime(SingleTree(Root())).invoke(make_invocation(), reader, reader.sink, axes=find)
    assert len(asked) == 1


async def test_after_the_end_a_kept_handle_is_refused() -> None:
    kept: list[CommandContext] = []

    @component
    async def Root() -> Node:
        kept.append(agent())
        return None

    await render(Root())
    for ask in (lambda: kept[0].invocation, lambda: kept[0].axes, kept[0].check_open):
        with pytest.raises(RequestError, match="keep no handle") as caught:
            ask()
        assert caught.value.code == "request-closed"


async def test_after_an_invocation_its_caller_is_outside_again() -> None:
    await render(At_once(None))
    with pytest.raises(RequestError) as caught:
        _ = agent()
    assert caught.value.code == "outside-invocation"


async def test_code_that_outlives_its_invocation_is_told_so(autojump_clock: MockClock) -> None:
    codes: list[str] = []

    async def later(go: trio.Event) -> None:
        await go.wait()
        try:
            _ = agent()
        except RequestError as error:
            codes.append(error.code)

    async with trio.open_nursery() as nursery:
        go = trio.Event()

        @component
        async def Root() -> Node:
            # Started under a supervisor of somebody else, in the context of this request.
            nursery.start_soon(later, go)
            return None

        await render(Root())
        go.set()
    # A nursery gives its children the context of whoever calls `start_soon`.
    assert codes == ["request-closed"]
