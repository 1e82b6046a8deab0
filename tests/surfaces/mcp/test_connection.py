"""Whole connections in one process, over wires that the test holds, under a clock that jumps."""

from __future__ import annotations

import json

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from actors import open_supervisor
from actors.testing import Extent, Kind, Leaks, strike_every_step
from tests.surfaces.mcp.child import notification, request
from tests.surfaces.mcp.talking import Feed, Talk, Wire, echo, forever
from trio_agent.surfaces.mcp.exchange import Call
from trio_agent.surfaces.mcp.process.heartbeat import Heartbeat
from trio_agent.surfaces.mcp.rpc import JsonObject
from trio_agent.surfaces.mcp.stdio.connection import Connection
from trio_agent.surfaces.mcp.stdio.lines import GRACE_S, Terms
from trio_agent.surfaces.mcp.wire.dispatcher import Quota


async def nap(params: JsonObject, call: Call) -> JsonObject:
    await trio.sleep(float(str(params["s"])))
    return params


def lines(*frames: bytes) -> bytes:
    return b"".join(frame + b"\n" for frame in frames)


def ids(wire: Wire) -> list[object]:
    return sorted((message.get("id") for message in wire.messages), key=str)


async def serve(talk: Talk, data: bytes, terms: Terms | None = None) -> Wire:
    """Serve a client that writes *data* and nothing more."""
    wire = Wire()
    await Connection(Feed(data, ends=True), wire, talk, terms=terms).run()
    return wire


# ------------------------------------------------------------------------------ frames


@given(schedule=st.random_module(), cuts=st.lists(st.integers(0, 400), max_size=20))
async def test_however_the_bytes_come_the_answers_are_the_same(
    schedule: object, cuts: list[int]
) -> None:
    data = b"\xef\xbb\xbf" + b"\r\n".join(
        [
            request("initialize", {}, 0),
            b"",
            b"\xef\xbb\xbf" + request("echo", {"a": "\u2028\n"}, 1),
            b"  ",
            b"{broken",
            request("echo", {"a": "é"}, "last"),
        ]
    )
    feed = Feed()
    ends = sorted({place % len(data) for place in cuts} | {len(data)})
    for begin, end in zip([0, *ends], ends, strict=False):
        if data[begin:end]:
            feed.put(data[begin:end])
    feed.end()
    wire = Wire()
    await Connection(feed, wire, Talk(echo=echo)).run()

    assert {message["id"]: message.get("result") for message in wire.messages} == {
        0: {"pong": True},
        1: {"a": "\u2028\n"},
        None: None,
        "last": {"a": "é"},
    }
    assert len(wire.messages) == 4


async def test_a_frame_beyond_the_limit_is_refused_and_the_next_one_is_answered() -> None:
    data = lines(request("echo", {"a": "x" * 300}, 1), request("echo", {}, 2))
    wire = await serve(Talk(echo=echo), data, Terms(max_frame_bytes=200))

    assert wire.messages == [
        {
            "jsonrpc": "2.0",
            "id": None,
            "error": {
                "code": -32600,
                "message": "Invalid Request: a message has at most 200 bytes, this one has more",
            },
        },
        {"jsonrpc": "2.0", "id": 2, "result": {}},
    ]


# ------------------------------------------------------------------------------ the end


async def test_calls_have_a_grace_period_after_the_end_of_the_input(
    autojump_clock: trio.testing.MockClock,
) -> None:
    naps = [request("nap", {"s": seconds}, str(seconds)) for seconds in (0.2, 0.9, 5)]
    begin = trio.current_time()
    wire = await serve(Talk(nap=nap), lines(*naps))

    assert trio.current_time() - begin == pytest.approx(GRACE_S)
    assert {message["id"]: message.get("error") for message in wire.messages} == {
        "0.2": None,
        "0.9": None,
        "5": {
            "code": -32000,
            "message": "Connection closed: the server ended before the call did",
        },
    }


async def test_calls_that_wait_for_their_turn_have_the_grace_period_too(
    autojump_clock: trio.testing.MockClock,
) -> None:
    naps = [request("nap", {"s": 0.3}, number) for number in range(5)]
    wire = await serve(Talk(nap=nap), lines(*naps), Terms(quota=Quota(max_running=1)))

    assert [message["id"] for message in wire.messages if "result" in message] == [0, 1, 2]
    assert ids(wire) == [0, 1, 2, 3, 4]


