"""Who serves a server, when folders and `plugin.toml` both have a say."""

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.graph import RouteGraph
from trio_agent.routes.plugin import PluginError

TOOL = "from trio_agent import tool\n@tool()\ndef x() -> str: ...\n"
BROKEN = "1/0 ("
LAYOUT = "from trio_agent import layout\n@layout()\ndef x(children): ...\n"


def graph_of(workshop: Workshop, manifest: str, **files: str) -> RouteGraph:
    """Files by a name with `__` for `/`."""
    named = {f"{name.replace('__', '/')}.py": text for name, text in files.items()}
    return discover(workshop.write("curator_t", {"plugin.toml": manifest, **named}))


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


@pytest.mark.parametrize(
    ("manifest", "files", "mode"),
    [
        ("", {"mcp__a__tools__x": TOOL}, "generated"),
        ("[servers.a]\nenv.X = 'y'", {"mcp__a__tools__x": TOOL}, "generated"),
        ("[servers.a]\nargs = ['-v']\ntargets = ['amp']", {"mcp__a__tools__x": TOOL}, "generated"),
        ("[servers.a]\nmode = 'generated'", {"mcp__a__tools__x": TOOL, "mcp__a": ""}, "generated"),
        ("", {"mcp__a": BROKEN}, "custom"),
        ("[servers.a]\nentry = 'lib/s.py'\ncwd = 'x'", {"lib__s": BROKEN}, "custom"),
        ("[servers.a]\nentry = 'mcp/a.py'", {"mcp__a": BROKEN}, "custom"),
        ("[servers.a]\nmode = 'custom'", {"mcp__a": BROKEN, "mcp__a__tools__x": BROKEN}, "custom"),
        ("[servers.a]\ncommand = 'node'\nargs = ['x']\nenv.X = 'y'\ncwd = 'x'", {}, "command"),
        ("[servers.a]\nurl = 'https://x'\nheaders.X = 'y'", {}, "remote"),
        (
            "[servers.a]\nmode = 'remote'\nurl = 'https://x'",
            {"mcp__a__tools__x": BROKEN, "mcp__a__layout": BROKEN},
            "remote",
        ),
    ],
)
def test_the_mode_follows_from_what_is_there(
    workshop: Workshop, manifest: str, files: dict[str, str], mode: str
) -> None:
    graph = graph_of(workshop, manifest, **files)
    assert messages(graph) == []
    (server,) = graph.servers
    assert (server.name, server.mode) == ("a", mode)
    assert bool(server.routes) == (mode == "generated")
    assert (server.path is not None) == (mode == "custom")
    assert server.layout is None
    assert graph.errors_of(server) == ()


