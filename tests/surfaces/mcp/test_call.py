from __future__ import annotations

import logging

import pytest
import trio

from tests.surfaces.mcp.talking import Talk, ask, cancel, dispatching, echo, settle
from trio_agent.surfaces.mcp.exchange import Call
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.wire.dispatcher import Quota
from trio_agent.surfaces.mcp.wire.jsonrpc import Notification, Response

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
        ExceptionGroup("two", [RpcError(-32602, "one of two"), ValueError("secret")]),
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


async def test_a_group_of_cancellations_is_a_cancellation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def handler(params: JsonObject, call: Call) -> JsonObject:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(trio.sleep_forever)
        return {}

    async with dispatching(Talk(work=handler)) as (dispatcher, lines):
        ask(dispatcher, 1, "work")
        await settle()
        cancel(dispatcher, 1)
        await dispatcher.wait_idle()

    assert (lines.messages, caplog.records) == ([], [])


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
