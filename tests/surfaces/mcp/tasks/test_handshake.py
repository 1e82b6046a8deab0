"""Tasks as 2025-11-25 has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from tests.surfaces.mcp.asking import Asker
from tests.surfaces.mcp.tasks.asking_tasks import Ear, Mill, milling, open_mill
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.rpc import CONNECTION_CLOSED, JsonObject, RpcError
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.surfaces.mcp.tasks.settings import TaskSettings

RELATED = "io.modelcontextprotocol/related-task"


@pytest.fixture
def mill() -> Iterator[McpService]:
    yield from open_mill()


class Patient:
    """A client that never answers."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.is_asked = trio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.asker, name)

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        self.is_asked.set()
        await trio.sleep_forever()


async def refused(asking: Any) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await asking
    return caught.value


def listener(mill: Mill) -> Ear:
    assert isinstance(mill.asker.audience, Ear)
    return mill.asker.audience


async def test_only_sessions_of_2025_11_25_are_told_of_tasks(mill: McpService) -> None:
    def told(version: str) -> Any:
        return mill.introduction(version)["capabilities"]

    assert {"tasks", "extensions"}.isdisjoint(told("2025-06-18"))
    assert told("2025-11-25")["tasks"] == {
        "cancel": {},
        "list": {},
        "requests": {"tools": {"call": {}}},
    }
    assert told("2026-07-28")["extensions"] == {"io.modelcontextprotocol/tasks": {}}
    assert "tasks" not in told("2026-07-28")


async def test_a_listing_says_which_tools_may_be_tasks_to_those_who_can_use_it(
    mill: McpService,
) -> None:
    async def support(version: str) -> dict[str, Any]:
        asker = Asker(client=Client(version_spoken=version, name="host"))
        listed: Any = await mill.handle("tools/list", {}, asker)
        return {tool["name"]: tool.get("execution") for tool in listed["tools"]}

    seen = await support("2025-11-25")
    assert seen["grind"] == {"taskSupport": "optional"}
    assert seen["spill"] == {"taskSupport": "required"}
    assert seen["weigh"] is None
    assert set((await support("2025-06-18")).values()) == {None}
    assert set((await support("2026-07-28")).values()) == {None}


