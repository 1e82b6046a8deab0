"""Failures of whole calls: of a real tool, asked for over the service."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, cast

import pytest
import trio

from tests.surfaces.mcp.asking import Asker, open_service
from trio_agent.routes.application import open_application
from trio_agent.routes.importing import unload
from trio_agent.surfaces.mcp.results.progress import RESULT_GRACE_S
from trio_agent.surfaces.mcp.service import McpService

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trio.testing import MockClock

    from trio_agent.surfaces.mcp.rpc import JsonObject

LOST = """
    import trio

    from trio_agent import Agent, Node, Suspense, ToolContext, component, tool


    async def lose() -> None:
        raise ValueError("nobody asked")


    @component
    async def Waits() -> Node:
        await trio.sleep(0)
        return Agent.Text("found")


    @tool()
    async def lost(context: ToolContext) -> Node:
        '''Show that it began, then fail.'''
        _ = context.defer(lose)
        return Suspense(Waits(), fallback=Agent.Progress(message="Looking"))
    """


@pytest.fixture
def depot() -> Iterator[McpService]:
    yield from open_service("depot")


@pytest.fixture
def lost(tmp_path: Path) -> Iterator[McpService]:
    tools = tmp_path / "lost_and_found" / "mcp" / "desk" / "tools"
    tools.mkdir(parents=True)
    (tools / "lost.py").write_text(textwrap.dedent(LOST), encoding="utf-8")
    application = open_application(tmp_path / "lost_and_found")
    yield McpService(application, application.graph.find_server(None))
    unload(application.plugin)


async def call(
    service: McpService, name: str, asker: Asker | None = None, **arguments: object
) -> JsonObject:
    params: JsonObject = {"name": name, "arguments": arguments}
    return await service.handle("tools/call", params, asker or Asker())


def text_of(result: JsonObject) -> str:
    (block,) = cast("list[dict[str, str]]", result["content"])
    return block["text"]


def error(text: str) -> JsonObject:
    return {"content": [{"type": "text", "text": text}], "isError": True}


@pytest.mark.parametrize("meta", [{}, {"progressToken": 7}], ids=["silent", "watched"])
@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("text", "thrown away"),
        ("empty", "ValueError"),
        ("group", "alone"),
        ("groups", "2 errors, the first: first"),
        ("agent", "[E_DEPOT] the depot is closed"),
        ("slow", "TooSlowError"),
    ],
)
async def test_case_116_a_throw_is_one_text_and_the_next_call_works(
    depot: McpService, way: str, text: str, meta: JsonObject
) -> None:
    assert await call(depot, "fail", Asker(meta=meta), way=way) == error(text)
    assert "isError" not in await call(depot, "add", Asker(meta=meta), a=1)


@pytest.mark.parametrize("meta", [{}, {"progressToken": 7}], ids=["silent", "watched"])
async def test_case_23_and_25_a_represented_error_keeps_what_there_is(
    depot: McpService, meta: JsonObject
) -> None:
    late = await call(depot, "fail", Asker(meta=meta), way="boundary")
    said = await call(depot, "fail", Asker(meta=meta), way="said")

    assert late == {
        "content": [
            {"type": "text", "text": "before"},
            {"type": "text", "text": "[boundary] thrown away"},
        ],
        "structuredContent": {"found": False},
        "isError": True,
    }
    assert said == {**error("[E_NOT_FOUND] no such shelf"), "structuredContent": {"found": False}}


@pytest.mark.parametrize("meta", [{}, {"progressToken": 7}], ids=["silent", "watched"])
async def test_wrong_arguments_never_get_to_the_tool(depot: McpService, meta: JsonObject) -> None:
    result = await call(depot, "fail", Asker(meta=meta), way="up", depth=1)

    text = text_of(result)
    assert text.splitlines()[0] == "Invalid arguments:"
    assert "input.way: expected one of" in text
    assert 'no unknown key "depth"' in text


async def test_br_18_a_failure_keeps_its_distance_from_progress_like_any_result(
    lost: McpService, autojump_clock: MockClock
) -> None:
    class Clocked(list["tuple[str, JsonObject]"]):
        at = 0.0

        def append(self, sent: tuple[str, JsonObject]) -> None:
            self.at = trio.current_time()
            super().append(sent)

    asker = Asker(meta={"progressToken": 7}, sent=(sent := Clocked()))
    result = await call(lost, "lost", asker)

    assert [params["message"] for _, params in sent] == ["Looking"]
    assert result == error("lose failed, and no component awaited it: nobody asked")
    assert trio.current_time() >= sent.at + RESULT_GRACE_S


async def test_br_38_over_http_a_client_gets_a_code_and_the_id_that_is_in_the_log(
    depot: McpService, caplog: pytest.LogCaptureFixture
) -> None:
    result = await call(depot, "fail", Asker(transport="http"), way="text")
    shown = await call(depot, "fail", Asker(transport="http"), way="agent")

    text = text_of(result)
    error_id = text.rpartition(" ")[2]
    assert text.startswith("[render-failed] ")
    assert "thrown away" not in text
    assert f"tool:depot/fail failed (error {error_id}): [render-failed] thrown away" in caplog.text
    assert shown == error("[E_DEPOT] the depot is closed")
