from __future__ import annotations

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from tests.surfaces.mcp.talking import Talk, ask, cancel, dispatching, echo, forever, settle
from trio_agent.surfaces.mcp.exchange import Call
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.wire.dispatcher import MAX_UNREAD_BYTES, Quota
from trio_agent.surfaces.mcp.wire.jsonrpc import Notification, Refusal

# ------------------------------------------------------------------------------ answering


async def test_what_needs_no_task_is_answered_at_once_and_in_order() -> None:
    async with dispatching(Talk(echo=echo)) as (dispatcher, lines):
        ask(dispatcher, 1, "initialize")
        ask(dispatcher, "1", "ping")
        ask(dispatcher, 2, "nowhere")
        dispatcher.receive(Refusal(id=None, code=-32700, message="Parse error: x"))
        dispatcher.receive(Refusal(id="r", code=-32600, message="Invalid Request: x"))

    assert lines.messages == [
        {"jsonrpc": "2.0", "id": 1, "result": {"pong": True}},
        {"jsonrpc": "2.0", "id": "1", "result": {"pong": True}},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "error": {"code": -32601, "message": "Method not found", "data": "nowhere"},
        },
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error: x"}},
        {"jsonrpc": "2.0", "id": "r", "error": {"code": -32600, "message": "Invalid Request: x"}},
    ]


@given(schedule=st.random_module(), count=st.integers(1, 100), limit=st.integers(1, 8))
async def test_every_request_is_answered_once_and_admitted_in_order(
    schedule: object, count: int, limit: int
) -> None:
    talk = Talk(echo=echo)
    async with dispatching(talk, quota=Quota(max_running=limit, max_waiting=100)) as (
        dispatcher,
        lines,
    ):
        for number in range(count):
            ask(dispatcher, number, params={"n": number})
        await dispatcher.wait_idle()

    assert talk.admitted == [("echo", {"n": number}) for number in range(count)]
    assert sorted(message["id"] for message in lines.messages) == list(range(count))
    assert lines.answers == {number: {"n": number} for number in range(count)}
    assert lines.waits == 0


async def test_idle_is_also_who_was_never_asked() -> None:
    async with dispatching(Talk()) as (dispatcher, _):
        with trio.testing.assert_checkpoints():
            await dispatcher.wait_idle()


async def test_what_a_handler_sends_comes_before_its_answer_and_nothing_after_it() -> None:
    late: list[Call] = []

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        late.append(call)
        await call.notify("notifications/progress", {"progress": 1})
        await call.notify("notifications/progress", {"progress": 2})
        return {"id": call.id}

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, "w", "work")
        await dispatcher.wait_idle()
        with trio.testing.assert_checkpoints():
            await late[0].notify("notifications/progress", {"progress": 3})
        with pytest.raises(RpcError, match="cancelled or answered"):
            await late[0].request("ask", {})

    assert [message.get("params", message.get("result")) for message in lines.messages] == [
        {"progress": 1},
        {"progress": 2},
        {"id": "w"},
    ]
    assert lines.waits == 1


async def test_an_answer_beyond_the_frame_is_an_error_instead() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        await call.notify("notifications/message", {"data": "x" * 2000})
        return {"text": "x" * 2000}

    quota = Quota(max_line_bytes=1000)
    async with dispatching(Talk(big=handler), quota=quota) as (dispatcher, lines):
        ask(dispatcher, 1, "big")
        await dispatcher.wait_idle()

    (message,) = lines.messages
    assert message["error"]["code"] == -32603
    assert message["error"]["data"] == {
        "code": "frame-bytes-exceeded",
        "bytes": 2046,
        "maxBytes": 1000,
    }


# ------------------------------------------------------------------------------ how much


async def test_so_many_run_so_many_wait_and_the_next_is_refused() -> None:
    async with dispatching(Talk(wait=forever)) as (dispatcher, lines):
        for number in range(64 + 256):
            ask(dispatcher, number, "wait")
        await settle()
        assert (lines.messages, dispatcher.is_crowded) == ([], True)
        ask(dispatcher, "one more", "wait")
        ask(dispatcher, "p", "ping")
        await settle()

        assert lines.answers == {
            "one more": {
                "code": -32000,
                "message": "server-busy: 64 calls run and 256 wait on this connection; try again"
                " when some of them have been answered",
                "data": {"code": "server-busy", "maxRunning": 64, "maxWaiting": 256},
            },
            "p": {"pong": True},
        }
        lines.lines.clear()
        # One that ends makes room for one that waits, one that waits is cancelled for nothing.
        cancel(dispatcher, 0)
        cancel(dispatcher, 319)
        await settle()
        ask(dispatcher, 320, "wait")
        ask(dispatcher, 321, "wait")
        ask(dispatcher, 322, "wait")
        await settle()
        assert list(lines.answers) == [322]