async def test_without_calls_the_end_comes_at_once(autojump_clock: trio.testing.MockClock) -> None:
    begin, ending = trio.current_time(), list[float]()
    connection = Connection(
        Feed(ends=True), Wire(), Talk(), on_ending=lambda: ending.append(trio.current_time())
    )
    await connection.run()

    assert [trio.current_time(), *ending] == [begin, begin]


async def test_who_asks_the_client_does_not_wait_for_an_answer_that_cannot_come(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def asking(params: JsonObject, call: Call) -> JsonObject:
        return await call.request("roots/list", {})

    begin = trio.current_time()
    wire = await serve(Talk(ask=asking), lines(request("ask")))

    assert trio.current_time() == begin
    assert wire.messages[-1]["error"]["code"] == -32000


async def test_it_can_be_stopped_and_calls_are_cancelled_at_once(
    autojump_clock: trio.testing.MockClock,
) -> None:
    seen = list[float]()

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(0.3, shield=True):
                await trio.sleep(0.2)
            seen.append(trio.current_time())

    wire = Wire()
    connection = Connection(Feed(lines(request("work"))), wire, Talk(work=handler))
    begin = trio.current_time()
    async with open_supervisor() as supervisor:
        supervisor.start(connection)
        await trio.sleep(10)
        connection.stop()
    assert seen == [begin + 10.2]
    assert trio.current_time() == begin + 10.2
    assert [message["error"]["code"] for message in wire.messages] == [-32000]


async def test_it_may_be_stopped_before_it_begins() -> None:
    connection = Connection(Feed(lines(request("echo"))), Wire(), Talk(echo=echo))
    connection.stop()
    await connection.run()


async def test_a_stop_in_the_grace_period_shortens_it(
    autojump_clock: trio.testing.MockClock,
) -> None:
    connection = Connection(Feed(lines(request("wait")), ends=True), Wire(), Talk(wait=forever))
    begin = trio.current_time()
    async with open_supervisor() as supervisor:
        supervisor.start(connection)
        await trio.sleep(0.5)
        connection.stop()
    assert trio.current_time() == begin + 0.5


@pytest.mark.parametrize("busy", [False, True])
async def test_when_nobody_reads_any_more_it_ends(
    busy: bool, autojump_clock: trio.testing.MockClock
) -> None:
    wire, feed = Wire(), Feed(lines(request("wait")))
    begin = trio.current_time()
    async with open_supervisor() as supervisor:
        supervisor.start(Connection(feed, wire, Talk(wait=forever, echo=echo)))
        await trio.sleep(1)
        if busy:
            wire.change(error=BrokenPipeError())
            feed.put(lines(request("echo", {}, 2), request("ping", {}, 3)))
        else:
            wire.gone.set()
    assert trio.current_time() == begin + 1
    assert wire.data == b""


async def test_what_is_queued_for_a_client_that_does_not_read_is_dropped_in_the_end(
    autojump_clock: trio.testing.MockClock,
) -> None:
    wire = Wire(room=10)
    begin = trio.current_time()
    connection = Connection(
        Feed(lines(request("ping"), request("echo", {}, 2)), ends=True), wire, Talk(echo=echo)
    )
    await connection.run()

    assert trio.current_time() - begin == pytest.approx(GRACE_S + 0.1)
    assert len(wire.data) == 10


# ------------------------------------------------------------------------------ pressure


async def test_pings_and_cancellations_get_through_while_calls_wait_for_the_client(
    autojump_clock: trio.testing.MockClock,
) -> None:
    wire, feed = Wire(room=0), Feed()
    cleaned = list[object]()

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        try:
            await trio.sleep_forever()
        finally:
            cleaned.append(call.id)

    talk = Talk(echo=echo, wait=handler)
    async with open_supervisor() as supervisor:
        supervisor.start(Connection(feed, wire, talk))
        feed.put(lines(*(request("echo", {}, number) for number in range(10))))
        feed.put(lines(request("wait", {}, "w")))
        await trio.sleep(1)
        feed.put(lines(notification("notifications/cancelled", {"requestId": "w"})))
        feed.put(lines(request("ping", {}, "p"), notification("notifications/x", {})))
        await trio.sleep(1)
        assert (cleaned, talk.received) == (["w"], [("notifications/x", {})])
        wire.change(room=10_000)
        feed.end()
    assert ids(wire) == [*range(10), "p"]


async def test_a_burst_of_quick_calls_is_not_refused() -> None:
    async def quick(params: JsonObject, call: Call) -> JsonObject:
        for _ in range(10):
            await trio.lowlevel.checkpoint()
        return params

    burst = lines(*(request("quick", {}, number) for number in range(2000)))
    wire = await serve(Talk(quick=quick), burst)

    assert sum("result" in message for message in wire.messages) == 2000


async def test_a_client_that_floods_and_does_not_read_is_not_read_either(
    autojump_clock: trio.testing.MockClock,
) -> None:
    wire, feed, talk = Wire(room=0), Feed(), Talk()
    async with open_supervisor() as supervisor:
        supervisor.start(Connection(feed, wire, talk, terms=Terms(flood_bytes=1000)))
        for number in range(100):
            feed.put(lines(request("ping", {}, number)))
        await trio.sleep(1)
        assert 1000 / 60 < len(talk.admitted) < 30
        wire.change(room=1_000_000)
        feed.end()
    assert ids(wire) == sorted(range(100), key=str)


# ------------------------------------------------------------------------------ heartbeat


async def test_the_heart_beats_while_it_serves(autojump_clock: trio.testing.MockClock) -> None:
    said, feed = list[str](), Feed()
    heart = Heartbeat("talker", said.append, trio.current_time())
    async with open_supervisor() as supervisor:
        supervisor.start(Connection(feed, Wire(), Talk(), heartbeat=heart))
        await trio.sleep(301)
        feed.put(lines(request("ping")))
        await trio.sleep(1)
        feed.end()
    assert [line.split(" pid=")[0] for line in said] == [
        "trio-agent heartbeat server=talker reason=interval",
        "trio-agent heartbeat server=talker reason=activity",
    ]


# ------------------------------------------------------------------------------ strikes


@pytest.mark.parametrize("kind", ["cancel", "crash"])
def test_a_strike_at_any_step_leaves_nothing_behind(kind: Kind) -> None:
    async def asking(params: JsonObject, call: Call) -> JsonObject:
        await call.notify("notifications/progress", {"progress": 1})
        with trio.move_on_after(0.4):
            await call.request("roots/list", {})
        return params

    data = lines(
        request("initialize", {}, "i"),
        request("echo", {}, "e"),
        request("ask", {}, "a"),
        request("nap", {"s": 0.5}, "n"),
        request("nap", {"s": 5}, "c"),
        request("nap", {"s": 5}, "unfinished"),
        request("echo", {}, "waits"),
        notification("notifications/cancelled", {"requestId": "c"}),
    )

    async def main(extent: Extent) -> Wire:
        wire, feed = Wire(room=100), Feed(data[:150], data[150:])
        talk = Talk(echo=echo, ask=asking, nap=nap)
        terms = Terms(quota=Quota(max_running=4))

        async def read_slowly_and_leave() -> None:
            for _ in range(20):
                await trio.sleep(0.05)
                wire.change(room=50)
            wire.change(room=1000)
            feed.end()

        with extent:
            async with open_supervisor() as supervisor:
                supervisor.call(read_slowly_and_leave)
                await Connection(feed, wire, talk, terms=terms).run()
                supervisor.stop()
        return wire

    steps = 0
    for attempt in strike_every_step(main, kind=kind):
        steps += attempt.place is not None
        assert attempt.leaks == Leaks(), f"{attempt.place}: {attempt.leaks}"
        whole, _, torn = attempt.result.data.rpartition(b"\n")
        written = [json.loads(line) for line in whole.splitlines()]
        answered = [message["id"] for message in written if "method" not in message]
        assert len(answered) == len(set(answered))
        assert "c" not in answered
        if attempt.place is None:
            assert torn == b""
            assert sorted(answered) == ["a", "e", "i", "n", "unfinished", "waits"]
            assert [message["method"] for message in written if "method" in message] == [
                "notifications/progress",
                "roots/list",
                "notifications/cancelled",
            ]
    assert steps > 30
