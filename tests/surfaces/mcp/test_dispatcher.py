from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from actors import open_supervisor
from tests.surfaces.mcp.talking import Lines, Talk, echo, forever
from trio_agent.surfaces.mcp.dispatcher import MAX_UNREAD_BYTES, Dispatcher, Quota
from trio_agent.surfaces.mcp.exchange import Call
from trio_agent.surfaces.mcp.jsonrpc import Notification, Refusal, Request, Response
from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId, RpcError


@asynccontextmanager
async def dispatching(
    talk: Talk, *, quota: Quota | None = None
) -> AsyncGenerator[tuple[Dispatcher, Lines], None]:
    lines = Lines()
    async with open_supervisor() as calls:
        yield Dispatcher(talk, lines, calls, quota), lines
        calls.stop()


def ask(
    dispatcher: Dispatcher, id_: RequestId, method: str = "echo", params: JsonObject | None = None
) -> None:
    dispatcher.receive(Request(id=id_, method=method, params=params or {}))


def cancel(dispatcher: Dispatcher, id_: object) -> None:
    params: JsonObject = {"requestId": id_, "reason": "bored"}
    dispatcher.receive(Notification(method="notifications/cancelled", params=params))


async def settle() -> None:
    await trio.testing.wait_all_tasks_blocked()


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
        raise AssertionError

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        for id_ in (1, "1", 2):
            ask(dispatcher, id_, "work")
        await settle()
        cancel(dispatcher, "1")
        cancel(dispatcher, 2)
        await settle()
        assert ended in (["1", 2], [2, "1"])
        for nobody in (3, "2", None, True, 1.0, [1], {}, "1", 2):
            cancel(dispatcher, nobody)
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


# ------------------------------------------------------------------------------ failing


