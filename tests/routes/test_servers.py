"""What lies below `mcp/`: servers, their routes, their layouts, and what is wrong with them."""

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.graph import RouteGraph
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import RouteRecord


def module(decorator: str, arguments: str = "", extra: str = "") -> str:
    """A module whose third line is the function; importing it would fail."""
    keyword = "def" if decorator == "tool_command" else "async def"
    return (
        f"from trio_agent import {decorator}\n"
        f"@{decorator}({arguments})\n"
        f"{keyword} handle(a: int) -> str: ...\n1/0\n{extra}"
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


def test_the_hint_of_the_annotations_counts(workshop: Workshop) -> None:
    record, wrong = the_tool(workshop, "read_only=True, annotations={'readOnlyHint': True}")
    assert (record.read_only, wrong) == (True, [])
    record, _ = the_tool(workshop, "annotations={'readOnlyHint': False}")
    assert record.read_only is False
    record, _ = the_tool(workshop, "annotations={'readOnlyHint': 'yes'}")
    assert record.read_only is None


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


# ------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("title=make()", "2:13: TA4806 title is read without running the module: write a literal"),
        ("meta={'x': 1e999}", "2:12: TA4806 meta holds a number without an end, received {'x'"),
        ("icons=[{'src': 'x', 'n': [-1e999]}]", "2:13: TA4806 icons holds a number without an"),
        ("icons=[{}]", "2:13: TA4805 icons is a list of JSON objects with 'src', a string"),
        ("icons={}", "2:13: TA4805 icons is a list of JSON objects with 'src'"),
        ("annotations={1: 2}", "2:19: TA4805 annotations is a JSON object, received {1: 2}"),
        ("meta={'x': [1, ()], 'y': [b'']}", "2:12: TA4805 meta is a JSON object"),
        ("meta={'x': {1}}", "2:12: TA4805 meta is a JSON object, received {'x': {1}}"),
        ("meta={'x': [b'']}", "2:12: TA4805 meta is a JSON object"),
        ("exclude_clients='codex'", "2:23: TA4805 exclude_clients is a list of strings of 1 to"),
        ("exclude_clients=['']", "2:23: TA4805 exclude_clients is a list of strings of 1 to 128"),
        ("exclude_clients=[1]", "2:23: TA4805 exclude_clients is a list of strings of 1 to 128"),
        ("read_only=1", "2:17: TA4805 read_only is True, False or None, received 1"),
        (
            "read_only=False, annotations={'readOnlyHint': True}",
            "2:17: TA4805 read_only is False, and annotations say True: write it once",
        ),
        (
            "task_support='yes'",
            "2:20: TA4836 task_support is 'forbidden', 'optional' or 'required', received 'yes'",
        ),
        ("structured='x'", "2:18: TA4805 structured is 'always' or 'never', received 'x'"),
        ("scalar='x'", "2:14: TA4805 scalar is 'text', 'wrap' or 'reject', received 'x'"),
        ("render={'max_elapsed_s': 0}", "2:14: TA4835 max_elapsed_s is a positive number of sec"),
        ("render={'max_elapsed_s': 86401}", "2:14: TA4835 max_elapsed_s of a route is at most 86"),
        ("render={'max_x': 1}", "2:14: TA4835 'max_x' is not a limit; there are max_document"),
        ("render={1: 1}", "2:14: TA4835 1 is not a limit; there are"),
        ("input_schema={}", "2:20: TA4805 input_schema is a JSON Schema whose type is 'object'"),
        ("input_schema=[]", "2:20: TA4805 input_schema is a JSON Schema whose type is 'object'"),
        ("uri='x://y'", "2:11: TA4805 uri is no argument; there are description, title, icons"),
        (
            "meta=" + "[" * 90 + "0x1" + "0" * 4000 + "]" * 90,
            "2:12: TA4805 meta is a JSON object, received an expression that cannot be",
        ),
        ("size=0x1" + "0" * 4000, "2:12: TA4805 size is no argument"),
        ("thread=0x1" + "0" * 4000, "2:14: TA4805 thread is True or False, received an expr"),
    ],
)
def test_an_argument_that_is_wrong_is_told_and_the_tool_stays(
    workshop: Workshop, arguments: str, message: str
) -> None:
    record, wrong = the_tool(workshop, arguments)
    assert record.handler == "handle"
    assert (record.max_elapsed_s, record.input_schema, record.title) == (None, None, None)
    assert record.exclude_clients == ()
    assert len(wrong) == 1
    assert wrong[0].startswith(f"mcp/s/tools/x.py:{message}")