async def test_calls_that_wait_for_a_slow_client_count_as_running() -> None:
    quota = Quota(max_running=2, max_waiting=1)
    async with dispatching(Talk(echo=echo), quota=quota) as (dispatcher, lines):
        lines.gate = trio.Event()
        for number in range(4):
            ask(dispatcher, number)
        await settle()
        assert list(lines.answers) == [3]
        lines.gate.set()
        await dispatcher.wait_idle()
        assert sorted(str(id_) for id_ in lines.answers) == list("0123")


# ------------------------------------------------------------------------------ ids


async def test_a_second_request_with_an_id_in_flight_is_refused_and_the_first_is_answered() -> None:
    started = trio.Event()

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        await started.wait()
        return params

    quota = Quota(max_running=1)
    async with dispatching(Talk(work=handler), quota=quota) as (dispatcher, lines):
        ask(dispatcher, 1, "work", {"first": True})
        ask(dispatcher, "waits", "work")
        ask(dispatcher, 1, "work", {"first": False})
        ask(dispatcher, "waits", "ping")
        ask(dispatcher, "1", "ping")
        await settle()
        assert lines.messages.pop()["id"] == "1"
        assert [(message["id"], message.get("error")) for message in lines.messages[:2]] == [
            (id_, {"code": -32600, "message": f"Invalid Request: a request with the id {id_!r} is in flight"})
            for id_ in (1, "waits")
        ]  # fmt: skip
        lines.lines.clear()
        started.set()
        await dispatcher.wait_idle()
        assert lines.answers == {1: {"first": True}, "waits": {}}
        ask(dispatcher, 1, "work", {"again": True})
        await dispatcher.wait_idle()
        assert lines.answers[1] == {"again": True}


# ------------------------------------------------------------------------------ cancelling


async def test_a_cancelled_call_ends_and_is_not_answered() -> None:
    ended: list[object] = []

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        try:
            await trio.sleep_forever()
        finally:
            ended.append(call.id)

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        for id_ in (1, "1", 2):
            ask(dispatcher, id_, "work")
        await settle()
        cancel(dispatcher, "1")
        cancel(dispatcher, 2)
        await settle()
        assert ended in (["1", 2], [2, "1"])
        strangers: list[object] = [3, "2", None, True, 1.0, [1], {}, "1", 2]
        for stranger in strangers:
            cancel(dispatcher, stranger)
        dispatcher.receive(Notification(method="notifications/cancelled", params={}))
        await settle()
        assert len(ended) == 2
    dispatcher.answer_unfinished()

    assert list(lines.answers) == [1]


async def test_a_call_may_be_cancelled_before_its_first_step() -> None:
    begun: list[object] = []

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        begun.append(call.id)
        return {}

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        cancel(dispatcher, 1)
        await dispatcher.wait_idle()

    assert (begun, lines.messages) == ([], [])


async def test_a_handler_that_swallows_the_cancellation_is_not_answered_either() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        with trio.CancelScope() as scope:
            await trio.sleep_forever()
        assert not scope.cancelled_caught
        raise AssertionError

    async def swallow(params: JsonObject, call: Call) -> JsonObject:
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            with trio.CancelScope(shield=True):
                await call.notify("notifications/progress", {"progress": 1})
                with pytest.raises(RpcError):
                    await call.request("ask", {})
        return {"swallowed": True}

    async with dispatching(Talk(work=handler, swallow=swallow)) as (dispatcher, lines):
        ask(dispatcher, 1, "swallow")
        ask(dispatcher, 2, "work")
        await settle()
        cancel(dispatcher, 1)
        cancel(dispatcher, 2)
        await dispatcher.wait_idle()

    assert lines.messages == []


async def test_an_answer_that_waits_for_the_client_is_withdrawn() -> None:
    async with dispatching(Talk(echo=echo)) as (dispatcher, lines):
        lines.gate = trio.Event()
        ask(dispatcher, 1)
        ask(dispatcher, 2)
        await settle()
        cancel(dispatcher, 1)
        lines.gate.set()
        await dispatcher.wait_idle()

    assert list(lines.answers) == [2]


