"""Telling the host: in order, before the result, from any thread, and never in anybody's way."""

from __future__ import annotations

import logging
import threading
from functools import partial

import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from tests.hosts import Answer, SlowHost, invoke
from tests.trees import Reader
from trio_agent import Agent, CommandContext, Node, Runtime, Suspense, agent, component
from trio_agent.context.host import LogNotice, Notice, ReplayChannel, StreamEnd
from trio_agent.context.question import Question
from trio_agent.errors import RequestError
from trio_agent.pipeline.notices import MOST_BYTES, MOST_WAITING
from trio_agent.testing import ScriptedHost, SingleTree, make_invocation
from trio_agent.vocabulary.json import Json


def lines(told: list[Notice]) -> list[object]:
    return [notice.data.value for notice in told if isinstance(notice, LogNotice)]


async def test_what_is_told_arrives_in_order_and_before_the_result(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Tells() -> Node:
        context = agent()
        for number in range(3):
            context.log("info", number)
        context.end_stream()
        return Agent.Text("x")

    host = SlowHost(1)
    await invoke(Tells(), host)
    assert lines(host.told) == [0, 1, 2]
    assert host.told[-1] == StreamEnd()
    assert trio.current_time() == 4


@given(st.random_module())
async def test_several_rounds_of_telling_are_in_order_too(schedule: object) -> None:
    @component
    async def Tells() -> Node:
        for number in range(3):
            agent().log("info", number)
            await trio.lowlevel.checkpoint()
        return Agent.Text("x")

    host = ScriptedHost()
    await invoke(Tells(), host)
    assert lines(host.told) == [0, 1, 2]


async def test_a_def_component_and_threads_may_tell() -> None:
    @component
    def Tells() -> Node:
        agent().log("info", "def")
        return None

    @component
    async def From_threads() -> Node:
        context = agent()
        await trio.to_thread.run_sync(partial(context.log, "info", "worker"))
        foreign = threading.Thread(target=context.log, args=("info", "foreign"))
        foreign.start()
        await trio.to_thread.run_sync(foreign.join)
        context.resource_updated("file:///x")
        context.list_changed("prompts")
        return None

    host = ScriptedHost()
    await invoke([Tells(), From_threads()], host)
    assert lines(host.told) == ["def", "worker", "foreign"]
    assert len(host.told) == 5


async def test_a_host_that_fails_fails_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        async def ask(self, key: str, question: Question) -> Answer:
            raise AssertionError("nothing is asked")  # pragma: no cover  # of the protocol

        async def tell(self, notice: Notice) -> None:
            raise ValueError("broken")

    @component
    async def Tells() -> Node:
        agent().log("info", "x")
        return Agent.Text("done")

    caplog.set_level(logging.DEBUG, "trio_agent")
    reader = await invoke(Tells(), Broken())
    assert reader.types == ["shell", "complete"]
    assert "a notice could not be sent" in caplog.text


async def test_a_host_that_reads_slowly_misses_what_is_too_much(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    @component
    async def Tells() -> Node:
        for number in range(MOST_WAITING + 5):
            agent().log("info", number)
        return Agent.Text("x")

    host = SlowHost(1)
    await invoke(Tells(), host)
    assert lines(host.told) == list(range(MOST_WAITING))
    assert "5 notices were dropped" in caplog.text


async def test_a_host_that_reads_slowly_misses_what_is_too_long(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    line = "x" * (MOST_BYTES // 4)

    @component
    async def Tells() -> Node:
        for _ in range(6):
            agent().log("info", line)
        agent().end_stream()
        await trio.sleep(10)
        agent().log("info", line)
        return Agent.Text("x")

    host = SlowHost(1)
    await invoke(Tells(), host)
    # Quotes are bytes too, so three wait; the end of the stream has none, and room came later.
    assert lines(host.told) == [line] * 4
    assert StreamEnd() in host.told
    assert "3 notices were dropped" in caplog.text


async def test_cancelling_drops_what_was_not_sent(autojump_clock: MockClock) -> None:
    @component
    async def Tells() -> Node:
        for number in range(9):
            agent().log("info", number)
        await trio.sleep_forever()

    host = SlowHost(1)
    with trio.move_on_after(2.5):
        await invoke(Tells(), host)
    assert lines(host.told) == [0, 1]


async def test_after_the_end_nothing_is_told() -> None:
    kept: list[CommandContext] = []

    @component
    async def Keeps() -> Node:
        kept.append(agent())
        return None

    host = ScriptedHost()
    await invoke(Keeps(), host)
    (context,) = kept
    for call in (
        partial(context.log, "info", "late"),
        partial(context.resource_updated, "x"),
        partial(context.list_changed, "tools"),
        context.end_stream,
    ):
        with pytest.raises(RequestError) as caught:
            call()
        assert caught.value.code == "request-closed"
    assert host.told == []


async def test_a_thread_that_tells_while_the_invocation_ends_ends_nothing_else() -> None:
    # It passed the check of the handle before the end, and Trio's queue calls it after.
    @component
    async def Tells() -> Node:
        context = agent()
        context.log("info", "first")
        telling = context._backstage.telling
        late.append(partial(telling.log, "info", "late", None))
        return Agent.Text("x")

    late: list[partial[None]] = []
    host = ScriptedHost()
    await invoke(Tells(), host)
    await trio.to_thread.run_sync(late[0])
    late[0]()
    await trio.testing.wait_all_tasks_blocked()
    assert lines(host.told) == ["first"]


async def test_a_replaying_channel_forwards_what_is_told() -> None:
    host = ScriptedHost()

    @component
    async def Tells() -> Node:
        agent().log("notice", "x", logger="a")
        return None

    await invoke([Tells(), Suspense(Tells())], ReplayChannel({}, tell=host.tell))
    assert host.told == [LogNotice("notice", Json.of("x"), "a")] * 2
    await invoke(Tells(), ReplayChannel({}))


async def test_without_a_host_telling_is_free() -> None:
    @component
    async def Tells() -> Node:
        agent().log("debug", "x")
        agent().end_stream()
        return Agent.Text("x")

    reader = Reader()
    await Runtime(SingleTree(Tells())).invoke(make_invocation(), reader, reader.sink)
    assert reader.types == ["shell", "complete"]