@pytest.mark.parametrize(("length", "is_right"), [(1, True), (128, True), (129, False)])
def test_a_prefix_of_a_client_has_a_length(workshop: Workshop, length: int, is_right: bool) -> None:
    record, wrong = the_tool(workshop, f"exclude_clients=({'x' * length!r},)")
    assert (wrong == []) is is_right
    assert (record.exclude_clients == ("x" * length,)) is is_right


@pytest.mark.parametrize("kind", ["resource", "prompt"])
def test_only_a_tool_can_be_a_task(workshop: Workshop, kind: str) -> None:
    uri = "uri='x://y', " if kind == "resource" else ""
    files = {f"mcp/s/{kind}s/x.py": module(kind, f"{uri}task_support='optional'")}
    (message,) = messages(discover(workshop.write("curator_t", files)))
    assert f"TA4836 only a tool has task_support, and this is a {kind}" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "2:2: TA4810 a resource has uri=, an absolute URI, 'curator://catalog'"),
        ("uri=''", "2:15: TA4810 uri is an absolute URI, 'curator://catalog', received ''"),
        ("uri='/x'", "2:15: TA4810 uri is an absolute URI, 'curator://catalog', received '/x'"),
        ("uri='a b:c'", "2:15: TA4810 uri is an absolute URI, 'curator://catalog'"),
        ("uri=None", "2:15: TA4810 uri is an absolute URI, 'curator://catalog', received None"),
        ("uri='x://{a}{b}'", "2:15: TA4810 "),
        ("uri='x://{a'", "2:15: TA4810 "),
        ("uri='x://{a.b}'", "2:15: TA4810 "),
        ("uri='x:y', size=-1", "2:27: TA4805 size is a number of bytes, received -1"),
    ],
)
def test_a_resource_has_a_uri(workshop: Workshop, arguments: str, message: str) -> None:
    files = {"mcp/s/resources/x.py": module("resource", arguments)}
    graph = discover(workshop.write("curator_t", files))
    (record,) = graph.find_server().resources
    (wrong,) = messages(graph)
    assert wrong.startswith(f"mcp/s/resources/x.py:{message}")
    assert graph.errors_of(record) == graph.diagnostics


def test_arguments_that_are_hidden_may_hold_the_uri(workshop: Workshop) -> None:
    files = {"mcp/s/resources/x.py": module("resource", "**OPTIONS")}
    graph = discover(workshop.write("curator_t", files))
    assert [found.code for found in graph.diagnostics] == ["TA4806"]


def test_the_facts_of_a_resource_are_read(workshop: Workshop) -> None:
    options = "uri='curator://{library}/x', mime_type='text/plain', size=3"
    files = {"mcp/s/resources/x.py": module("resource", options)}
    (record,) = discover(workshop.write("curator_t", files)).find_server().resources
    assert (record.uri, record.mime_type) == ("curator://{library}/x", "text/plain")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("mcp/s/tools/x.py", "x = 1\n", "1:1: TA4810 declares no route: decorate one function"),
        (
            "mcp/s/prompts/x.py",
            TOOL,
            (
                "2:2: TA4810 declares a tool, handle, where a prompt belongs: decorate it with"
                " @prompt(...), or move the file"
            ),
        ),
        ("mcp/s/tools/x.py", module("event"), "2:2: TA4810 declares an event, handle, where a"),
        ("mcp/s/tools/x.py", TOOL + TOOL, "7:1: TA4810 declares a second route, handle"),
        ("mcp/s/tools/x.py", TOOL.replace("-> str", ""), "3:1: TA4810 handle has no return"),
        ("mcp/s/tools/x.py", TOOL.replace("()\n", "\n", 1), "2:2: TA4810 write @tool(), with"),
    ],
)
def test_a_module_that_is_not_what_its_folder_holds_is_a_mistake(
    workshop: Workshop, file: str, text: str, message: str
) -> None:
    graph = discover(workshop.write("curator_t", {file: text}))
    (record,) = graph.find_server().routes
    assert messages(graph)[0].startswith(f"{file}:{message}")
    assert graph.errors_of(record)


def test_a_module_beside_a_package_of_its_name_is_a_mistake(workshop: Workshop) -> None:
    files = {"mcp/s/tools/x.py": TOOL, "mcp/s/tools/x/y.py": TOOL}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == [
        (
            "mcp/s/tools/x.py:1:1: TA4802 mcp/s/tools/x.py is a tool, and mcp/s/tools/x/ has its name:"
            " rename one of them"
        )
    ]


