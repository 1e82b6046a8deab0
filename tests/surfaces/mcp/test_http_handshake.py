"""Sessions over HTTP: what they remember, and what a client that comes back finds."""

from __future__ import annotations

from typing import cast

import pytest
import trio
import trio.testing

from tests.surfaces.mcp.http_caller import (
    OPENING,
    SeenEvent,
    call,
    calling,
    notification,
    request,
)
from tests.surfaces.mcp.http_service import Service, Slow, add, report
from trio_agent.surfaces.mcp.exchange import HANDSHAKE_VERSIONS, Exchange
from trio_agent.surfaces.mcp.http.app import HttpSettings
from trio_agent.surfaces.mcp.http.delivery import PING_S
from trio_agent.surfaces.mcp.http.session import MOST_STREAMS
from trio_agent.surfaces.mcp.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    SERVER_BUSY,
    JsonObject,
)

# -------------------------------------------------------------------------- opening, ending


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
async def test_initialize_opens_a_session_and_answers_like_on_stdio(
    version: str, mock_clock: trio.testing.MockClock
) -> None:
    async with calling(Service(add=add)) as caller:
        opened = await caller.open(version)
        answer = await caller.ask(call("add", a=1, b=2))

    assert len(opened.headers["mcp-session-id"]) == 32
    assert opened.result["protocolVersion"] == version
    assert opened.result["serverInfo"] == {"name": "small", "version": "1", "title": "Small"}
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["mcp-session-id"] == opened.headers["mcp-session-id"]
    assert answer.text == "3"


async def test_a_refused_initialize_opens_nothing() -> None:
    async with calling(Service()) as caller:
        answer = await caller.ask(request("initialize", {**OPENING, "capabilities": None}))
        assert [len(table) for table in caller.app.tables] == [0]

    assert answer.error["code"] == INVALID_PARAMS
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_without_a_session_id_a_request_is_400(method: str) -> None:
    async with calling(Service()) as caller:
        answer = await caller.ask(call("add", 7) if method == "POST" else None, method=method)

    assert (answer.status, answer.error["code"]) == (400, INVALID_REQUEST)
    assert answer.json["id"] == (7 if method == "POST" else None)


# BR-34: an id of before a restart, or a made-up one; a client that begins again works.
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_unknown_session_is_404_with_a_json_rpc_body(method: str) -> None:
    async with calling(Service(add=add)) as caller:
        answer = await caller.ask(
            call("add") if method == "POST" else None, method=method, mcp_session_id="0" * 32
        )
        again = await caller.ask(request("initialize", OPENING), mcp_session_id="0" * 32)
        await caller.open()
        assert (await caller.ask(call("add", a=1))).text == "1"

    assert (answer.status, again.status) == (404, 404)
    assert answer.json["jsonrpc"] == "2.0"
    assert answer.error["code"] == INVALID_REQUEST


async def test_delete_ends_a_session_and_cancels_what_runs() -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        running = caller.start(call("slow", 2))
        own = caller.start(method="GET")
        await slow.started.wait()
        deleted = await caller.ask(method="DELETE")
        await slow.cancelled.wait()
        await running.done()
        await own.done()
        afterwards = await caller.ask(request("ping", id_=3))
        assert [len(table) for table in caller.app.tables] == [0]

    assert (deleted.status, afterwards.status) == (204, 404)
    assert own.events[-1].data is None


async def test_a_session_that_nobody_uses_ends(autojump_clock: trio.testing.MockClock) -> None:
    slow = Slow()
    async with calling(Service(add=add, slow=slow), HttpSettings(idle_s=100)) as caller:
        await caller.open()
        await trio.sleep(99)
        assert (await caller.ask(call("add", a=1))).text == "1"
        await trio.sleep(99)
        # A call that runs keeps it, and so does a stream that is read.
        running = caller.start(call("slow", 2))
        await trio.sleep(1000)
        slow.release.set()
        await running.done()
        own = caller.start(method="GET")
        await trio.sleep(1000)
        own.gone.set()
        await trio.sleep(99)
        assert (await caller.ask(request("ping", id_=3))).status == 200
        await trio.sleep(101)
        assert (await caller.ask(request("ping", id_=4))).status == 404


async def test_one_more_session_than_may_be_is_503() -> None:
    async with calling(Service(), HttpSettings(max_sessions=1)) as caller:
        await caller.open()
        refused = await caller.ask(request("initialize", OPENING), mcp_session_id=None)
        await caller.ask(method="DELETE")
        opened = await caller.ask(request("initialize", OPENING), mcp_session_id=None)

    assert (refused.status, refused.error["code"]) == (503, SERVER_BUSY)
    assert refused.headers["retry-after"] == "60"
    assert opened.status == 200


# -------------------------------------------------------------------------- requests


