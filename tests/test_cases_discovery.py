"""The reference's behavioural cases, continued: discovery and static metadata.

The table of all cases is in `test_cases`.  All of these are `surfaces` cases: 1 to 17, 35, 95
and 97.  Every module fails when it is imported, so none of them is.
"""

from pathlib import Path

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.examination import examine
from trio_agent.routes.graph import RouteGraph
from trio_agent.surfaces.cli.inspect.page import inspection_json


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """Nothing is imported here, so nothing has to be forgotten."""
    return Workshop(tmp_path)


def module(decorator: str, arguments: str = "") -> str:
    keyword = "def" if decorator == "tool_command" else "async def"
    return (
        f"from trio_agent import {decorator}\n"
        f"@{decorator}({arguments})\n"
        f"{keyword} handle() -> str:\n"
        "    '''Does it.'''\n"
        "raise SystemExit('imported')\n"
    )


TOOL = module("tool")


def told(graph: RouteGraph) -> list[tuple[str, str]]:
    return [(found.code, found.file) for found in graph.diagnostics]


def found(workshop: Workshop, files: dict[str, str]) -> RouteGraph:
    return discover(workshop.write("curator_t", files))


def test_case_001_a_file_makes_a_server_and_a_tool(workshop: Workshop) -> None:
    graph = found(workshop, {"mcp/curator/tools/status.py": TOOL})
    (server,) = graph.servers
    assert (server.name, [one.name for one in server.tools]) == ("curator", ["status"])
    assert server.tools[0].id == "tool:curator/status"


@pytest.mark.parametrize("file", ["mcp/curator/tools/_status.py", "mcp/curator/tools/_x/status.py"])
def test_case_002_what_is_private_is_no_route_and_no_mistake(workshop: Workshop, file: str) -> None:
    graph = found(workshop, {file: TOOL})
    assert (graph.servers, graph.diagnostics) == ((), ())


def test_case_004_an_unsafe_name_is_an_error_that_names_the_file(workshop: Workshop) -> None:
    graph = found(workshop, {"mcp/curator/tools/bad name!.py": TOOL})
    assert told(graph) == [("TA4803", "mcp/curator/tools/bad name!.py")]


def test_case_005_routes_beside_a_hand_written_server_need_a_mode(workshop: Workshop) -> None:
    """The reference refuses the build; here the server is refused and its neighbours are not."""
    files = {"mcp/a/tools/x.py": TOOL, "mcp/a.py": "", "mcp/b/tools/x.py": TOOL}
    graph = found(workshop, files)
    assert told(graph) == [("TA4800", "plugin.toml")]
    assert [bool(graph.errors_of(server)) for server in graph.servers] == [True, False]

    graph = found(workshop, {"plugin.toml": "[servers.a]\nmode = 'custom'\n"})
    assert told(graph) == []
    assert (graph.servers[0].path, graph.servers[0].routes) == ("mcp/a.py", ())


def test_case_007_a_nested_script_is_never_skipped_in_silence(workshop: Workshop) -> None:
    graph = found(workshop, {"scripts/a/b.py": module("script")})
    assert told(graph) == [("TA4808", "scripts/a/b.py")]
    assert graph.diagnostics[0].severity == "error"


def test_case_008_a_module_that_is_an_entry_is_there_once(workshop: Workshop) -> None:
    files = {"plugin.toml": "[servers.a]\nentry = 'scripts/x.py'\n", "scripts/x.py": ""}
    graph = found(workshop, files)
    assert told(graph) == []
    assert (graph.scripts, graph.servers[0].path) == ((), "scripts/x.py")


def test_case_010_a_computed_argument_is_an_error_and_the_route_stays(workshop: Workshop) -> None:
    graph = found(workshop, {"mcp/curator/tools/x.py": module("tool", "title=name('x')")})
    assert str(graph.diagnostics[0]).startswith("mcp/curator/tools/x.py:2:13: TA4806 title is")
    assert "received name('x')" in graph.diagnostics[0].message
    (tool,) = graph.find_server().tools
    assert (tool.title, graph.errors_of(tool)) == (None, graph.diagnostics)


