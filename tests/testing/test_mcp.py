"""A real client of the SDK and our real server, joined in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
import trio
from hypothesis import given, settings, strategies as st
from mcp import MCPError
from trio.testing import MockClock

from tests.testing.folders import DEPOT, DESK, forgotten, write_plugin
from trio_agent.limits import Limits
from trio_agent.routes.application import open_application
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.testing import (
    HarnessError,
    McpVersion,
    Provenance,
    ServerNotification,
    accepted,
    get_mcp_prompt,
    invoke_mcp_tool,
    list_mcp_surface,
    open_mcp_server,
    read_mcp_resource,
)
from trio_agent.testing.mcp_log import progress_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSIONS: tuple[McpVersion, ...] = ("2025-11-25", "2026-07-28")
TOOL = """
    from trio_agent import tool


    @tool()
    async def {name}() -> str:
        '''Say it.'''
        return "{name}"
    """


@pytest.fixture
def depot() -> Iterator[Path]:
    with forgotten(DEPOT) as root:
        yield root


@pytest.fixture
def desk() -> Iterator[Path]:
    with forgotten(DESK) as root:
        yield root


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Path]:
    files = {f"mcp/{name}/tools/{name}.py": TOOL.format(name=name) for name in ("left", "right")}
    with forgotten(write_plugin(tmp_path / "twins", files)) as root:
        yield root


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_session_is_spoken_in_the_revision_that_was_asked_for(
    depot: Path, version: McpVersion
) -> None:
    async with open_mcp_server(depot, version=version) as session:
        assert session.client.protocol_version == version
        assert session.client.server_info is not None
        assert session.client.server_info.name == "depot"
        assert session.client.server_capabilities.tools is not None
        outcome = await session.call_tool("add", {"a": 1, "b": 2})

    assert outcome.wire["content"] == [{"type": "text", "text": "3"}]
    assert outcome.result.is_error is not True
    assert outcome.provenance == Provenance(
        level="mcp-in-memory", plugin="depot", server="depot", version=version
    )


async def test_progress_is_kept_for_each_request_and_for_all(
    depot: Path, autojump_clock: MockClock
) -> None:
    async with open_mcp_server(depot) as session:
        outcomes = {}

        async def measure(shelves: int) -> None:
            outcomes[shelves] = await session.call_tool("measure", {"shelves": shelves})

        async with trio.open_nursery() as nursery:
            nursery.start_soon(measure, 2)
            nursery.start_soon(measure, 3)

    shelves = [ProgressReport(number, 2, f"shelf {number}") for number in (1, 2)]
    assert outcomes[2].progress == (ProgressReport(0, None, "Counting"), *shelves)
    assert [report.total for report in outcomes[3].progress] == [None, 3, 3, 3]
    assert len(session.progress) == 7
    assert {one.method for one in session.notifications} == {"notifications/progress"}
    assert outcomes[3].result.structured_content == {"shelves": 3, "items": 30}


@pytest.mark.parametrize("version", VERSIONS)
async def test_questions_are_answered_by_the_test(desk: Path, version: McpVersion) -> None:
    asked: list[str] = []

    async def answer(params: Mapping[str, object]) -> Mapping[str, object]:
        await trio.lowlevel.checkpoint()
        asked.append(str(params["message"]))
        return accepted(name="Ada") if len(asked) == 1 else accepted(agreed=True)

    booked = await invoke_mcp_tool(desk, "book", {"room": 3}, version=version, elicit=answer)

    assert asked == ["Who is coming?", "Room 3 for Ada?"]
    assert booked.result.structured_content == {"guest": "Ada", "nights": 1, "agreed": True}


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_model_and_the_directories_of_the_client_are_the_tests(
    desk: Path, version: McpVersion
) -> None:
    def sample(params: Mapping[str, object]) -> Mapping[str, object]:
        messages = cast("list[dict[str, object]]", params["messages"])
        return {"role": "assistant", "model": "m", "content": messages[0]["content"]}

    thought = await invoke_mcp_tool(
        desk, "think", version=version, sample=sample, roots=[Path("music"), "file:///films"]
    )

    assert thought.wire["content"] == [{"type": "text", "text": "2 roots"}]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_client_cannot_be_asked_what_the_test_has_no_answer_for(
    desk: Path, version: McpVersion
) -> None:
    async with open_mcp_server(desk, version=version) as session:
        if version == "2025-11-25":
            outcome = await session.call_tool("book", {"room": 3})
            assert outcome.result.is_error
        else:
            with pytest.raises(MCPError, match="elicitation"):
                await session.call_tool("book", {"room": 3})


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_log_has_what_is_severe_enough(desk: Path, version: McpVersion) -> None:
    loud = await invoke_mcp_tool(desk, "tell", version=version, log_level="error")
    silent = await invoke_mcp_tool(desk, "tell", version=version)

    def logged(outcome: object) -> list[object]:
        notifications = outcome.notifications  # type: ignore[attr-defined]  # an outcome
        return [
            one.params["level"] for one in notifications if one.method == "notifications/message"
        ]

    assert logged(loud) == ["error"]
    assert loud.progress == ()
    # Without a level a handshake client gets everything, and a modern one nothing.
    assert logged(silent) == (["debug", "error"] if version == "2025-11-25" else [])


@pytest.mark.parametrize("version", VERSIONS)
async def test_changes_of_lists_come_to_whoever_hears_of_them_by_its_revision(
    desk: Path, version: McpVersion
) -> None:
    """After a handshake unasked; without one only to those who listen."""
    async with open_mcp_server(desk, version=version) as session:
        unasked = await session.call_tool("tell")
        heard: list[object] = []
        if version == "2026-07-28":
            async with session.client.listen(tools_list_changed=True) as changes:
                await session.call_tool("tell")
                heard.append(await anext(aiter(changes)))

    told = [one.method for one in unasked.notifications if "list_changed" in one.method]
    assert told == (["notifications/tools/list_changed"] if version == "2025-11-25" else [])
    assert len(heard) == (version == "2026-07-28")


async def test_everything_that_a_server_lists_is_one_surface(depot: Path, desk: Path) -> None:
    surface = await list_mcp_surface(depot)
    codex = await list_mcp_surface(depot, client_name="Codex CLI")
    bare = await list_mcp_surface(desk)

    assert {"add", "fail", "measure", "secret"} <= {tool.name for tool in surface.tools}
    assert "secret" not in {tool.name for tool in codex.tools}
    assert {"depot://manual", "depot://stamp"} <= {one.uri for one in surface.resources}
    assert "shelf" in {template.name for template in surface.templates}
    assert {"plain", "review"} <= {prompt.name for prompt in surface.prompts}
    assert bare.prompts == ()
    assert surface.provenance.level == "mcp-in-memory"


async def test_a_server_without_resources_lists_none(twins: Path) -> None:
    surface = await list_mcp_surface(twins, server="left")

    assert [tool.name for tool in surface.tools] == ["left"]
    assert (surface.resources, surface.templates, surface.prompts) == ((), (), ())


async def test_one_shot_requests_open_a_server_each(depot: Path) -> None:
    read = await read_mcp_resource(depot, "depot://manual")
    got = await get_mcp_prompt(depot, "review", {"tone": "kind"})

    assert read.wire["contents"] == [
        {"uri": "depot://manual", "mimeType": "text/markdown", "text": "# Manual"}
    ]
    assert [message.role for message in got.result.messages] == ["user", "assistant"]
    assert read.provenance == got.provenance


async def test_surfaces_166_two_servers_and_no_name_are_a_clear_error(twins: Path) -> None:
    with pytest.raises(HarnessError, match="name one of left, right") as caught:
        await invoke_mcp_tool(twins, "left")
    assert caught.value.code == "server-not-found"
    assert caught.value.provenance.level == "mcp-in-memory"
    assert "mcp-in-memory, twins over 2025-11-25" in str(caught.value)

    named = await invoke_mcp_tool(twins, "right", server="right")
    assert named.wire["content"] == [{"type": "text", "text": "right"}]
    with pytest.raises(HarnessError, match="it has left, right"):
        await invoke_mcp_tool(twins, "left", server="middle")


async def test_a_plugin_that_cannot_be_read_is_another_one(tmp_path: Path) -> None:
    broken = write_plugin(tmp_path / "broken", {"plugin.toml": "name = 3"})

    with pytest.raises(HarnessError, match=r"plugin\.toml") as caught:
        await list_mcp_surface(broken)
    assert caught.value.code == "manifest-unavailable"
    with pytest.raises(HarnessError, match="there is no plugin"):
        await list_mcp_surface(tmp_path / "nowhere")


@pytest.mark.parametrize("version", VERSIONS)
async def test_what_a_block_raises_comes_out_as_it_is_with_its_level(
    depot: Path, version: McpVersion
) -> None:
    mine = AssertionError("mine")
    with pytest.raises(AssertionError) as caught:
        async with open_mcp_server(depot, version=version):
            raise mine
    assert caught.value is mine
    assert mine.__context__ is None
    assert mine.__notes__ == [f"proof level: mcp-in-memory, depot/depot over {version}"]

    with pytest.raises(MCPError, match="counted from one") as refused:
        await read_mcp_resource(depot, "depot://shelf/left/0", version=version)
    assert refused.value.__notes__ == mine.__notes__

    with pytest.RaisesGroup(ValueError, KeyError):
        async with open_mcp_server(depot, version=version):
            raise ExceptionGroup("both", [ValueError(), KeyError()])


async def test_a_server_that_crashes_fails_the_test_with_its_own_error(
    depot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object, **named: object) -> object:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr("trio_agent.testing.mcp.McpConversation", broken)
    with pytest.raises(BaseExceptionGroup) as caught:
        async with open_mcp_server(depot):
            raise AssertionError  # never reached
    assert caught.group_contains(ZeroDivisionError, match="a bug of ours")
    assert caught.value.__notes__ == ["proof level: mcp-in-memory, depot/depot over 2025-11-25"]


async def test_leaving_the_block_cancels_what_is_running(depot: Path) -> None:
    application = open_application(depot)
    async with trio.open_nursery() as nursery, open_mcp_server(application) as session:
        nursery.start_soon(session.call_tool, "stuck")
        while "depot.mcp.depot.tools.stuck" not in sys.modules:
            await trio.testing.wait_all_tasks_blocked()
        stuck = sys.modules["depot.mcp.depot.tools.stuck"]
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert stuck.ENDED == ["cancelled"]


async def test_a_test_that_runs_out_of_time_ends(depot: Path, autojump_clock: MockClock) -> None:
    with pytest.raises(trio.TooSlowError):
        with trio.fail_after(5):
            await invoke_mcp_tool(depot, "stuck")


async def test_limits_and_providers_are_the_tests(tmp_path: Path, depot: Path) -> None:
    files = {
        "mcp/shop/tools/price.py": """
            from trio_agent import ToolContext, tool


            @tool()
            async def price(context: ToolContext) -> int:
                '''Look it up.'''
                return await context.provider("prices")
            """,
        "providers/prices.py": """
            from trio_agent import ProviderContext, provider


            @provider
            async def prices(context: ProviderContext) -> int:
                raise RuntimeError("the real shop is closed")
            """,
    }
    with forgotten(write_plugin(tmp_path / "shop", files)) as shop:
        real = await invoke_mcp_tool(shop, "price")
        given = await invoke_mcp_tool(shop, "price", providers={"prices": 42})
    small = await invoke_mcp_tool(depot, "add", {"a": 1}, limits=Limits(max_document_nodes=1))

    assert "the real shop is closed" in str(real.wire)
    assert given.wire["content"] == [{"type": "text", "text": "42"}]
    assert small.result.is_error


VALUELESS = """
    import attrs

    from trio_agent import Agent, Node, tool


    @attrs.frozen
    class Found:
        count: int


    @tool(result=Found)
    async def find(way: str) -> Node:
        '''Find something.'''
        if way == "error":
            return Agent.Error(code="E_NONE", message="nothing there")
        if way == "nothing":
            return Agent.Text("found")
        return Agent.Result(Agent.Text("found"), value=Found(1))
    """


async def test_a_value_that_was_declared_and_is_missing_is_the_servers_failure(
    tmp_path: Path,
) -> None:
    """The SDK's clients raise where such a result comes to them."""
    file = {"mcp/valueless/tools/find.py": VALUELESS}
    bare = {**file, "plugin.toml": '[clients.bare]\nstructured = "never"\n'}
    with forgotten(write_plugin(tmp_path / "valueless", bare)) as plugin:
        async with open_mcp_server(plugin) as session:
            missing = await session.call_tool("find", {"way": "nothing"})
            found = await session.call_tool("find", {"way": "value"})
            failed = await session.call_tool("find", {"way": "error"})
        unstructured = await invoke_mcp_tool(plugin, "find", {"way": "nothing"}, client_name="bare")

    assert missing.result.is_error
    assert "find declares result=" in str(missing.wire)
    assert found.result.structured_content == {"count": 1}
    assert failed.wire["content"] == [{"type": "text", "text": "[E_NONE] nothing there"}]
    assert unstructured.wire == {"content": [{"type": "text", "text": "found"}]}