async def test_an_rpc_error_is_the_answer() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        raise RpcError(-32602, "no such tool", {"name": "x"})

    async def grouped(params: JsonObject, call: Call) -> JsonObject:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(handler, params, call)
        raise AssertionError

    async with dispatching(Talk(work=handler, grouped=grouped)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        ask(dispatcher, 2, "grouped")
        await dispatcher.wait_idle()

    wire = {"code": -32602, "message": "no such tool", "data": {"name": "x"}}
    assert lines.answers == {1: wire, 2: wire}


@pytest.mark.parametrize(
    "error",
    [
        ValueError("secret"),
        SystemExit(3),
        ExceptionGroup("two", [ValueError("secret"), KeyError("secret")]),
        BaseExceptionGroup("two", [SystemExit(2), ValueError("secret")]),
        BaseExceptionGroup("one", [SystemExit(2)]),
    ],
)
async def test_whatever_a_handler_raises_the_session_goes_on(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        raise error

    async with dispatching(Talk(work=handler, echo=echo)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        await dispatcher.wait_idle()
        ask(dispatcher, 2)
        await dispatcher.wait_idle()

    assert lines.answers == {1: {"code": -32603, "message": "Internal server error"}, 2: {}}
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("trio_agent.mcp", logging.ERROR)
    assert record.getMessage() == "work, request 1, failed"
    assert record.exc_info is not None
    assert record.exc_info[1] is error


async def test_a_result_that_is_no_json_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        return {"a": float("nan")}

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        ask(dispatcher, 2, "unwritable")
        ask(dispatcher, 3, "bug")
        await dispatcher.wait_idle()

    internal = {"code": -32603, "message": "Internal server error"}
    assert lines.answers == {1: internal, 2: internal, 3: internal}
    assert len(caplog.records) == 3


async def test_a_group_with_a_cancellation_passes_and_the_failure_in_it_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail_in_cleanup() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("in a cleanup")

    async def handler(params: JsonObject, call: Call) -> JsonObject:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fail_in_cleanup)
            nursery.start_soon(sys_exit_in_cleanup)
            await trio.sleep_forever()
        raise AssertionError

    async def sys_exit_in_cleanup() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise SystemExit(3)

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        await settle()
        cancel(dispatcher, 1)
        await dispatcher.wait_idle()

    assert lines.messages == []
    assert len(caplog.records) == 1


async def test_a_keyboard_interrupt_passes() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        raise KeyboardInterrupt

    async def grouped(params: JsonObject, call: Call) -> JsonObject:
        raise BaseExceptionGroup("", [KeyboardInterrupt(), ValueError()])

    for failing in (handler, grouped):
        with pytest.RaisesGroup(KeyboardInterrupt, flatten_subgroups=True):
            async with dispatching(Talk(work=failing)) as (dispatcher, _):
                ask(dispatcher, 1, "work")
                await trio.sleep_forever()


async def test_a_notification_that_fails_is_logged_and_that_is_all(
    caplog: pytest.LogCaptureFixture,
) -> None:
    talk = Talk()
    async with dispatching(talk) as (dispatcher, lines):
        dispatcher.receive(Notification(method="bug", params={}))
        dispatcher.receive(Notification(method="notifications/initialized", params={"a": 1}))

    assert talk.received == [("bug", {}), ("notifications/initialized", {"a": 1})]
    assert lines.messages == []
    assert [record.getMessage() for record in caplog.records] == ["bug failed"]


# ------------------------------------------------------------------------------ asking the client


async def test_the_client_is_asked_and_its_answer_comes_back() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        first = await call.request("elicitation/create", {"message": "?"})
        try:
            await call.request("sampling/createMessage", {})
        except RpcError as error:
            return {"first": first, "second": error.to_wire()}
        raise AssertionError

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        await settle()
        assert lines.messages == [
            {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"message": "?"}}
        ]
        for stray in (Response(id=None), Response(id="1", result={}), Response(id=2, result={})):
            dispatcher.receive(stray)
        dispatcher.receive(Response(id=1, result={"action": "accept"}))
        dispatcher.receive(Response(id=1, result={"action": "late"}))
        await settle()
        dispatcher.receive(Response(id=2, error=RpcError(-1, "no")))
        await dispatcher.wait_idle()

    assert lines.messages[-1]["result"] == {
        "first": {"action": "accept"},
        "second": {"code": -1, "message": "no"},
    }


async def test_a_question_that_nobody_waits_for_any_more_is_cancelled_at_the_client() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        with trio.move_on_after(5):
            await call.request("elicitation/create", {})
        return {}

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, 7, "work")
        await settle()
        cancel(dispatcher, 7)
        await dispatcher.wait_idle()
        dispatcher.receive(Response(id=1, result={}))

    assert [message["method"] for message in lines.messages] == [
        "elicitation/create",
        "notifications/cancelled",
    ]
    assert lines.messages[1]["params"]["requestId"] == 1


async def test_a_client_that_can_not_answer_any_more_is_an_error_for_who_asks() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        seen: list[object] = []
        for _ in range(2):
            try:
                await call.request("roots/list", {})
            except RpcError as error:
                seen.append(error.code)
        return {"seen": seen}

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        await settle()
        dispatcher.end_input()
        await dispatcher.wait_idle()

    assert lines.messages[-1]["result"] == {"seen": [-32000, -32000]}
    assert len(lines.messages) == 2


async def test_a_question_beyond_the_frame_is_an_error_for_who_asks() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        await call.request("sampling/createMessage", {"text": "x" * 2000})
        raise AssertionError

    quota = Quota(max_line_bytes=1000)
    async with dispatching(Talk(work=handler), quota=quota) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        await dispatcher.wait_idle()
        dispatcher.end_input()

    (message,) = lines.messages
    assert message["error"]["data"]["code"] == "frame-bytes-exceeded"


async def test_a_client_may_answer_with_an_empty_result() -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        return {"got": await call.request("ping", {})}

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, "a", "work")
        await settle()
        dispatcher.receive(Response(id=1, result={}))
        await dispatcher.wait_idle()

    assert lines.messages[-1]["result"] == {"got": {}}


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
