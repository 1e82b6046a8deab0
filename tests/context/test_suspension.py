"""`use`: how a `def` component waits, and who may not."""

from collections.abc import Iterator

import pytest
import trio
from trio.testing import MockClock

from actors.testing import assert_no_leaks
from tests.trees import texts
from trio_agent import Agent, Deferred, Node, Suspense, component, defer, use
from trio_agent.context.deferred import Done
from trio_agent.context.suspension import Suspended
from trio_agent.errors import RequestError
from trio_agent.testing import render, render_failure


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    with assert_no_leaks():
        yield


async def five() -> int:
    await trio.sleep(1)
    return 5


def test_outside_of_an_invocation_nothing_can_be_used() -> None:
    with pytest.raises(RequestError, match="only known inside") as caught:
        use(Deferred[int]("five"))
    assert caught.value.code == "outside-invocation"


async def test_an_async_component_has_to_await_instead(autojump_clock: MockClock) -> None:
    @component
    async def Root() -> Node:
        return Agent.Text(use(defer(five)))

    failed = await render_failure(Root())
    assert failed.error.code == "invalid-element"
    assert "await it in an async def" in failed.error.message
    assert "Root" in failed.error.message


async def test_a_thread_has_to_await_instead() -> None:
    # No fake clock: it would jump while the thread works.
    @component
    async def Root() -> Node:
        deferred = defer(five)
        return Agent.Text(await trio.to_thread.run_sync(use, deferred))

    assert (await render_failure(Root())).error.code == "invalid-element"


async def test_a_settled_value_does_not_suspend() -> None:
    settled = Deferred[int]("five")
    settled.settle(Done(5))

    @component
    def Uses() -> Node:
        return Agent.Text(use(settled))

    rendered = await render(Suspense(Uses(), fallback=Agent.Text("no")))
    assert texts(rendered.document.root) == ["5"]
    assert len(rendered.events) == 2


@component
async def Gives(taker: object) -> Node:
    return taker(defer(five))  # type: ignore[operator,no-any-return]  # a component


async def test_except_exception_does_not_catch_a_suspension(autojump_clock: MockClock) -> None:
    @component
    def Careful(number: Deferred[int]) -> Node:
        try:
            return Agent.Text(use(number))
        except Exception as error:  # noqa: BLE001  # pragma: no cover  # that is what is tested
            return Agent.Text(repr(error))

    rendered = await render(Gives(Careful))
    assert texts(rendered.document.root) == ["5"]


async def test_a_component_that_swallows_a_suspension_fails_by_name(
    autojump_clock: MockClock,
) -> None:
    async def work() -> None:
        """Never awaited: it stands bare in the tree that is given up."""

    @component
    def Greedy(number: Deferred[int]) -> Node:
        try:
            return Agent.Text(use(number))
        except BaseException:  # noqa: BLE001  # wrong on purpose
            return work()  # type: ignore[return-value]  # wrong on purpose

    failed = await render_failure(Gives(Greedy))
    assert failed.error.code == "invalid-element"
    assert "Greedy swallowed the suspension of use()" in failed.error.message


async def test_swallowing_it_and_raising_something_else_fails_by_name_too(
    autojump_clock: MockClock,
) -> None:
    @component
    def Greedy(number: Deferred[int]) -> Node:
        try:
            return Agent.Text(use(number))
        except BaseException:  # noqa: BLE001  # wrong on purpose
            raise OSError("no network") from None

    failed = await render_failure(Gives(Greedy))
    assert "Greedy swallowed the suspension of use()" in failed.error.message
    assert isinstance(failed.cause, Exception)
    assert isinstance(failed.cause.__cause__, OSError)


async def test_a_suspension_says_what_it_waits_for() -> None:
    assert str(Suspended(Deferred[int]("five"))) == "waits for five"