def test_case_011_an_infinite_number_is_an_error_and_not_null(workshop: Workshop) -> None:
    graph = found(workshop, {"mcp/curator/tools/x.py": module("tool", "meta={'a': 1e999}")})
    assert told(graph) == [("TA4806", "mcp/curator/tools/x.py")]


def test_case_013_a_uri_is_one_app_of_a_server(workshop: Workshop) -> None:
    app = module("app", "uri='ui://x/y'")
    graph = found(workshop, {"mcp/a/apps/p.py": app, "mcp/a/apps/q.py": app})
    assert told(graph) == [("TA4829", "mcp/a/apps/q.py")]
    assert "mcp/a/apps/p.py" in graph.diagnostics[0].message
    other = workshop.write("other_t", {"mcp/a/apps/p.py": app, "mcp/b/apps/q.py": app})
    assert told(discover(other)) == []


def test_case_014_a_resource_without_a_uri_is_told_by_its_route(workshop: Workshop) -> None:
    graph = found(workshop, {"mcp/a/resources/x.py": module("resource", "uri=' '")})
    assert told(graph) == [("TA4810", "mcp/a/resources/x.py")]
    assert graph.errors_of(graph.find_server().resources[0])


def test_case_016_two_looks_at_one_source_say_the_same_bytes(workshop: Workshop) -> None:
    files = {"mcp/a/tools/x.py": TOOL, "cli/x.py": "x = (", "layout.py": module("layout")}
    plugin = workshop.write("curator_t", files)
    assert inspection_json(examine(plugin)) == inspection_json(examine(plugin))


def test_case_017_the_key_of_a_provider_is_free(workshop: Workshop) -> None:
    """The reference derives `retryPolicy` from `retry-policy`; here a key is the stem itself."""
    provider = module("provider").replace("()", "", 1)
    graph = found(
        workshop,
        {
            "providers/process_lifetime.py": provider,
            "providers/retry_policy.py": provider,
            "providers/retry_policy/__init__.py": "",
        },
    )
    assert [one.key for one in graph.providers] == ["process_lifetime", "retry_policy"]
    assert told(graph) == [
        ("TA4942", "providers/process_lifetime.py"),
        ("TA4941", "providers/retry_policy.py"),
    ]


@pytest.mark.parametrize(
    ("prefix", "is_right"), [("", False), ("x" * 128, True), ("x" * 129, False)]
)
def test_case_035_a_prefix_of_a_client_has_1_to_128_characters(
    workshop: Workshop, prefix: str, is_right: bool
) -> None:
    text = module("tool", f"exclude_clients=[{prefix!r}]")
    graph = found(workshop, {"mcp/a/tools/x.py": text})
    assert (told(graph) == []) is is_right


def test_case_095_every_pattern_means_some_tool(workshop: Workshop) -> None:
    files = {"mcp/a/tools/x.py": TOOL, "plugin.toml": "[commands]\ninclude = ['a:y']\n"}
    graph = found(workshop, files)
    assert told(graph) == [("TA4822", "plugin.toml")]
    assert "there are a:x" in graph.diagnostics[0].message
    plugin = workshop.write("curator_t", {"plugin.toml": "[commands]\ninclude = []\n"})
    assert [one.code for one in examine(plugin).diagnostics] == ["TA4822"]
    assert told(found(workshop, {"plugin.toml": "[commands]\nexclude = ['*']\n"})) == []


def test_case_097_the_command_of_a_tool_needs_its_tool(workshop: Workshop) -> None:
    command = module("tool_command", "flag={}")
    graph = found(workshop, {"mcp/a/tools/x_cli.py": command, "mcp/a/tools/y.py": TOOL})
    assert told(graph) == [
        ("TA4843", "mcp/a/tools/x_cli.py"),
        ("TA4805", "mcp/a/tools/x_cli.py"),
    ]
