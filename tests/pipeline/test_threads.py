"""What a worker thread may ask of its invocation, and that it is let go of when that ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from tests.context.test_process import LIMIT_S, is_running, read_pids
from tests.hosts import ANYTHING, invoke, invoke_in_rounds
from tests.trees import Reader, texts
from trio_agent import (
    Agent,
    CommandContext,
    InvocationCancelledError,
    InvocationError,
    Node,
    Runtime,
    Suspense,
    agent,
    component,
)
from trio_agent.context.bridge import wait_for
from trio_agent.context.deferred import Deferred, Stopped
from trio_agent.context.host import ReplayChannel
from trio_agent.context.input_required import InputRequiredError
from trio_agent.errors import ContractError, HandoffRequiredError, RequestError
from trio_agent.testing import ScriptedHost, SingleTree, accepted, make_invocation, render
from trio_agent.vocabulary.event import CompleteEvent

ARGS = ("who?", ANYTHING)


class Threads:
    """Threads of a test that outlive their invocation, and what became of them."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.results: list[object] = []
        self.done = threading.Event()

    def run(self, function: Callable[[CommandContext], object]) -> Node:
        """A component that runs *function* as a `def` handler is run."""
        return InThread(partial(self._call, function))

    def _call(self, function: Callable[[CommandContext], object], context: CommandContext) -> str:
        self.entered.set()
        try:
            self.results.append(function(context))
        except Exception as error:
            self.results.append(error)
            raise
        finally:
            self.done.set()
        return str(self.results[-1])

    async def wait_entered(self) -> None:
        await trio.to_thread.run_sync(partial(self.entered.wait, LIMIT_S))

    async def wait_done(self) -> object:
        assert await trio.to_thread.run_sync(partial(self.done.wait, LIMIT_S))
        (result,) = self.results
        return result


@component
async def InThread(function: Callable[[CommandContext], str]) -> Node:
    text = await trio.to_thread.run_sync(partial(function, agent()), abandon_on_cancel=True)
    return Agent.Text(text)


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads()
    yield threads
    assert threads.done.wait(LIMIT_S) or not threads.entered.is_set()


def said(reader: Reader) -> list[str]:
    last = reader.events[-1]
    assert isinstance(last, CompleteEvent)
    return texts(last.document.root)


async def sleep_for_ever() -> None:
    await trio.sleep_forever()


# ------------------------------------------------------------------------------ wait


async def test_a_thread_asks_and_waits(threads: Threads) -> None:
    def ask(context: CommandContext) -> object:
        answer = context.wait(context.elicit, *ARGS)
        return answer.content

    host = ScriptedHost(lambda _: accepted(it="me"))
    assert said(await invoke(threads.run(ask), host)) == ["{'it': 'me'}"]


async def test_a_thread_gets_values_and_failures() -> None:
    async def fails() -> None:
        await trio.lowlevel.checkpoint()
        raise ValueError("no")

    async def adds(a: int, b: int) -> int:
        assert agent() is not None
        return a + b

    threads = [Threads() for _ in range(2)]
    root = [
        threads[0].run(lambda context: context.wait(adds, 1, 2)),
        Suspense(threads[1].run(lambda context: context.wait(fails))),
    ]
    rendered = await render(root)
    assert texts(rendered.root) == ["3", "[boundary] no"]


async def test_a_question_in_a_thread_ends_the_invocation_and_lets_the_thread_go(
    threads: Threads,
) -> None:
    tree = threads.run(lambda context: context.wait(context.elicit, *ARGS))
    with pytest.raises(InputRequiredError):
        await invoke(tree, ReplayChannel({}))
    assert isinstance(await threads.wait_done(), InvocationCancelledError)


async def test_with_the_answer_the_thread_goes_on() -> None:
    tree = InThread(
        lambda context: (
            str(context.wait(context.elicit, "a", ANYTHING).content)
            + str(context.wait(context.elicit, "b", ANYTHING).content)
        )
    )
    reader, rounds = await invoke_in_rounds(tree, lambda question: accepted(it=question.message))
    assert said(reader) == ["{'it': 'a'}{'it': 'b'}"]
    assert rounds == [["a"], ["b"]]


async def test_a_cancelled_invocation_lets_its_threads_go(threads: Threads) -> None:
    runtime = Runtime(SingleTree(threads.run(lambda context: context.wait(sleep_for_ever))))
    reader = Reader()
    async with trio.open_nursery() as nursery:

        async def run() -> None:
            with pytest.raises(InvocationCancelledError):
                await runtime.invoke(make_invocation(), reader, reader.sink)

        nursery.start_soon(run)
        await threads.wait_entered()
        await wait_all_tasks_blocked(0.05)
        runtime.cancel("test")
    result = await threads.wait_done()
    assert isinstance(result, InvocationCancelledError)
    assert "sleep_for_ever was cancelled before it was done" in str(result)


async def test_a_boundary_that_fails_lets_its_threads_go_while_the_invocation_goes_on(
    threads: Threads,
) -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.append("work")

    @component
    async def Fails() -> Node:
        await threads.wait_entered()
        raise ValueError("beside it")

    @component
    async def Outlives() -> Node:
        assert isinstance(await threads.wait_done(), InvocationCancelledError)
        return Agent.Text("went on")

    root: Node = [Suspense([threads.run(lambda context: context.wait(work)), Fails()]), Outlives()]
    rendered = await render(root)
    assert texts(rendered.root) == ["[boundary] beside it", "went on"]
    assert ended == ["work"]


