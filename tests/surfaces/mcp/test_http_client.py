"""A server on a real socket and the SDK's client, in the era that has sessions."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import mcp_types
import pytest
import trio
import trio.testing
from mcp.client.client import Client

from tests.surfaces.mcp.http_caller import OPENING, POSTED, call, request
from tests.surfaces.mcp.http_service import Service, serving
from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.http.app import HttpSettings
from trio_agent.surfaces.mcp.rpc import JsonObject
from trio_agent.surfaces.mcp.subscriptions import Change

# The client leaves the generators of its streams to the collector (its issue 3543).
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")


def words(result: object) -> str:
    return str(result.content[0].text)  # type: ignore[attr-defined]  # a text block


async def test_the_client_is_asked_in_the_middle_of_a_call() -> None:
    async def ask(arguments: JsonObject, exchange: Exchange) -> object:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        params: JsonObject = {"message": "Who?", "mode": "form", "requestedSchema": schema}
        return json.dumps(await exchange.request("elicitation/create", params))

    async def answer(context: object, params: object) -> mcp_types.ElicitResult:
        return mcp_types.ElicitResult(action="accept", content={"name": "Ada"})

    async with (
        serving(Service(ask=ask)) as base,
        Client(f"{base}/mcp", mode="legacy", elicitation_callback=answer) as client,
    ):
        answered = json.loads(words(await client.call_tool("ask", {})))

    assert answered == {"action": "accept", "content": {"name": "Ada"}}


async def test_the_client_comes_back_for_the_answer_by_itself() -> None:
    release = trio.Event()

    async def polled(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.end_stream()
        await release.wait()
        return "in the end"

    async with (
        serving(Service(polled=polled)) as base,
        Client(f"{base}/mcp", mode="legacy") as client,
    ):
        answers: list[object] = []

        async def call() -> None:
            answers.append(await client.call_tool("polled", {}))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(call)
            await trio.testing.wait_all_tasks_blocked(0.2)
            release.set()

    assert words(answers[0]) == "in the end"


async def test_changes_reach_the_client() -> None:
    service = Service()
    heard = trio.Event()

    async def hear(message: object) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            heard.set()

    async with (
        serving(service) as base,
        Client(f"{base}/mcp", mode="legacy", message_handler=hear),
    ):
        while not heard.is_set():
            service.changes.publish(Change("tools", is_list=True))
            await trio.sleep(0.01)


async def test_leaving_deletes_the_session() -> None:
    service = Service()
    async with serving(service) as base:
        async with Client(f"{base}/mcp", mode="legacy"):
            assert len(service.changes._audiences) == 1
        assert not service.changes._audiences


async def test_a_large_argument_and_a_large_result_go_through() -> None:
    async def echo(arguments: JsonObject, exchange: Exchange) -> object:
        return arguments["text"]

    text = "x" * 9_000_000
    async with (
        serving(Service(echo=echo), HttpSettings()) as base,
        Client(f"{base}/mcp", mode="legacy") as client,
    ):
        assert words(await client.call_tool("echo", {"text": text})) == text


async def test_sessions_leave_nothing_behind() -> None:
    """One after the other and all at once; a thousand of each are in `benchmarks`."""

    async def add(arguments: JsonObject, exchange: Exchange) -> object:
        return len(arguments)

    service = Service(add=add)

    async def live(url: str) -> None:
        async with httpx2.AsyncClient(timeout=30) as client:
            opened = await client.post(url, json=request("initialize", OPENING), headers=headers())
            session = {"mcp-session-id": opened.headers["mcp-session-id"]}
            called = await client.post(url, json=call("add", 2, a=1), headers=headers(session))
            assert '"text":"1"' in called.text
            assert (await client.delete(url, headers=headers(session))).status_code == 204

    async with serving(service) as base:
        url = f"{base}/mcp"
        await live(url)
        await trio.testing.wait_all_tasks_blocked(0.05)
        before = usage()
        for _ in range(20):
            await live(url)
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(live, url)
        await trio.testing.wait_all_tasks_blocked(0.05)

        assert not service.changes._audiences
        assert usage() == before


def headers(more: dict[str, str] | None = None) -> dict[str, str]:
    return {name: value for name, value in POSTED.items() if name != "host"} | (more or {})


def usage() -> tuple[int, int]:
    """Tasks and descriptors of this process."""
    descriptors = Path("/dev/fd")
    count = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    return trio.lowlevel.current_statistics().tasks_living, count