async def test_a_task_is_there_at_once_and_works_on_behind(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        began = trio.current_time()
        created = await one.call("grind", {"ttl": 60_000}, seconds=20, steps=2)
        assert trio.current_time() == began
        task = created["task"]
        assert re.fullmatch("[0-9a-f]{32}", task["taskId"])
        assert (task["status"], task["ttl"], task["pollInterval"]) == ("working", 60_000, 1000)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", task["createdAt"])
        assert task["lastUpdatedAt"] == task["createdAt"]
        immediate = created["_meta"]["io.modelcontextprotocol/model-immediate-response"]
        assert task["taskId"] in immediate
        assert set(task) == {
            *("taskId", "status", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"),
        }


@pytest.mark.parametrize(
    ("wish", "ttl", "poll"),
    [
        ({}, 300_000, 1000),
        ({"ttl": None}, 300_000, 1000),
        ({"ttl": 48 * 3_600_000, "pollInterval": 10}, 86_400_000, 100),
        ({"ttl": 0, "pollInterval": 2500.7}, 0, 2500),
        ({"ttl": 1e300, "pollInterval": 1e300}, 86_400_000, 86_400_000),
    ],
)
async def test_what_is_wished_is_kept_within_bounds(
    mill: McpService, wish: dict[str, object], ttl: int, poll: int
) -> None:
    async with milling(mill) as one:
        task = (await one.call("grind", wish, seconds=9))["task"]
        assert (task["ttl"], task["pollInterval"]) == (ttl, poll)


@pytest.mark.parametrize("wish", [[], "now", {"ttl": -1}, {"ttl": "1"}, {"pollInterval": True}])
async def test_a_wish_that_makes_no_sense_is_refused(mill: McpService, wish: Any) -> None:
    async with milling(mill) as one:
        assert (await refused(one.call("grind", wish))).code == -32602


async def test_progress_is_in_the_status_with_and_without_a_token_and_stays_after_the_end(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", seconds=10, steps=2)
        await trio.sleep(6)
        half = await one.get(id_)
        assert (half["status"], half["statusMessage"]) == ("working", "step 1")
        assert half["_meta"] == {
            "trio-agent/progress": {"progress": 1, "total": 2, "message": "step 1"}
        }
        assert half["lastUpdatedAt"] > half["createdAt"]
        await trio.sleep(6)
        done = await one.get(id_)
        assert (done["status"], done["statusMessage"]) == ("completed", "step 2")
        assert done["_meta"]["trio-agent/progress"]["progress"] == 2
        assert listener(one).told == [("notifications/tasks/status", done)]


async def test_a_token_is_good_for_as_long_as_the_task_works(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill, meta={"progressToken": "t"}) as one:
        id_ = await one.begin("grind", seconds=10, steps=2)
        await one.result(id_)
        told = [params for method, params in listener(one).told if method.endswith("/progress")]
        assert told[0] == {
            "progressToken": "t",
            "progress": 1,
            "total": 2,
            "message": "step 1",
            "_meta": {RELATED: {"taskId": id_}},
        }


async def test_a_result_is_the_ordinary_one_and_says_which_task_it_is_of(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        ordinary = await one.call("grind", seconds=1, steps=2)
        id_ = await one.begin("grind", seconds=30, steps=2)
        began = trio.current_time()
        result = await one.result(id_)
        assert trio.current_time() == began + 30
        assert result == {**ordinary, "_meta": {RELATED: {"taskId": id_}}}
        assert await one.result(id_) == result


async def test_several_may_wait_for_one_result(mill: McpService, autojump_clock: MockClock) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", seconds=5)
        results: list[Any] = []

        async def fetch() -> None:
            results.append(await one.result(id_))

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(fetch)
        assert len(results) == 3
        assert results[0] == results[1] == results[2]


async def test_who_stops_waiting_for_a_result_stops_nothing_else(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", seconds=5)
        with trio.move_on_after(1):
            await one.result(id_)
        assert (await one.get(id_))["status"] == "working"
        assert "content" in await one.result(id_)


async def test_a_represented_error_is_a_failed_task_with_the_text(mill: McpService) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("spill")
        result = await one.result(id_)
        assert result["isError"] is True
        task = await one.get(id_)
        assert task["status"] == "failed"
        assert task["statusMessage"] == "So much for that.\n[E_SPILT] All on the floor."


async def test_what_a_tool_raises_is_the_result_of_its_task_and_of_nothing_else(
    mill: McpService, caplog: pytest.LogCaptureFixture
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("burst", text="x" * 9000)
        assert (await one.result(id_))["isError"] is True
        task = await one.get(id_)
        assert (task["status"], len(task["statusMessage"])) == ("failed", 2000)
        assert "content" in await one.result(await one.begin("grind"))
    assert "burst failed" in caplog.text


async def test_wrong_arguments_are_a_failed_task(mill: McpService) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", seconds="long")
        assert "Invalid arguments" in (await one.result(id_))["content"][0]["text"]
        assert (await one.get(id_))["status"] == "failed"


async def test_a_task_is_cancelled_before_the_answer_and_stays_so(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("stone")
        await wait_all_tasks_blocked()
        began = trio.current_time()
        told = await one.cancel(id_)
        assert (told["status"], told["taskId"]) == ("cancelled", id_)
        # Its cleanup takes three seconds, which nobody waits for.
        assert trio.current_time() == began
        assert (await one.get(id_))["status"] == "cancelled"
        result = await one.result(id_)
        assert result == {
            "content": [{"type": "text", "text": "The task was cancelled"}],
            "isError": True,
            "_meta": {RELATED: {"taskId": id_}},
        }
        await trio.sleep(10)
        assert (await one.get(id_))["status"] == "cancelled"
        assert listener(one).statuses == ["cancelled"]
        again = await refused(one.cancel(id_))
        assert (again.code, str(again)) == (
            -32602,
            "Cannot cancel task: it is cancelled already",
        )


async def test_a_cancelled_task_answers_who_waits_for_it(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", seconds=50)
        results: list[Any] = []

        async def fetch() -> None:
            results.append(await one.result(id_))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(fetch)
            await wait_all_tasks_blocked()
            await one.cancel(id_)
        assert results[0]["isError"] is True


async def test_a_finished_task_cannot_be_cancelled(mill: McpService) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind")
        await one.result(id_)
        error = await refused(one.cancel(id_))
        assert (error.code, str(error)) == (-32602, "Cannot cancel task: it is completed already")


async def test_tasks_are_listed_in_the_order_of_their_creation_page_by_page(
    mill: McpService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trio_agent.surfaces.mcp.tasks.office.PAGE_SIZE", 2)
    async with milling(mill) as one:
        ids = [await one.begin("grind", seconds=9) for _ in range(5)]
        listed: list[str] = []
        params: dict[str, object] = {}
        sizes = []
        while True:
            page = await one.ask("tasks/list", **params)
            listed += [task["taskId"] for task in page["tasks"]]
            sizes.append(len(page["tasks"]))
            if "nextCursor" not in page:
                break
            params = {"cursor": page["nextCursor"]}
        assert (listed, sizes) == (ids, [2, 2, 1])


@pytest.mark.parametrize("cursor", [7, "", "!", "dGFzay1w", "ü"])
async def test_a_cursor_of_somebody_elses_is_refused(mill: McpService, cursor: object) -> None:
    async with milling(mill) as one:
        assert (await refused(one.ask("tasks/list", cursor=cursor))).code == -32602


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
@pytest.mark.parametrize("id_", ["0" * 32, "", 7, None])
async def test_an_unknown_task_is_32602(mill: McpService, method: str, id_: object) -> None:
    async with milling(mill) as one:
        assert (await refused(one.ask(method, taskId=id_))).code == -32602


async def test_tools_and_calls_that_do_not_go_together_are_32601(mill: McpService) -> None:
    async with milling(mill) as one:
        assert (await refused(one.call("spill"))).code == -32601
        assert (await refused(one.call("weigh", {}))).code == -32601
        assert "content" in await one.call("weigh")
        older = one.seen_by(client=Client(version_spoken="2025-06-18"))
        assert (await refused(older.call("spill"))).code == -32601
        assert "content" in await older.call("weigh", {})
        assert "content" in await older.call("grind", {})
        for method in ("tasks/get", "tasks/result", "tasks/cancel", "tasks/list"):
            assert (await refused(older.ask(method, taskId="x"))).code == -32601


async def test_a_task_never_expires_while_it_works_and_goes_when_its_time_is_over(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", {"ttl": 5000}, seconds=40)
        await trio.sleep(39)
        assert (await one.get(id_))["status"] == "working"
        await trio.sleep(5)
        assert (await one.get(id_))["status"] == "completed"
        await trio.sleep(2)
        assert (await refused(one.get(id_))).code == -32602
        assert (await one.ask("tasks/list"))["tasks"] == []


async def test_an_idle_server_forgets_results_without_being_asked(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        await one.result(await one.begin("grind", {"ttl": 5000}))
        assert mill.tasks is not None
        store = mill.tasks.store
        assert await store.sweep(mill.tasks.now())
        await trio.sleep(120)
        assert not await store.sweep(0)


async def test_the_budget_bounds_the_render_and_not_the_request(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", seconds=90)
        began = trio.current_time()
        result = await one.result(id_)
        assert trio.current_time() == began + 60
        assert result["isError"] is True
        task = await one.get(id_)
        assert (task["status"], "time limit" in task["statusMessage"]) == ("failed", True)


async def test_the_log_of_a_task_goes_to_the_connection(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("stone")
        await wait_all_tasks_blocked()
        assert listener(one).told == [
            (
                "notifications/message",
                {"level": "info", "data": "turning", "_meta": {RELATED: {"taskId": id_}}},
            )
        ]
        assert one.asker.sent == []


async def test_a_question_of_a_task_is_asked_inside_of_the_request_for_its_result(
    mill: McpService,
) -> None:
    answers: Any = {"elicitation/create": [{"action": "accept", "content": {"kind": "rye"}}] * 2}
    async with milling(mill, queues=answers) as one:
        id_ = await one.begin("ask", about=["flour", "salt"])
        await wait_all_tasks_blocked()
        assert (await one.get(id_))["status"] == "input_required"
        assert one.asker.sent == []
        result = await one.result(id_)
        assert [block["text"] for block in result["content"]] == ["flour: rye", "salt: rye"]
        assert {params["_meta"][RELATED]["taskId"] for _, params in one.asker.sent} == {id_}  # type: ignore[index]
        assert listener(one).statuses == ["input_required", "working", "completed"]


async def test_a_client_that_refuses_a_question_fails_the_task_and_one_that_left_does_not(
    mill: McpService,
) -> None:
    answers: Any = {"elicitation/create": [RpcError(CONNECTION_CLOSED, "gone"), RpcError(-1, "no")]}
    async with milling(mill, queues=answers) as one:
        id_ = await one.begin("ask", about=["flour"])
        assert (await refused(one.result(id_))).code == CONNECTION_CLOSED
        assert (await one.get(id_))["status"] == "input_required"
        result = await one.result(id_)
        assert result["isError"] is True
        assert (await one.get(id_))["status"] == "failed"


async def test_a_question_that_nobody_needs_any_more_is_taken_back(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("ask", about=["flour"])
        asked = Patient(one.asker)
        waiting = Mill(one.service, cast("Asker", asked))
        results: list[Any] = []

        async def fetch() -> None:
            results.append(await waiting.result(id_))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(fetch)
            await asked.is_asked.wait()
            await one.cancel(id_)
        assert results[0]["isError"] is True


async def test_a_question_that_nobody_answers_ends(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("ask", {"ttl": 400_000}, about=["flour"])
        await trio.sleep(399)
        assert (await one.get(id_))["status"] == "input_required"
        await trio.sleep(2)
        task = await one.get(id_)
        assert task["status"] == "failed"
        assert "nobody answered within 400 seconds" in task["statusMessage"]


async def test_a_call_is_refused_when_all_tasks_of_its_client_work() -> None:
    for mill in open_mill(TaskSettings(max_tasks=2)):
        async with milling(mill) as one:
            first = await one.begin("grind", seconds=9)
            error = await refused(one.call("grind", {}))
            assert (error.code, error.data) == (-32000, {"code": "server-busy"})
            assert str(error).startswith("server-busy: 1 tasks of this client are kept")
            await one.cancel(first)
            await one.result(await one.begin("grind"))
            assert (await refused(one.get(first))).code == -32602


async def test_the_end_of_the_server_cancels_what_works(
    mill: McpService, autojump_clock: MockClock
) -> None:
    async with milling(mill) as one:
        id_ = await one.begin("grind", seconds=9)
        await wait_all_tasks_blocked()
    assert (await one.get(id_))["status"] == "cancelled"