@settings(max_examples=20)
@given(schedule=st.random_module(), version=st.sampled_from(VERSIONS), calls=st.integers(1, 8))
async def test_calls_of_one_session_get_their_own_answers_whatever_the_schedule(
    schedule: object, version: McpVersion, calls: int
) -> None:
    answers: dict[int, object] = {}

    async def add(session: object, number: int) -> None:
        outcome = await session.call_tool("add", {"a": number, "b": 100})  # type: ignore[attr-defined]  # a session
        answers[number] = outcome.wire["content"]

    with forgotten(DEPOT) as root:
        async with open_mcp_server(root, version=version) as session, trio.open_nursery() as all_:
            for number in range(calls):
                all_.start_soon(add, session, number)

    assert answers == {
        number: [{"type": "text", "text": str(number + 100)}] for number in range(calls)
    }


def test_what_is_no_progress_counts_as_none() -> None:
    said = ServerNotification("notifications/message", {"level": "info"})

    assert said.progress is None
    assert progress_of([said]) == ()


def test_importing_the_harness_does_not_import_the_sdk() -> None:
    code = "import sys, trio_agent.testing; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    ).stdout.split()

    assert "trio_agent.testing.mcp" in loaded
    assert not {"anyio", "hypercorn", "mcp", "mcp_types", "pydantic", "rich"} & {*loaded}