def test_a_module_that_lies_too_deep_is_told_once_for_its_folder(workshop: Workshop) -> None:
    files = {"mcp/s/tools/db/a.py": TOOL, "mcp/s/tools/db/b.py": TOOL, "mcp/s/tools/x.py": TOOL}
    files |= {"mcp/s/tools/data/rows.csv": ""}
    graph = discover(workshop.write("curator_t", files))
    (found,) = graph.diagnostics
    assert (found.code, found.severity, found.file) == ("TA4808", "warning", "mcp/s/tools/db/a.py")
    assert "lies too deep and is no tool: each is a file right below mcp/s/tools/" in found.message


# ------------------------------------------------------------------------------ projections


def test_a_file_beside_its_tool_is_how_the_tool_looks_as_a_command(workshop: Workshop) -> None:
    files = {
        "mcp/s/tools/audit.py": TOOL,
        "mcp/s/tools/audit_cli.py": module("tool_command", "command='check', confirm=True"),
    }
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == []
    server = graph.find_server()
    assert [one.name for one in server.routes] == ["audit"]
    (projection,) = server.projections
    assert (projection.server, projection.tool) == ("s", "audit")
    assert (projection.path, projection.handler) == ("mcp/s/tools/audit_cli.py", "handle")
    assert projection.module == "curator_t.mcp.s.tools.audit_cli"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TOOL, "2:2: TA4844 declares a tool, handle, where a tool's command belongs"),
        ("1/0", "1:1: TA4844 declares no tool_command: decorate one function"),
    ],
)
def test_a_file_beside_its_tool_is_nothing_else(
    workshop: Workshop, text: str, message: str
) -> None:
    files = {"mcp/s/tools/audit.py": TOOL, "mcp/s/tools/audit_cli.py": text}
    graph = discover(workshop.write("curator_t", files))
    (projection,) = graph.find_server().projections
    assert messages(graph)[0].startswith(f"mcp/s/tools/audit_cli.py:{message}")
    assert graph.errors_of(projection) == graph.diagnostics


def test_a_command_of_a_tool_that_is_not_there_is_a_mistake(workshop: Workshop) -> None:
    files = {"mcp/s/tools/x.py": TOOL, "mcp/s/tools/audit_cli.py": module("tool_command")}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == [
        (
            "mcp/s/tools/audit_cli.py:1:1: TA4843 is the command of a tool audit that is not there:"
            " add audit.py beside it, or remove it"
        )
    ]


def test_a_tool_may_be_called_like_a_command(workshop: Workshop) -> None:
    graph = discover(workshop.write("curator_t", {"mcp/s/tools/run_cli.py": TOOL}))
    assert messages(graph) == []
    assert [one.name for one in graph.find_server().tools] == ["run_cli"]


# ------------------------------------------------------------------------------ apps


def test_an_app_is_html_or_a_module_that_makes_it(workshop: Workshop) -> None:
    files = {
        "mcp/s/apps/status.html": "<!doctype html><TITLE>The\n status</TITLE><p>",
        "mcp/s/apps/bare.html": "<p>",
        "mcp/s/apps/made.py": module("app", "uri='ui://s/elsewhere', title='Made'"),
        "mcp/s/apps/style.css": "",
    }
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == []
    bare, made, status = graph.find_server().apps
    assert [one.id for one in (bare, made, status)] == ["app:s/bare", "app:s/made", "app:s/status"]
    assert (bare.title, bare.uri, bare.module, bare.handler) == (None, "ui://s/bare", "", None)
    assert (status.title, status.uri) == ("The status", "ui://s/status")
    assert (made.title, made.uri, made.handler) == ("Made", "ui://s/elsewhere", "handle")
    assert {one.mime_type for one in (bare, made, status)} == {"text/html;profile=mcp-app"}


def test_mistakes_of_apps(workshop: Workshop) -> None:
    files = {
        "mcp/s/apps/a.html": "",
        "mcp/s/apps/a.py": module("app", "uri='ui://s/b'"),
        "mcp/s/apps/c-d.html": "",
        "mcp/s/apps/e.py": module("app"),
    }
    graph = discover(workshop.write("curator_t", files))
    assert [(found.file[11:], found.code) for found in graph.diagnostics] == [
        ("a.py", "TA4802"),
        ("c-d.html", "TA4803"),
        ("e.py", "TA4812"),
    ]
