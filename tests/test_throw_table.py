"""The table of thrown errors: what each surface tells of a failure, at three levels of proof.

    route-unit       an error that names the route; no document
    mcp-in-memory    the official client's own view, in both eras
    stdio            a server process, line by line
    command line     a process as well

A thrown error has no document, so no layout is around it and nothing of its `_meta` or its value
reaches the client; a represented one keeps all of it.  After each failure the session serves.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from mcp import MCPError

from tests.test_serve import OPENING, Server
from trio_agent.routes.application import open_application
from trio_agent.routes.importing import unload
from trio_agent.testing import (
    McpSession,
    McpVersion,
    expect_document,
    expect_events,
    open_mcp_server,
    plugin_route,
    render,
    render_failure,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from trio_agent.routes.application import PluginApplication
    from trio_agent.surfaces.mcp.rpc import JsonObject

WRECK = Path(__file__).parent / "surfaces/mcp/plugins/wreck"
ROUTES = ("tool:wreck/fail", "resource:wreck/fail", "prompt:wreck/fail", "cli:fail")

THROWN = {
    "text": "thrown away",
    "empty": "ValueError",
    "group": "alone",
    "groups": "2 errors, the first: first",
    "exit": "fail called sys.exit(3); return or raise instead",
    "slow": "TooSlowError",
    "agent": "[E_SUNK] the ship has sunk",
}
"""Each way to throw, and all that a client gets of it."""

AUTHORS = {"agent": "E_SUNK"}
"""Ways whose code is the author's; the others are `render-failed`."""

TOOL: dict[str, JsonObject] = {
    "boundary": {
        "content": [
            {"type": "text", "text": "before"},
            {"type": "text", "text": "[boundary] thrown away"},
        ],
        "structuredContent": {"found": False},
        "isError": True,
        "_meta": {"shell": "tool"},
    },
    "said": {
        "content": [{"type": "text", "text": "[E_NOT_FOUND] no such ship"}],
        "structuredContent": {"found": False},
        "isError": True,
        "_meta": {"shell": "tool"},
    },
}
"""What `tools/call` answers to a represented error."""


def resource(way: str, *texts: tuple[str, str]) -> JsonObject:
    uri = f"wreck://fail/{way}"
    contents = [{"uri": uri, "mimeType": type_, "text": text} for type_, text in texts]
    return {"contents": contents, "_meta": {"shell": "resource"}}


def prompt(*texts: str) -> JsonObject:
    contents = [{"type": "text", "text": text} for text in texts]
    return {
        "description": "Fail in one of many ways.",
        "messages": [{"role": "user", "content": content} for content in contents],
        "_meta": {"shell": "prompt"},
    }


RESOURCE = {
    "boundary": resource(
        "boundary", ("text/markdown", "before"), ("text/plain", "[boundary] thrown away")
    ),
    "said": resource("said", ("text/plain", "[E_NOT_FOUND] no such ship")),
}
PROMPT = {
    "boundary": prompt("before", "[boundary] thrown away"),
    "said": prompt("[E_NOT_FOUND] no such ship"),
}


def thrown(way: str) -> JsonObject:
    """What `tools/call` answers to a throw."""
    return {"content": [{"type": "text", "text": THROWN[way]}], "isError": True}


def error(way: str) -> JsonObject:
    """What the others answer."""
    code = AUTHORS.get(way, "render-failed")
    return {"code": -32603, "message": THROWN[way], "data": {"code": code}}


# ------------------------------------------------------------------------------- route-unit


@pytest.fixture
def wreck() -> Iterator[PluginApplication]:
    application = open_application(WRECK)
    yield application
    unload(application.plugin)


@pytest.mark.parametrize("way", THROWN)
@pytest.mark.parametrize("route_id", ROUTES)
async def test_at_route_unit_a_throw_has_a_code_and_no_document(
    wreck: PluginApplication, route_id: str, way: str
) -> None:
    failed = await render_failure(plugin_route(wreck, route_id, {"way": way}))

    code = AUTHORS.get(way, "render-failed")
    assert failed.error.code == code
    assert f"[{code}] {failed.error.message}".endswith(THROWN[way])
    assert failed.events == ()
    assert failed.provenance.level == "route-unit"
    assert failed.error.__notes__ == [f"proof level: route-unit, wreck, {route_id}"]