async def test_an_id_that_is_in_flight_is_refused_and_the_first_is_answered() -> None:
    slow = Slow()
    async with calling(Service(slow=slow, add=add)) as caller:
        await caller.open()
        first = caller.start(call("slow", 7))
        await slow.started.wait()
        second = await caller.ask(call("add", 7))
        other = await caller.ask(call("add", "7", a=1))
        slow.release.set()
        await first.done()

    assert second.error["code"] == INVALID_REQUEST
    assert first.text == "done"
    # As on stdio, 7 and "7" are different ids.
    assert (other.text, other.json["id"]) == ("1", "7")


async def test_unknown_methods_and_misshapen_requests_get_our_own_words() -> None:
    async with calling(Service()) as caller:
        await caller.open()
        unknown = await caller.ask(request("no/such"))
        level = await caller.ask(request("logging/setLevel", {"level": "loud"}))
        modern_only = await caller.ask(request("server/discover"))

    assert (unknown.status, unknown.error["code"]) == (200, METHOD_NOT_FOUND)
    assert level.error["code"] == INVALID_PARAMS
    assert str(level.error["message"]).startswith("level is one of debug")
    assert modern_only.error["code"] == METHOD_NOT_FOUND


async def test_a_lone_surrogate_goes_through_both_ways() -> None:
    async def echo(arguments: JsonObject, exchange: Exchange) -> object:
        return arguments["text"]

    async with calling(Service(echo=echo)) as caller:
        await caller.open()
        answer = await caller.ask(call("echo", text="\ud800 alone"))

    assert answer.text == "\ud800 alone"
    assert answer.body.isascii()


async def test_at_most_64_calls_of_a_session_run_and_256_wait() -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        taken = [caller.start(call("slow", id_)) for id_ in range(320)]
        await trio.testing.wait_all_tasks_blocked(0.1)
        assert slow.calls == 64
        refused = await caller.ask(call("slow", 320))
        ping = await caller.ask(request("ping", id_=321))
        slow.release.set()
        for reading in taken:
            await reading.done()

    assert refused.error["code"] == SERVER_BUSY
    assert refused.error["data"] == {"code": "server-busy", "maxRunning": 64, "maxWaiting": 256}
    assert ping.result == {}
    assert {reading.text for reading in taken} == {"done"}


async def test_what_is_said_meanwhile_makes_the_answer_a_stream_in_order() -> None:
    async with calling(Service(report=report)) as caller:
        await caller.open()
        answer = await caller.ask(call("report", 2, steps=3))

    assert answer.headers["content-type"] == "text/event-stream"
    events = answer.events
    number = (events[0].id or "").partition("-")[0]
    assert [event.id for event in events] == [f"{number}-{n}" for n in range(5)]
    assert events[0].data is None
    progress = [cast("JsonObject", (event.data or {})["params"]) for event in events[1:4]]
    assert [params["progress"] for params in progress] == [0, 1, 2]
    assert answer.text == "reported"


async def test_a_call_that_takes_its_time_has_a_stream_that_says_it_is_still_there(
    autojump_clock: trio.testing.MockClock,
) -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        running = caller.start(call("slow", 2))
        await trio.sleep(1)
        assert [event.data for event in running.events] == [None]
        assert b"retry: 1000\n" in running.body
        await trio.sleep(2 * PING_S)
        assert running.body.count(b": still here\n\n") == 2
        slow.release.set()
        await running.done()

    assert running.text == "done"


async def test_a_client_that_does_not_read_holds_up_its_own_call_only() -> None:
    sent = 0

    async def flood(arguments: JsonObject, exchange: Exchange) -> object:
        nonlocal sent
        for sent in range(1000):
            await exchange.notify("notifications/progress", {"progressToken": 1, "progress": sent})
        return "flooded"

    async with calling(Service(flood=flood, add=add)) as caller:
        await caller.open()
        flooding = caller.start(call("flood", 2))
        await flooding.until(1)
        flooding.reading = trio.Event()
        await trio.testing.wait_all_tasks_blocked()
        stuck = sent
        assert (await caller.ask(call("add", 3, a=1))).text == "1"
        await trio.testing.wait_all_tasks_blocked()
        assert sent == stuck < 10
        flooding.reading.set()
        await flooding.done()

    assert flooding.text == "flooded"


# ------------------------------------------------------------- leaving, cancelling, coming back


# Case 38 of the surfaces.
async def test_leaving_does_not_cancel_and_the_answer_is_there_for_who_comes_back() -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        lost = caller.start(call("slow", 2))
        first = (await lost.until(1))[0]
        lost.gone.set()
        await trio.testing.wait_all_tasks_blocked()
        assert not slow.cancelled.is_set()
        back = caller.start(method="GET", last_event_id=first.id)
        await back.until(1)
        slow.release.set()
        await back.done()
        late = await caller.ask(method="GET", last_event_id=first.id)

    assert (back.text, late.text) == ("done", "done")
    assert slow.calls == 1
    assert back.is_complete