async def test_initialize_is_not_cancelled() -> None:
    go = trio.Event()

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        await go.wait()
        return {}

    async with dispatching(Talk(initialize=handler)) as (dispatcher, lines):
        ask(dispatcher, 1, "initialize")
        await settle()
        cancel(dispatcher, 1)
        go.set()
        await dispatcher.wait_idle()

    assert lines.answers == {1: {}}


@given(
    schedule=st.random_module(),
    cancelled=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=40),
)
async def test_whatever_is_cancelled_the_rest_is_answered_once(
    schedule: object, cancelled: list[tuple[int, int]]
) -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        for _ in range(3):
            await trio.lowlevel.checkpoint()
        return params

    quota = Quota(max_running=4, max_waiting=30)
    async with dispatching(Talk(work=handler), quota=quota) as (dispatcher, lines):
        for number in range(30):
            ask(dispatcher, number, "work")
        for id_, steps in cancelled:
            before = set(lines.answers)
            cancel(dispatcher, id_)
            for _ in range(steps):
                await trio.lowlevel.checkpoint()
            assert id_ in before or id_ not in lines.answers
        await dispatcher.wait_idle()

    ids = [message["id"] for message in lines.messages]
    assert len(ids) == len(set(ids))
    assert set(range(30)) - {id_ for id_, _ in cancelled} <= set(ids)


# ------------------------------------------------------------------------------ telling


async def test_the_conversation_can_tell_its_client_something_at_any_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    talk = Talk()
    async with dispatching(talk) as (_, lines):
        assert talk.audience is not None
        talk.audience.tell("notifications/tools/list_changed", {})
        talk.audience.tell("notifications/bad", {"a": object()})
        lines.posted_bytes = MAX_UNREAD_BYTES + 1
        talk.audience.tell("notifications/tools/list_changed", {})

    assert [message["method"] for message in lines.messages] == ["notifications/tools/list_changed"]
    assert [record.getMessage() for record in caplog.records] == [
        "notifications/bad was dropped: Object of type object is not JSON serializable",
        "notifications/tools/list_changed was dropped: the client does not read",
    ]


# ------------------------------------------------------------------------------ ending


async def test_what_was_not_answered_is_an_error_in_the_end() -> None:
    quota = Quota(max_running=2)
    async with dispatching(Talk(wait=forever), quota=quota) as (dispatcher, lines):
        for number in range(4):
            ask(dispatcher, number, "wait")
        await settle()
        cancel(dispatcher, 1)
    dispatcher.answer_unfinished()

    assert set(lines.answers) == {0, 2, 3}
    assert lines.answers[0] == {
        "code": -32000,
        "message": "Connection closed: the server ended before the call did",
    }


async def test_a_call_that_never_ends_is_not_waited_for() -> None:
    async with dispatching(Talk(**{"subscriptions/listen": forever, "echo": echo})) as (
        dispatcher,
        lines,
    ):
        ask(dispatcher, 1, "subscriptions/listen")
        ask(dispatcher, 2)
        await dispatcher.wait_idle()
        assert list(lines.answers) == [2]
        await dispatcher.wait_idle()


async def test_calls_that_never_end_take_no_turn_from_others() -> None:
    talk = Talk(**{"subscriptions/listen": forever, "echo": echo, "wait": forever})
    quota = Quota(max_running=2, max_waiting=1, max_endless=3)
    async with dispatching(talk, quota=quota) as (dispatcher, lines):
        for number in range(4):
            ask(dispatcher, f"listens {number}", "subscriptions/listen")
        ask(dispatcher, 1)
        await settle()
        assert list(lines.answers) == ["listens 3", 1]
        assert "server-busy: 3 streams" in lines.answers["listens 3"]["message"]
        lines.lines.clear()
        for number in (2, 3, 4):
            ask(dispatcher, number, "wait")
        # One that never ends and does makes no room for a call.
        cancel(dispatcher, "listens 0")
        await settle()
        ask(dispatcher, 5, "wait")
        ask(dispatcher, "listens again", "subscriptions/listen")
        await settle()
        assert list(lines.answers) == [5]
        assert "server-busy" in lines.answers[5]["message"]
