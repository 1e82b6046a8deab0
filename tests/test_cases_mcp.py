"""The reference's behavioural cases of MCP that no test of a module has: surfaces B, D, E, K.

See `test_cases` for what became of every case.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest
import trio
from trio.testing import MockClock

from tests.surfaces.mcp.asking import Asker, open_service
from tests.surfaces.mcp.http_caller import call, calling, modern, request
from tests.surfaces.mcp.served import DEPOT, opened, use
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.http.app import HttpSettings
from trio_agent.surfaces.mcp.http.auth import BearerCheck
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.service import McpService


@pytest.fixture
def trials() -> Iterator[McpService]:
    yield from open_service("trials")


@pytest.fixture
def depot() -> Iterator[McpService]:
    yield from open_service("depot")


def calls(name: str, **arguments: object) -> JsonObject:
    return {"name": name, "arguments": arguments}


async def tools_for(service: McpService, name: str | None) -> dict[str, dict[str, Any]]:
    asker = Asker(client=Client(version_spoken="2025-11-25", name=name))
    listed = await service.handle("tools/list", {}, asker)
    return {tool["name"]: tool for tool in cast("list[dict[str, Any]]", listed["tools"])}


# ------------------------------------------------------------------------------ B. tools/call


async def test_surfaces_19_a_listing_tells_what_is_for_clients_and_nothing_else(
    trials: McpService,
) -> None:
    assert (await tools_for(trials, "host"))["described"] == {
        "name": "described",
        "title": "Everything",
        "description": "Say everything.",
        "icons": [{"src": "https://example.org/i.png", "mimeType": "image/png"}],
        "annotations": {"audience": "all", "readOnlyHint": True},
        "execution": {"taskSupport": "optional"},
        "_meta": {"vendor/key": {"deep": [1]}},
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    }


async def test_surfaces_29_a_tuple_is_read_alike_by_validators_of_both_dialects(
    trials: McpService,
) -> None:
    tool = (await tools_for(trials, "host"))["pair"]
    schemas = [tool["inputSchema"], tool["outputSchema"]]
    for schema in schemas:
        at = schema["properties"]["at"]
        assert isinstance(at["items"], dict)
        assert (at["minItems"], at["maxItems"], len(at["prefixItems"])) == (2, 2, 2)
        for validator in (jsonschema.Draft7Validator, jsonschema.Draft202012Validator):
            assert validator(schema).is_valid({"at": [1, "a"]})
            assert not validator(schema).is_valid({"at": [1, "a", "b"]})
        assert not jsonschema.Draft202012Validator(schema).is_valid({"at": ["a", 1]})
    result = await trials.handle("tools/call", calls("pair", at=[1, "a"]), Asker())
    assert result["structuredContent"] == {"at": [1, "a"]}


class Verifier:
    async def verify_token(self, token: str) -> Any:
        return Token(token)


class Token:
    """What the check reads of an SDK token."""

    def __init__(self, client_id: str) -> None:
        self.client_id = client_id
        self.scopes: list[str] = []
        self.expires_at = None
        self.subject = None
        self.claims = None


async def test_surfaces_31_who_authenticated_is_the_actor_of_a_real_tool(depot: McpService) -> None:
    settings = HttpSettings(bearer=BearerCheck(verifier=Verifier()))
    async with calling(depot, settings) as caller:
        caller.headers["authorization"] = "Bearer app-7"
        await caller.open()
        answer = await caller.ask(call("whoami"))
    actor = json.loads(answer.text)["actor"]
    assert (actor["state"], actor["source"], actor["value"]["id"]) == (
        "available",
        "native",
        "app-7",
    )


async def test_surfaces_34_each_session_of_a_process_is_judged_by_its_own_client(
    depot: McpService,
) -> None:
    seen: dict[str, tuple[bool, int | None]] = {}
    async with calling(depot) as caller:
        before = dict(caller.headers)
        for name in ("Codex CLI", "claude-ai", "codex"):
            caller.headers = dict(before)
            hello = await caller.ask(
                request(
                    "initialize",
                    {
                        "protocolVersion": "2025-11-25",
                        "capabilities": {},
                        "clientInfo": {"name": name, "version": "1"},
                    },
                )
            )
            caller.headers["mcp-session-id"] = hello.headers["mcp-session-id"]
            listed = cast("Any", (await caller.ask(request("tools/list"))).result)["tools"]
            called = await caller.ask(call("secret"))
            is_alone = called.headers["content-type"] == "application/json"
            message = called.json if is_alone else called.last
            error = cast("Any", message.get("error", {})).get("code")
            seen[name] = ("secret" in {tool["name"] for tool in listed}, error)
    assert seen == {
        "Codex CLI": (False, -32602),
        "claude-ai": (True, None),
        "codex": (False, -32602),
    }


async def test_surfaces_37_a_call_that_was_cancelled_before_its_turn_never_runs(
    trials: McpService,
) -> None:
    # The reference asks a probe first whether a tool is available; here there is none.
    with trio.CancelScope() as scope:
        scope.cancel()
        await trials.handle("tools/call", calls("brief", seconds=0), Asker())
    assert scope.cancelled_caught
    result = cast("Any", await trials.handle("tools/call", calls("brief", seconds=0), Asker()))
    assert result["content"] == [{"type": "text", "text": "1"}]


# ------------------------------------------------------------------------------ D. tasks


def test_surfaces_47_without_tasks_there_is_no_such_capability_and_the_wish_is_passed_over() -> (
    None
):
    with opened(DEPOT) as child:
        told = child.call("tools/call", calls("add", a=1) | {"task": {"ttl": 60_000}}, 2)
        assert told == {"content": [{"type": "text", "text": "1"}]}
        for method in ("tasks/get", "tasks/result", "tasks/cancel", "tasks/list"):
            child.send(method, {"taskId": "x"}, 3)
            assert child.read()["error"]["code"] == -32601
        assert use(child, "add", 4, a=2)["content"][0]["text"] == "2"


async def test_surfaces_59_a_modern_client_is_told_of_an_extension_and_of_no_capability(
    trials: McpService,
) -> None:
    # Decided otherwise: the reference does not serve the extension.  Who does not declare it gets
    # the ordinary contract; see surfaces/mcp/tasks/test_modern.
    async with calling(trials) as caller:
        opened_session = await caller.open()
        assert "tasks" in cast("JsonObject", opened_session.result["capabilities"])
        found = await caller.ask_modern(modern("server/discover"))
        capabilities = cast("JsonObject", found.result["capabilities"])
        assert capabilities["extensions"] == {"io.modelcontextprotocol/tasks": {}}
        assert "tasks" not in capabilities


# ------------------------------------------------------------------------------ progress


async def test_br_20_a_long_silence_claims_no_advance(
    trials: McpService, autojump_clock: MockClock
) -> None:
    # Documented in how-to/report-progress: there is no keep-alive, and the author can speak.
    asker = Asker(meta={"progressToken": "t"})
    result = cast("Any", await trials.handle("tools/call", calls("silent"), asker))
    assert trio.current_time() >= 600
    assert asker.sent == [
        (
            "notifications/progress",
            {"progressToken": "t", "progress": 0, "message": "Waiting for the archive"},
        )
    ]
    assert result["content"] == [{"type": "text", "text": "at last"}]


# ------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/call", {"name": "no_such"}, -32602),
        ("tools/call", {"name": 5}, -32602),
        ("tools/call", {"name": "said", "arguments": []}, -32602),
        ("tools/call", {}, -32602),
        ("tools/list", {"cursor": "x"}, -32602),
        ("resources/read", {"uri": ["x"]}, -32602),
        ("prompts/get", {"name": "no_such"}, -32602),
        ("logging/setLevel", {"level": "loud"}, -32602),
        ("no/such", {}, -32601),
    ],
)
async def test_what_makes_no_sense_is_refused_and_the_service_goes_on(
    trials: McpService, method: str, params: JsonObject, code: int
) -> None:
    with pytest.raises(RpcError) as caught:
        await trials.handle(method, params, Asker())
    assert caught.value.code == code
    result = cast("Any", await trials.handle("tools/call", calls("said"), Asker()))
    assert result["structuredContent"]["number"] == 0


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**30])
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_an_argument_that_no_document_may_hold_is_a_wrong_argument(
    trials: McpService, transport: Any, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    asker = Asker(transport=transport)
    result = cast("Any", await trials.handle("tools/call", calls("said", number=number), asker))
    lines = result["content"][0]["text"].splitlines()
    assert lines == [
        "Invalid arguments:",
        f"input.number is an integer beyond ±(2**53 - 1), {number}; use a string",
    ]
    with pytest.raises(RpcError) as caught:
        await trials.handle("prompts/get", calls("ask", number=number), asker)
    assert caught.value.code == -32602
    # It says nothing about the server.
    assert caplog.messages == []
