"""Tasks as the extension of 2026-07-28 has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.surfaces.mcp.http_caller import ENVELOPE, calling, modern, request
from tests.surfaces.mcp.tasks.asking_tasks import CAPABILITIES, MODERN, Mill, milling, open_mill
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.surfaces.mcp.tasks.wire import EXTENSION


@pytest.fixture
def mill() -> Iterator[McpService]:
    yield from open_mill()


def declaring(method: str, params: JsonObject | None = None) -> JsonObject:
    capabilities: JsonObject = {
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}}
    }
    return request(method, {**(params or {}), "_meta": {**ENVELOPE, **capabilities}})


async def refused(asking: Any) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await asking
    return caught.value


async def begin(one: Mill, name: str, **arguments: Any) -> str:
    created = await one.call(name, **arguments)
    assert created["resultType"] == "task"
    return str(created["taskId"])


async def test_the_server_decides_that_a_call_runs_as_a_task(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill, client=MODERN) as one:
        created = await one.call("grind", seconds=20, steps=2)
        assert set(created) == {
            *("resultType", "taskId", "status", "createdAt", "lastUpdatedAt"),
            *("ttlMs", "pollIntervalMs"),
        }
        assert (created["ttlMs"], created["pollIntervalMs"]) == (300_000, 1000)
        await trio.sleep(15)
        half = await one.get(created["taskId"])
        assert (half["status"], half["statusMessage"]) == ("working", "step 1")
        assert half["_meta"]["trio-agent/progress"]["progress"] == 1
        assert "result" not in half
        await trio.sleep(6)
        done = await one.get(created["taskId"])
        assert done["status"] == "completed"
        assert done["result"] == {
            "resultType": "complete",
            "content": [{"type": "text", "text": "Ground in 2."}],
            "structuredContent": {"steps": 2},
        }


async def test_a_tool_that_says_it_failed_completed_all_the_same(mill: McpService) -> None:
    async with milling(mill, client=MODERN) as one:
        id_ = await begin(one, "spill")
        await wait_all_tasks_blocked()
        task = await one.get(id_)
        assert (task["status"], task["result"]["isError"]) == ("completed", True)
        assert "error" not in task


async def test_an_error_of_the_protocol_fails_the_task(mill: McpService) -> None:
    async with milling(mill, client=MODERN) as one:
        id_ = await begin(one, "look_around")
        await wait_all_tasks_blocked()
        task = await one.get(id_)
        assert (task["status"], task["error"]["code"]) == ("failed", -32021)
        assert task["statusMessage"] == task["error"]["message"]
        assert "result" not in task


async def test_a_cancellation_is_acknowledged_also_when_it_comes_too_late(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill, client=MODERN) as one:
        id_ = await begin(one, "grind", seconds=60)
        assert await one.cancel(id_) == {}
        task = await one.get(id_)
        assert task["status"] == "cancelled"
        assert task.keys().isdisjoint({"result", "error", "inputRequests"})
        assert await one.cancel(id_) == {}


async def test_questions_are_answered_one_by_one_with_update(mill: McpService) -> None:
    def answer(kind: str) -> JsonObject:
        return {"action": "accept", "content": {"kind": kind}}

    async with milling(mill, client=MODERN) as one:
        id_ = await begin(one, "ask", about=["flour", "salt"])
        await wait_all_tasks_blocked()
        task = await one.get(id_)
        assert task["status"] == "input_required"
        # Which of two that stand beside each other asks first is up to the scheduler.
        about = {ask["params"]["message"]: key for key, ask in task["inputRequests"].items()}
        first, second = about["Which flour?"], about["Which salt?"]
        assert task["inputRequests"][first]["method"] == "elicitation/create"
        ack = await one.ask("tasks/update", taskId=id_, inputResponses={first: answer("rye")})
        assert ack == {}
        assert list((await one.get(id_))["inputRequests"]) == [second]
        late = {first: answer("oat"), second: answer("sea"), "unknown": {}}
        await one.ask("tasks/update", taskId=id_, inputResponses=late)
        await wait_all_tasks_blocked()
        done = await one.get(id_)
        assert [block["text"] for block in done["result"]["content"]] == ["flour: rye", "salt: sea"]
        assert await one.ask("tasks/update", taskId=id_, inputResponses=late) == {}


@pytest.mark.parametrize("responses", [None, [], {"question-1": 7}])
async def test_answers_that_make_no_sense_are_refused(mill: McpService, responses: object) -> None:
    async with milling(mill, client=MODERN) as one:
        id_ = await begin(one, "ask", about=["flour"])
        error = await refused(one.ask("tasks/update", taskId=id_, inputResponses=responses))
        assert error.code == -32602


async def test_a_question_may_come_before_the_task(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill, client=MODERN) as one:
        params: JsonObject = {"name": "ask_first", "arguments": {"seconds": 9, "again": True}}
        asked = await one.ask("tools/call", **params)
        assert asked["resultType"] == "input_required"
        assert "taskId" not in asked
        assert mill.tasks is not None
        assert not await mill.tasks.store.sweep(0)
        (key,) = asked["inputRequests"]
        answer = {"action": "accept", "content": {"name": "Ada"}}
        params |= {"inputResponses": {key: answer}, "requestState": asked["requestState"]}
        created = await one.ask("tools/call", **params)
        assert created["resultType"] == "task"
        # What it asks later is asked by the task.
        await trio.sleep(10)
        (key,) = (await one.get(created["taskId"]))["inputRequests"]
        await one.ask("tasks/update", taskId=created["taskId"], inputResponses={key: answer})
        await trio.sleep(1)
        assert (await one.get(created["taskId"]))["result"]["content"][0]["text"] == "Ada"


async def test_a_client_that_leaves_before_there_is_a_task_leaves_nothing_behind(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill, client=MODERN) as one:
        asked = await one.call("ask_first", seconds=9)
        (key,) = asked["inputRequests"]
        with trio.move_on_after(0.1):
            await one.ask(
                "tools/call",
                name="ask_first",
                arguments={"seconds": 9},
                inputResponses={key: {"action": "decline"}},
                requestState=asked["requestState"],
            )
        await wait_all_tasks_blocked()
        assert mill.tasks is not None
        assert not mill.tasks.runs
        assert not await mill.tasks.store.sweep(0)


async def test_who_does_not_know_tasks_gets_ordinary_answers_or_is_told_what_it_lacks(
    mill: McpService,
) -> None:
    ordinary = Client(version_spoken="2026-07-28", name="host", capabilities=CAPABILITIES)
    async with milling(mill, client=ordinary) as one:
        assert "content" in await one.call("grind")
        assert "content" in await one.call("weigh", {})
        lacking: JsonObject = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        for asking in (
            one.call("spill"),
            one.get("x"),
            one.cancel("x"),
            one.ask("tasks/update", taskId="x", inputResponses={}),
        ):
            error = await refused(asking)
            assert (error.code, error.data) == (-32021, lacking)


async def test_methods_of_the_other_era_are_unknown(mill: McpService) -> None:
    async with calling(mill) as caller:
        await caller.open()
        assert (await caller.ask(request("tasks/update"))).error["code"] == -32601
        for method in ("tasks/result", "tasks/list"):
            answer = await caller.ask_modern(declaring(method, {"taskId": "x"}))
            assert (answer.status, answer.error["code"]) == (404, -32601)
        assert (await caller.ask_modern(modern("server/discover"))).result[
            "resultType"
        ] == "complete"


async def test_a_task_outlives_the_connection_it_was_asked_for_on(mill: McpService) -> None:
    async with calling(mill) as caller:
        message = declaring("tools/call", {"name": "grind", "arguments": {}})
        id_ = (await caller.ask_modern(message)).result["taskId"]
        await wait_all_tasks_blocked()
        found = await caller.ask_modern(declaring("tasks/get", {"taskId": id_}))
        assert (found.result["status"], found.result["resultType"]) == ("completed", "complete")
