"""One connection, seen from its client: against our own server, and against others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from actors import LinkTruncatedError, Mark
from tests.testing.folders import DEPOT, opened
from trio_agent.surfaces.mcp.client.caller import Caller, UnansweredError, read_report
from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.surfaces.mcp.stdio.framing import MAX_FRAME_BYTES
from trio_agent.testing.memory import MemoryEnds, open_memory_connection

if TYPE_CHECKING:
    from collections.abc import Callable

OPENED: JsonObject = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}}


class MemoryWire:
    """A wire to a server in memory."""

    ending = "closed its output"

    def __init__(self, ends: MemoryEnds) -> None:
        self._ends = ends

    async def send(self, data: bytes) -> None:
        await self._ends.requests.send(data)

    async def receive(self) -> bytes:
        try:
            data = await self._ends.answers.receive()
        except LinkTruncatedError:
            return b""
        return b"" if data is Mark.FINISHED else data


class Scripted:
    """A wire to a server that answers with a function, and ends when there is nothing more."""

    ending = "ended with 3"

    def __init__(self, answer: Callable[[JsonObject], list[object]]) -> None:
        self._answer = answer
        self.sent: list[JsonObject] = []
        self._ready = trio.Event()
        self._lines: list[bytes] = []

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        message = json.loads(data)
        self.sent.append(message)
        if "method" in message and "id" in message:
            self._lines += [
                line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
                for line in self._answer(message)
            ]
            self._ready.set()

    async def receive(self) -> bytes:
        await self._ready.wait()
        if not self._lines:
            return b""
        line = self._lines.pop(0)
        if not self._lines:
            self._ready = trio.Event()
        return line


def result(message: JsonObject, **members: object) -> JsonObject:
    return {"jsonrpc": "2.0", "id": message["id"], "result": members}


def refusal(message: JsonObject, code: int) -> JsonObject:
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": "no"}}


async def test_our_own_server_is_listed_and_called() -> None:
    reports: list[ProgressReport] = []
    with opened(DEPOT) as application:
        service = McpService(application, application.graph.find_server(None))
        async with open_memory_connection(lambda _: McpConversation(service)) as ends:
            caller = Caller(MemoryWire(ends), on_progress=reports.append)
            introduction = await caller.open()
            tools = await caller.list_all("tools/list", "tools")
            added = await caller.ask("tools/call", {"name": "add", "arguments": {"a": 1}})
            measure: JsonObject = {"name": "measure", "arguments": {"shelves": 1}}
            await caller.ask("tools/call", measure)
            with pytest.raises(RpcError, match="Unknown tool"):
                await caller.ask("tools/call", {"name": "nope"})

    assert (introduction.version, introduction.info["name"]) == ("2025-11-25", "depot")
    assert "tools" in introduction.capabilities
    assert "add" in {tool["name"] for tool in tools}
    assert added["content"] == [{"type": "text", "text": "1"}]
    assert reports[-1] == ProgressReport(1, 1, "shelf 1")


async def test_a_server_of_the_modern_era_is_asked_again() -> None:
    def answer(message: JsonObject) -> list[object]:
        if message["method"] == "initialize":
            return [refusal(message, -32022)]
        meta = {"io.modelcontextprotocol/serverInfo": {"name": "new"}}
        return [result(message, capabilities={"tools": {}}, _meta=meta)]

    wire = Scripted(answer)
    introduction = await Caller(wire).open()

    assert (introduction.version, introduction.info) == ("2026-07-28", {"name": "new"})
    assert wire.sent[1]["method"] == "server/discover"
    assert "io.modelcontextprotocol/protocolVersion" in str(wire.sent[1]["params"])


async def test_a_server_that_refuses_for_another_reason_is_believed() -> None:
    with pytest.raises(RpcError) as caught:
        await Caller(Scripted(lambda message: [refusal(message, -32600)])).open()
    assert caught.value.code == -32600


async def test_a_server_of_a_revision_that_nobody_knows_is_refused() -> None:
    wire = Scripted(lambda message: [result(message, protocolVersion="2031-01-01")])
    with pytest.raises(UnansweredError, match="2031-01-01"):
        await Caller(wire).open()


async def test_a_server_that_says_nothing_is_given_up(autojump_clock: MockClock) -> None:
    class Silent(Scripted):
        async def receive(self) -> bytes:
            return await trio.sleep_forever()

    with pytest.raises(UnansweredError, match="within 30 s"):
        await Caller(Silent(lambda message: [])).open()


async def test_a_server_that_ends_says_how() -> None:
    with pytest.raises(UnansweredError, match="ended with 3 and did not answer tools/list"):
        await Caller(Scripted(lambda message: [])).ask("tools/list", {})


async def test_what_is_no_answer_is_passed_over_and_noise_is_told_once() -> None:
    def answer(message: JsonObject) -> list[object]:
        return [
            b"Listening...\n",
            b"more\n",
            {"jsonrpc": "2.0", "id": 99, "result": {}},
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {}},
            {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}},
            {"jsonrpc": "2.0", "id": "p", "method": "ping"},
            {"jsonrpc": "2.0", "id": "r", "method": "roots/list"},
            result(message, **OPENED),
        ]

    noise: list[str] = []
    wire = Scripted(answer)
    await Caller(wire, on_noise=noise.append).open()
    await Caller(Scripted(answer)).open()

    assert noise == ["Parse error: Expecting value at character 1"]
    answers = {message["id"]: message for message in wire.sent if "method" not in message}
    assert answers["p"]["result"] == {}
    assert "error" in answers["r"]


async def test_a_line_without_end_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    noise: list[str] = []
    wire = Scripted(
        lambda message: [b"x" * (MAX_FRAME_BYTES + 1), b"\n", result(message, **OPENED)]
    )
    await Caller(wire, on_noise=noise.append).open()

    assert noise == [f"more than {MAX_FRAME_BYTES} bytes in a line"]


async def test_a_list_is_read_page_by_page_and_has_to_end() -> None:
    pages: list[JsonObject] = [
        {"tools": [{"name": "a"}, 3], "nextCursor": "2"},
        {"nextCursor": 2},
        {"tools": [{"name": "b"}]},
    ]
    wire = Scripted(lambda message: [result(message, **pages.pop(0))])
    found = await Caller(wire).list_all("tools/list", "tools")

    assert found == [{"name": "a"}, {}, {"name": "b"}]
    assert [message["params"] for message in wire.sent] == [{}, {"cursor": "2"}, {"cursor": 2}]
    endless = Scripted(lambda message: [result(message, tools=[], nextCursor="again")])
    with pytest.raises(UnansweredError, match="more than 1000 pages"):
        await Caller(endless).list_all("tools/list", "tools")


@pytest.mark.parametrize(
    ("members", "report"),
    [
        ({"progressToken": 3, "progress": 1}, ProgressReport(1)),
        ({"progressToken": 3, "progress": 1, "total": "x", "message": 2}, ProgressReport(1)),
        ({"progressToken": 4, "progress": 1}, None),
        ({"progressToken": 3, "progress": True}, None),
        ({"progressToken": 3}, None),
    ],
)
def test_a_report_is_of_its_request_and_makes_sense(
    members: JsonObject, report: ProgressReport | None
) -> None:
    assert read_report(members, 3) == report


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["protocolVersion", "capabilities", "serverInfo"]), JSON))
def test_whatever_a_server_says_of_itself_is_understood_or_refused(members: JsonObject) -> None:
    async def open_it() -> None:
        await Caller(Scripted(lambda message: [result(message, **members)])).open()

    try:
        trio.run(open_it)
    except UnansweredError:
        assert members.get("protocolVersion") not in ["2025-06-18", "2025-11-25"]