@pytest.mark.parametrize("route_id", ROUTES)
async def test_at_route_unit_a_boundary_that_rejects_is_in_the_document(
    wreck: PluginApplication, route_id: str
) -> None:
    rendered = await render(plugin_route(wreck, route_id, {"way": "boundary"}))

    expect_events(rendered).exact_types(["shell", "error", "complete"])
    expect_document(rendered).has_status("represented-error").has_error("boundary", "thrown away")
    assert rendered.value == {"found": False}
    assert rendered.root.metadata is not None
    assert rendered.root.metadata.value == {"shell": route_id.partition(":")[0]}


# ---------------------------------------------------------------------------- mcp-in-memory


async def refused(session: McpSession, kind: str, way: str) -> JsonObject:
    """The JSON-RPC error of a request that fails."""
    asking: Awaitable[object] = (
        session.read_resource(f"wreck://fail/{way}")
        if kind == "resource"
        else session.get_prompt("fail", {"way": way})
    )
    with pytest.raises(MCPError) as caught:
        await asking
    assert caught.value.__notes__ == [f"proof level: {session.provenance}"]
    return caught.value.error.model_dump(exclude_none=True)


async def assert_serving(session: McpSession) -> None:
    outcome = await session.call_tool("float")
    assert outcome.wire["content"] == [{"type": "text", "text": "afloat"}]


def without_era(wire: JsonObject) -> JsonObject:
    """A result without what the modern era puts around it."""
    era = {"resultType", "ttlMs", "cacheScope"}
    meta = cast("JsonObject", wire.get("_meta", {}))
    ours = {key: value for key, value in meta.items() if not key.startswith("io.model")}
    bare = {key: value for key, value in wire.items() if key not in era | {"_meta"}}
    return {**bare, "_meta": ours} if ours else bare


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_in_memory_every_row_of_the_table_holds_and_the_session_survives(
    wreck: PluginApplication, version: McpVersion
) -> None:
    async with open_mcp_server(wreck, version=version) as session:
        for way in THROWN:
            outcome = await session.call_tool("fail", {"way": way})
            assert without_era(outcome.wire) == thrown(way)
            for kind in ("resource", "prompt"):
                assert await refused(session, kind, way) == error(way)
            await assert_serving(session)
        for way, result in TOOL.items():
            outcome = await session.call_tool("fail", {"way": way})
            read = await session.read_resource(f"wreck://fail/{way}")
            got = await session.get_prompt("fail", {"way": way})
            assert without_era(outcome.wire) == result
            assert without_era(read.wire) == RESOURCE[way]
            assert without_era(got.wire) == PROMPT[way]
            await assert_serving(session)
        assert session.provenance.level == "mcp-in-memory"


# ------------------------------------------------------------------------------------ stdio


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(str(WRECK), "--no-heartbeat")
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()


def test_over_stdio_every_row_of_the_table_holds_and_the_session_survives(server: Server) -> None:
    server.ask("initialize", **OPENING)
    for way in (*THROWN, *TOOL):
        called = server.ask("tools/call", name="fail", arguments={"way": way})
        read = server.ask("resources/read", uri=f"wreck://fail/{way}")
        got = server.ask("prompts/get", name="fail", arguments={"way": way})
        afloat = server.ask("tools/call", name="float")

        if way in THROWN:
            assert called == thrown(way)
            assert (read["error"], got["error"]) == (error(way), error(way))
        else:
            assert (called, read, got) == (TOOL[way], RESOURCE[way], PROMPT[way])
        assert afloat["content"] == [{"type": "text", "text": "afloat"}]
    code, out, err = server.end()

    assert (code, out) == (0, "")
    # The person who runs the server gets what the client does not: where it was raised.
    assert err.count("tool:wreck/fail failed (error ") == len(THROWN)
    assert err.count("wreck/failures.py") >= len(THROWN)


# ------------------------------------------------------------------------------ command line


@pytest.mark.parametrize(
    ("words", "out", "err"),
    [
        (["text"], "", "[render-failed] thrown away\n"),
        (
            ["text", "--json"],
            "",
            '{"error":{"code":"render-failed","message":"thrown away"}}\n',
        ),
        (
            ["boundary"],
            "before\n\n**[boundary]** thrown away\n",
            "[boundary] thrown away\n",
        ),
        (["boundary", "--json"], '{"found":false}\n', "[boundary] thrown away\n"),
        (["exit"], "", f"[render-failed] {THROWN['exit']}\n"),
        (["empty"], "", "[render-failed] ValueError\n"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_on_the_command_line_a_throw_is_on_standard_error_only(
    words: list[str], out: str, err: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trio_agent", "run", str(WRECK), "fail", *words],
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        timeout=60,
    )

    assert (done.returncode, done.stdout, done.stderr) == (1, out, err)
