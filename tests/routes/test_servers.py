"""What lies below `mcp/`: servers, their routes, their layouts, and what is wrong with them."""

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import RouteGraph, RouteRecord


def module(decorator: str, arguments: str = "", extra: str = "") -> str:
    """A module whose third line is the function; importing it would fail."""
    return (
        f"from trio_agent import {decorator}\n"
        f"@{decorator}({arguments})\n"
        f"async def handle(a: int) -> str: ...\n1/0\n{extra}"
    )


TOOL = module("tool")
RESOURCE = module("resource", "uri='curator://catalog'")
PROMPT = module("prompt")


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


def the_tool(workshop: Workshop, arguments: str) -> tuple[RouteRecord, list[str]]:
    graph = discover(workshop.write("curator_t", {"mcp/s/tools/x.py": module("tool", arguments)}))
    (record,) = graph.find_server().tools
    return record, messages(graph)


def test_a_file_below_tools_is_a_tool_of_the_server(workshop: Workshop) -> None:
    """Case `surfaces` 1."""
    files = {
        "mcp/curator/tools/status.py": TOOL,
        "mcp/curator/tools/audit_library.py": TOOL,
        "mcp/curator/resources/catalog.py": RESOURCE,
        "mcp/curator/prompts/triage.py": PROMPT,
    }
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == []
    (server,) = graph.servers
    assert (server.name, server.mode, server.id) == ("curator", "generated", "server:curator")
    assert [record.id for record in server.routes] == [
        "tool:curator/audit_library",
        "tool:curator/status",
        "resource:curator/catalog",
        "prompt:curator/triage",
    ]
    audit = server.tools[0]
    assert (audit.kind, audit.server, audit.name) == ("tool", "curator", "audit_library")
    assert (audit.words, audit.module) == ((), "curator_t.mcp.curator.tools.audit_library")
    assert (audit.handler, audit.line) == ("handle", 3)
    assert graph.find_route("tool:curator/audit_library") is audit
    assert graph.find_route("tool:curator/audit-library") is None
    assert [*graph.routes] == [*server.routes]


def test_what_is_private_is_no_route_and_no_mistake(workshop: Workshop) -> None:
    """Case `surfaces` 2."""
    names = ["mcp/s/tools/_status.py", "mcp/s/tools/_x/status.py", "mcp/_s/tools/status.py"]
    graph = discover(workshop.write("curator_t", dict.fromkeys(names, TOOL)))
    assert (graph.servers, messages(graph)) == ((), [])


@pytest.mark.parametrize(
    ("file", "advice"),
    [
        ("mcp/s/tools/bad name!.py", "'bad name!' cannot be a part of a route's name"),
        ("mcp/my-server/tools/status.py", "rename it to my_server"),
    ],
)
def test_a_name_that_cannot_be_one_is_a_mistake_that_names_the_file(
    workshop: Workshop, file: str, advice: str
) -> None:
    """Case `surfaces` 4."""
    graph = discover(workshop.write("curator_t", {file: TOOL}))
    assert graph.servers == ()
    (message,) = messages(graph)
    assert message.startswith(f"{file}:1:1: TA4803 ")
    assert advice in message


def test_the_facts_of_a_tool_are_read(workshop: Workshop) -> None:
    record, wrong = the_tool(
        workshop,
        "description='Audits.', title='Audit', icons=[{'src': 'a.png'}], meta={'a': 1},"
        " annotations={'readOnlyHint': True}, exclude_clients=['codex'],"
        " render={'max_elapsed_s': 300}, task_support='optional', result=list[Receipt],"
        " input_schema={'type': 'object', 'properties': {}}, structured='never', scalar='wrap',"
        " destructive=False, idempotent=True, open_world=None, thread=True",
    )
    assert wrong == []
    assert (record.description, record.title) == ("Audits.", "Audit")
    assert (record.exclude_clients, record.task_support) == (("codex",), "optional")
    assert (record.max_elapsed_s, record.result, record.answer) == (300, "list[Receipt]", "str")
    assert record.input_schema == {"type": "object", "properties": {}}
    assert (record.structured, record.scalar, record.read_only) == ("never", "wrap", True)


def test_read_only_wins_over_the_annotation(workshop: Workshop) -> None:
    record, _ = the_tool(workshop, "read_only=False, annotations={'readOnlyHint': True}")
    assert record.read_only is False


def test_the_only_server_needs_no_name(workshop: Workshop) -> None:
    graph = discover(workshop.write("curator_t", {"mcp/a/tools/x.py": TOOL}))
    assert graph.find_server() is graph.find_server("a") is graph.servers[0]
    with pytest.raises(PluginError, match="curator_t has no MCP server 'b'; it has a"):
        graph.find_server("b")


def test_without_a_server_or_with_several_the_error_names_them(workshop: Workshop) -> None:
    with pytest.raises(PluginError, match="has no MCP server: expected modules like mcp/NAME/"):
        discover(workshop.write("empty_t")).find_server()
    plugin = workshop.write("curator_t", {"mcp/a/tools/x.py": TOOL, "mcp/b/tools/x.py": TOOL})
    with pytest.raises(PluginError, match="more than one MCP server, name one of a, b"):
        discover(plugin).find_server()
    assert discover(plugin).find_server("b").name == "b"