async def test_who_comes_back_gets_what_is_missing_and_nothing_twice() -> None:
    async with calling(Service(report=report)) as caller:
        await caller.open()
        whole = (await caller.ask(call("report", 2, steps=5))).events
        rest = (await caller.ask(method="GET", last_event_id=whole[3].id)).events

    assert rest == [SeenEvent(whole[3].id, None), *whole[4:]]


async def test_who_comes_back_for_nothing_is_told_not_to_come_again() -> None:
    async def fail(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.notify("notifications/progress", {"progressToken": 1, "progress": 1})
        raise ValueError

    async with calling(Service(fail=fail)) as caller:
        await caller.open()
        # The TypeScript client comes back after an error: it waits for a result.
        failed = await caller.ask(call("fail", 2))
        answer = await caller.ask(method="GET", last_event_id=failed.events[-1].id)
        # ... also when it is long forgotten.
        for id_ in range(3, MOST_STREAMS + 5):
            await caller.ask(call("fail", id_))
        forgotten = await caller.ask(method="GET", last_event_id=failed.events[0].id)

    assert (answer.status, answer.body) == (204, b"")
    assert (forgotten.status, forgotten.body) == (204, b"")


@pytest.mark.parametrize("id_", ["", "x", "1", "99-1", "1-2-3", "\u0661-1", "1" * 30 + "-1"])
async def test_an_event_that_is_not_kept_is_400(id_: str) -> None:
    async with calling(Service()) as caller:
        await caller.open()
        answer = await caller.ask(method="GET", last_event_id=id_.encode().decode("latin-1"))

    assert answer.status == 400


async def test_before_2025_11_25_events_have_no_numbers_and_nobody_comes_back() -> None:
    async with calling(Service(report=report)) as caller:
        await caller.open("2025-06-18")
        answer = await caller.ask(call("report", 2, steps=2))
        back = await caller.ask(method="GET", last_event_id="1-1")

    assert [event.id for event in answer.events] == [None] * 3
    assert b"retry" not in answer.body
    assert back.status == 400


async def test_cancelling_cancels_the_call_and_ends_its_stream(
    mock_clock: trio.testing.MockClock,
) -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        quick = caller.start(call("slow", 1))
        await slow.started.wait()
        cancelled = notification("notifications/cancelled", {"requestId": 1, "reason": "enough"})
        assert (await caller.ask(cancelled)).status == 202
        await slow.cancelled.wait()
        await quick.done()

        slow.cancelled = trio.Event()
        running = caller.start(call("slow", 2))
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(1)
        await running.until(1)
        await caller.ask(notification("notifications/cancelled", {"requestId": 2}))
        await running.done()

    # What was cancelled is not answered.
    assert (quick.status, quick.body) == (202, b"")
    assert [event.data for event in running.events] == [None]


@pytest.mark.parametrize("id_", [99, "1", True, None, [], 1.0])
async def test_cancelling_what_is_unknown_is_no_error(id_: object) -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        running = caller.start(call("slow", 1))
        await slow.started.wait()
        answer = await caller.ask(notification("notifications/cancelled", {"requestId": id_}))
        slow.release.set()
        await running.done()

    assert (answer.status, running.text) == (202, "done")


async def test_a_call_that_waits_can_be_cancelled() -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        for id_ in range(64):
            caller.start(call("slow", id_))
        await trio.testing.wait_all_tasks_blocked(0.1)
        waiting = caller.start(call("slow", 64))
        await waiting.until(1)
        await caller.ask(notification("notifications/cancelled", {"requestId": 64}))
        await waiting.done()
        slow.release.set()
        await trio.testing.wait_all_tasks_blocked(0.1)

    assert slow.calls == 64
    assert [event.data for event in waiting.events] == [None]


async def test_a_handler_may_send_its_client_away_to_come_back_later() -> None:
    slow = Slow()

    async def polled(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.end_stream()
        return await slow(arguments, exchange)

    async with calling(Service(polled=polled)) as caller:
        await caller.open()
        away = await caller.ask(call("polled", 2))
        slow.release.set()
        back = await caller.ask(method="GET", last_event_id=away.events[0].id)

    assert [event.data for event in away.events] == [None]
    assert back.text == "done"


async def test_a_client_that_could_not_come_back_is_not_sent_away() -> None:
    async def polled(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.end_stream()
        return "still there"

    async with calling(Service(polled=polled)) as caller:
        await caller.open("2025-06-18")
        assert (await caller.ask(call("polled", 2))).text == "still there"
