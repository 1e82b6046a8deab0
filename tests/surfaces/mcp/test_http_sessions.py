"""Sessions over HTTP: what is asked and told in them, and how they end."""

from __future__ import annotations

import json
from typing import cast

import pytest
import trio
import trio.testing

from actors.testing import Extent, Leaks, strike_every_step
from tests.surfaces.mcp.http_caller import (
    Reading,
    call,
    calling,
    notification,
    request,
)
from tests.surfaces.mcp.http_service import Service, Slow, report
from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.rpc import (
    CONNECTION_CLOSED,
    JsonObject,
)
from trio_agent.surfaces.mcp.subscriptions import Change

# -------------------------------------------------------------------- questions, changes


async def test_a_question_goes_out_on_the_stream_of_its_call_and_its_answer_comes_back() -> None:
    async def ask(arguments: JsonObject, exchange: Exchange) -> object:
        answer = await exchange.request("elicitation/create", {"message": arguments["text"]})
        return json.dumps(answer)

    async with calling(Service(ask=ask)) as caller:
        await caller.open()
        readings = [caller.start(call("ask", id_, text=f"no. {id_}")) for id_ in (1, 2)]
        questions: list[JsonObject] = []
        for id_, reading in enumerate(readings, 1):
            question = (await reading.until(2))[1].data
            assert question is not None
            assert question["method"] == "elicitation/create"
            assert question["params"] == {"message": f"no. {id_}"}
            questions.append(question)
        assert questions[0]["id"] != questions[1]["id"]
        for question in reversed(questions):
            answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"for": question["id"]}}
            assert (await caller.ask(answer)).status == 202
        for question, reading in zip(questions, readings, strict=True):
            await reading.done()
            assert json.loads(reading.text) == {"for": question["id"]}


async def test_changes_are_told_on_the_session_s_own_stream_of_which_there_is_one() -> None:
    service = Service()
    async with calling(service) as caller:
        await caller.open()
        service.changes.publish(Change("tools", is_list=True))
        own = caller.start(method="GET")
        while not own.status:
            await own.news.wait()
        second = await caller.ask(method="GET")
        await caller.ask(request("resources/subscribe", {"uri": "x://a"}))
        for uri in ("x://a", "x://b"):
            service.changes.publish(Change(uri, is_list=False))
        service.changes.publish(Change("prompts", is_list=True))
        events = await own.until(3)
        own.gone.set()
        await trio.testing.wait_all_tasks_blocked()
        service.changes.publish(Change("tools", is_list=True))
        back = caller.start(method="GET", last_event_id=events[-1].id)
        await back.until(2)

    assert second.status == 409
    # What was told before anybody read is not kept: who begins fetches everything anyway.
    assert [event.data and event.data["method"] for event in events[1:]] == [
        "notifications/resources/updated",
        "notifications/prompts/list_changed",
    ]
    assert back.last["method"] == "notifications/tools/list_changed"


async def test_get_answers_with_a_stream_only() -> None:
    async with calling(Service()) as caller:
        await caller.open()
        assert (await caller.ask(method="GET", accept="application/json")).status == 406


async def test_an_ended_session_is_told_of_nothing() -> None:
    service = Service()
    async with calling(service) as caller:
        await caller.open()
        await caller.ask(method="DELETE")
        service.changes.publish(Change("tools", is_list=True))

    assert not service.changes._audiences


# -------------------------------------------------------------------------------- the end


async def test_when_the_app_ends_who_still_waits_is_told() -> None:
    slow = Slow()
    async with calling(Service(slow=slow)) as caller:
        await caller.open()
        readings = [caller.start(call("slow", id_)) for id_ in range(65)]
        await trio.testing.wait_all_tasks_blocked(0.1)
        caller.app.end()
        await caller.app.wait_quiet()
        refused = await caller.ask(request("ping"))

    assert {reading.error["code"] for reading in readings} == {CONNECTION_CLOSED}
    assert refused.status == 503


async def test_news_are_dropped_while_a_client_leaves_a_lot_unread(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = Service()
    async with calling(service) as caller:
        await caller.open()
        own = caller.start(method="GET")
        await own.until(1)
        own.reading = trio.Event()
        uri = "x" * 100_000
        await caller.ask(request("resources/subscribe", {"uri": uri}))
        for _ in range(30):
            service.changes.publish(Change(uri, is_list=False))
        own.reading.set()
        await trio.testing.wait_all_tasks_blocked()

    assert 10 < len(own.events) < 15
    assert "the client does not read" in caplog.text


async def test_a_handler_may_set_the_level_too() -> None:
    async def hush(arguments: JsonObject, exchange: Exchange) -> object:
        exchange.set_log_level("error")
        return exchange.log_level

    async with calling(Service(hush=hush)) as caller:
        await caller.open()
        assert (await caller.ask(call("hush", 2))).text == "error"


async def test_news_that_are_no_json_are_dropped(caplog: pytest.LogCaptureFixture) -> None:
    service = Service()
    async with calling(service) as caller:
        await caller.open()
        for audience in service.changes._audiences:
            audience.tell("notifications/message", {"data": {1}})

    assert "notifications/message was dropped" in caplog.text


# -------------------------------------------------------------------------------- strikes


def test_cancelled_at_any_step_it_leaves_nothing_behind() -> None:
    async def nap(arguments: JsonObject, exchange: Exchange) -> object:
        await trio.sleep(cast("float", arguments["s"]))
        return "slept"

    async def main(extent: Extent) -> list[Reading]:
        readings: list[Reading] = []
        service = Service(report=report, nap=nap)
        with extent:
            async with calling(service) as caller:
                await caller.open()
                readings.append(caller.start(call("report", 2, steps=3)))
                readings.append(caller.start(call("nap", 3, s=0.2)))
                readings.append(caller.start(method="GET"))
                lost = caller.start(call("nap", 4, s=0.3))
                event = (await lost.until(1))[0]
                lost.gone.set()
                service.changes.publish(Change("tools", is_list=True))
                readings.append(caller.start(method="GET", last_event_id=event.id))
                caller.start(call("nap", 5, s=60))
                await caller.ask(notification("notifications/cancelled", {"requestId": 5}))
                await readings[0].done()
                await readings[1].done()
                await readings[3].done()
                await caller.ask(method="DELETE")
                await readings[2].done()
        return readings

    steps = 0
    for attempt in strike_every_step(main):
        steps += attempt.place is not None
        assert attempt.leaks == Leaks(), f"{attempt.place}: {attempt.leaks}"
        for reading in attempt.result:
            numbers = [event.id for event in reading.events]
            assert len(numbers) == len(set(numbers))
        if attempt.place is None:
            report_, nap_, own, back = attempt.result
            assert (report_.text, nap_.text, back.text) == ("reported", "slept", "slept")
            assert own.last["method"] == "notifications/tools/list_changed"
    assert steps > 30