async def test_what_was_stopped_before_it_began_is_told_to_the_thread(threads: Threads) -> None:
    # The document is complete in the moment in which the thread asks.
    async def never() -> None:
        raise AssertionError("not reached")  # pragma: no cover  # that is what is tested

    asked = threading.Event()

    def late(context: CommandContext) -> object:
        asked.wait(LIMIT_S)
        return context.wait(never)

    async def start() -> None:
        await trio.to_thread.run_sync(partial(threads._call, late, agent()), abandon_on_cancel=True)

    @component
    async def Root() -> Node:
        _ = agent().defer(start)
        await threads.wait_entered()
        return Agent.Text("done")

    rendered = await render(Root())
    assert texts(rendered.root) == ["done"]
    asked.set()
    result = await threads.wait_done()
    assert isinstance(result, RequestError | HandoffRequiredError)


async def test_an_errand_that_is_stopped_before_it_begins_is_told_to_the_thread() -> None:
    class Stops:
        """A starter that stops what it was to start."""

        def start(self, function: object, args: object, *, name: str | None = None) -> Any:
            deferred: Deferred[object] = Deferred(str(name))
            deferred.settle(Stopped())
            return deferred

    with pytest.raises(InvocationCancelledError, match="sleep_for_ever was cancelled"):
        await trio.to_thread.run_sync(partial(wait_for, Stops(), sleep_for_ever, ()))


async def test_waiting_is_for_threads() -> None:
    @component
    async def Root() -> Node:
        return Agent.Text(str(agent().wait(sleep_for_ever)))

    with pytest.raises(InvocationError) as caught:
        await render(Root())
    assert caught.value.code == "invalid-element"
    assert "wait(sleep_for_ever) is for threads that Trio started" in caught.value.message


async def test_a_thread_of_somebody_else_cannot_wait() -> None:
    errors: list[Exception] = []

    @component
    async def Root() -> Node:
        context = agent()

        def foreign() -> None:
            assert context.cancelled is False
            try:
                context.wait(sleep_for_ever)
            except ContractError as error:
                errors.append(error)

        thread = threading.Thread(target=foreign)
        thread.start()
        await trio.to_thread.run_sync(thread.join)
        return None

    await render(Root())
    assert [type(error) for error in errors] == [ContractError]


# ------------------------------------------------------------------------------ cancelled


async def test_a_task_and_a_thread_that_are_waited_for_are_not_cancelled(threads: Threads) -> None:
    @component
    async def Task() -> Node:
        assert agent().cancelled is False
        with trio.CancelScope() as scope:
            scope.cancel()
            assert agent().cancelled is True
        assert agent().cancelled is False
        return None

    rendered = await render([Task(), threads.run(lambda context: context.cancelled)])
    assert texts(rendered.root) == ["False"]


async def test_a_thread_learns_that_nobody_waits_for_it_any_more(threads: Threads) -> None:
    def work(context: CommandContext) -> object:
        # A thread cannot wait for being cancelled: it looks between two pieces of work.
        pause = threading.Event()
        for _ in range(LIMIT_S * 100):
            if context.cancelled:
                return "stopped"
            pause.wait(0.01)
        return "never told"  # pragma: no cover  # what is tested

    @component
    async def Fails() -> Node:
        await threads.wait_entered()
        raise ValueError("beside it")

    @component
    async def Outlives() -> Node:
        return Agent.Text(str(await threads.wait_done()))

    rendered = await render([Suspense([threads.run(work), Fails()]), Outlives()])
    assert texts(rendered.root) == ["[boundary] beside it", "stopped"]


async def test_after_the_end_everybody_is_cancelled() -> None:
    kept: list[CommandContext] = []

    @component
    async def Keeps() -> Node:
        kept.append(agent())
        return None

    await render(Keeps())
    assert kept[0].cancelled is True
    with pytest.raises(RequestError):
        kept[0].wait(sleep_for_ever)


def test_outside_of_trio_only_the_handle_knows() -> None:
    kept: list[CommandContext] = []

    @component
    async def Keeps() -> Node:
        kept.append(agent())
        return None

    trio.run(render, Keeps())
    assert kept[0].cancelled is True


# ------------------------------------------------------------------------------ children


@pytest.mark.skipif(os.name != "posix", reason="has no process groups")
async def test_a_child_that_a_thread_waits_for_ends_with_the_invocation(
    threads: Threads, tmp_path: Path
) -> None:
    file = tmp_path / "pids"
    script = f"sleep 1000 & echo $! >> {file}; echo $$ >> {file}; wait"

    def work(context: CommandContext) -> object:
        return context.wait(context.run_process, ["/bin/sh", "-c", script])

    pids: list[int] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(render, threads.run(work))
        pids += await read_pids(file, 2)
        nursery.cancel_scope.cancel()
    assert [pid for pid in pids if is_running(pid)] == []
    assert isinstance(await threads.wait_done(), InvocationCancelledError)
    for pid in filter(is_running, pids):  # pragma: no cover  # only if the test has failed
        os.kill(pid, signal.SIGKILL)


async def test_a_component_runs_a_child_through_its_handle() -> None:
    @component
    async def Root() -> Node:
        context: Any = agent()
        done = await context.run_process(["/bin/echo", "hello"])
        return Agent.Text(done.text)

    assert texts((await render(Root())).root) == ["hello\n"]