@pytest.mark.parametrize(
    ("manifest", "files", "message"),
    [
        (
            "",
            {"mcp__a__tools__x": TOOL, "mcp__a": ""},
            (
                "1:1: TA4800 the server a is declared by the routes in mcp/a/ and by mcp/a.py: say"
                " which counts with mode = 'generated' or mode = 'custom' in [servers.a]"
            ),
        ),
        (
            "[servers.a]\ncommand = 'node'",
            {"mcp__a__tools__x": TOOL},
            "1:10: TA4800 the server a is declared by the routes in mcp/a/ and by command=: say",
        ),
        (
            "[servers.a]\nentry = 'mcp/a.py'",
            {"mcp__a__tools__x": TOOL, "mcp__a": ""},
            "1:10: TA4800 the server a is declared by the routes in mcp/a/ and by entry=: say",
        ),
        (
            "[servers.a]\ncommand = 'node'\nurl = 'http://x'",
            {},
            (
                "1:10: TA4800 the server a is declared by command= and by url=: say which counts with"
                " mode = 'command' or mode = 'remote'"
            ),
        ),
        ("[servers.a]\ncwd = 'x'", {}, "1:10: TA4800 [servers.a] declares nothing: expected mod"),
        (
            "[servers.a]\nmode = 'generated'",
            {},
            "2:8: TA4800 a server that is generated has modules like mcp/a/tools/x.py",
        ),
        (
            "[servers.a]\nmode = 'custom'",
            {"mcp__a__tools__x": TOOL},
            "2:8: TA4800 a server that is custom has entry=, or a module mcp/a.py",
        ),
        (
            "[servers.a]\nmode = 'remote'\ncommand = 'x'",
            {},
            "2:8: TA4800 a server that is remote has url=",
        ),
        (
            "[servers.a]\nmode = 'command'",
            {},
            "2:8: TA4800 a server that is command has command=",
        ),
        (
            "[servers.a]\ncwd = 'x'",
            {"mcp__a__tools__x": TOOL},
            "2:7: TA4309 a server that is generated has no cwd; it takes args, env, targets",
        ),
        (
            "[servers.a]\nheaders.X = 'x'",
            {"mcp__a__tools__x": TOOL},
            "2:1: TA4310 a server that is generated has no headers; it takes",
        ),
        (
            "[servers.a]\nmode = 'generated'\nurl = 'http://x'",
            {"mcp__a__tools__x": TOOL},
            "3:7: TA4340 a server that is generated has no url; it takes args, env, targets",
        ),
        (
            "[servers.a]\nurl = 'http://x'\nargs = ['x']",
            {},
            "3:8: TA4340 a server that is remote has no args; it takes headers, url, targets",
        ),
        (
            "[servers.a]\nentry = 'lib/s.py'",
            {},
            "2:9: TA4805 entry is the path of a module in the plugin, mcp/a.py, received",
        ),
        ("[servers.a]\nentry = '../s.py'", {}, "2:9: TA4805 entry is the path of a module in"),
        ("[servers.a]\nentry = 'C:\\s.py'", {}, "2:9: TA4805 entry is the path of a module in"),
    ],
)
def test_a_contradiction_is_told_and_stops_the_server(
    workshop: Workshop, manifest: str, files: dict[str, str], message: str
) -> None:
    graph = graph_of(workshop, manifest, **files)
    (server,) = graph.servers
    (found,) = graph.diagnostics
    assert str(found).startswith(f"plugin.toml:{message}")
    assert graph.errors_of(server) == graph.diagnostics
    # The routes are all right; it is the server that cannot be served.
    assert all(graph.errors_of(record) == () for record in server.routes)


def test_a_module_that_is_an_entry_is_nothing_else(workshop: Workshop) -> None:
    manifest = "[servers.a]\nentry = 'cli/serve.py'\n[servers.b]\nentry = 'mcp/c/tools/x.py'"
    graph = graph_of(workshop, manifest, cli__serve=BROKEN, mcp__c__tools__x=BROKEN)
    assert messages(graph) == []
    assert (graph.commands, [one.name for one in graph.servers]) == ((), ["a", "b"])
    assert [one.path for one in graph.servers] == ["cli/serve.py", "mcp/c/tools/x.py"]


def test_the_only_generated_server_needs_no_name(workshop: Workshop) -> None:
    graph = graph_of(workshop, "[servers.b]\nurl = 'http://x'", mcp__a__tools__x=TOOL)
    assert [one.name for one in graph.servers] == ["a", "b"]
    assert graph.find_server().name == "a"
    assert graph.find_server("b").mode == "remote"


def test_only_a_server_that_is_made_of_routes_and_right_can_be_served(workshop: Workshop) -> None:
    graph = graph_of(workshop, "[servers.b]\nurl = 'http://x'", mcp__a__tools__x=TOOL)
    assert graph.find_generated_server("a") is graph.find_generated_server() is graph.servers[0]
    with pytest.raises(PluginError, match="the server b of curator_t is remote: only one that is"):
        graph.find_generated_server("b")
    graph = graph_of(workshop, "[servers.a]\ncwd = 'x'", mcp__a__tools__x=TOOL)
    with pytest.raises(PluginError, match=r"plugin.toml:2:7: TA4309 a server that is generated"):
        graph.find_generated_server()


def test_the_layout_of_a_server_that_is_not_generated_is_left_out(workshop: Workshop) -> None:
    graph = graph_of(workshop, "[servers.a]\nurl = 'http://x'", mcp__a__layout=LAYOUT)
    assert (messages(graph), graph.layouts) == ([], ())


def test_a_hand_written_module_with_a_bad_name_is_a_mistake(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"mcp/my-server.py": "", "mcp/notes.md": ""})
    graph = discover(plugin)
    assert graph.servers == ()
    assert messages(graph)[0].startswith("mcp/my-server.py:1:1: TA4803 'my-server' cannot be")
