"""A connection in memory behaves as one over a pipe, at its ends."""

from __future__ import annotations

import json

import pytest
import trio
import trio.testing

from actors import PeerGoneError
from tests.surfaces.mcp.talking import Talk, echo, forever
from trio_agent.surfaces.mcp.rpc import JsonObject
from trio_agent.testing.mcp_client import open_client
from trio_agent.testing.memory import MemoryEnds, open_memory_connection


async def send(ends: MemoryEnds, id_: int, method: str) -> None:
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": {"n": id_}}
    await ends.requests.send(json.dumps(message).encode() + b"\n")


async def receive(ends: MemoryEnds) -> JsonObject:
    line = await ends.answers.receive()
    assert isinstance(line, bytes)
    answer: JsonObject = json.loads(line)
    return answer


async def test_lines_go_in_and_answers_come_out() -> None:
    async with open_memory_connection(Talk(echo=echo)) as ends:
        await send(ends, 1, "echo")
        await send(ends, 2, "nothing")
        answers = {answer["id"]: answer for answer in [await receive(ends), await receive(ends)]}

    assert answers[1]["result"] == {"n": 1}
    assert "error" in answers[2]


async def test_a_client_that_closes_its_requests_is_answered_and_left() -> None:
    async with open_memory_connection(Talk(forever=forever)) as ends:
        await send(ends, 1, "forever")
        ends.requests.close()
        assert (await receive(ends))["error"] is not None


async def test_a_client_that_reads_nothing_keeps_nobody() -> None:
    async with open_memory_connection(Talk(echo=echo)) as ends:
        for number in range(5):
            await send(ends, number, "echo")
        await trio.testing.wait_all_tasks_blocked()


async def test_a_client_that_closes_its_answers_ends_the_connection() -> None:
    async with open_memory_connection(Talk(echo=echo)) as ends:
        ends.answers.close()
        await send(ends, 1, "echo")
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(PeerGoneError):
            await send(ends, 2, "echo")


async def test_another_revision_than_the_test_asked_for_is_refused() -> None:
    """A server that has no `server/discover` gets a handshake from the SDK's client."""

    async def initialize(params: JsonObject, call: object) -> JsonObject:
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "serverInfo": {"name": "old", "version": "1"},
        }

    refusal = pytest.RaisesExc(RuntimeError, match="2026-07-28 was asked for, and 2025-11-25 is")
    with pytest.RaisesGroup(refusal, flatten_subgroups=True):
        async with open_client(Talk(initialize=initialize), {"version": "2026-07-28"}, []):
            raise AssertionError  # never reached
