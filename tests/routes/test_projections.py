"""Tools that are commands: which, by what words, and what stands in their way."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent.errors import RequestError
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.checking import check
from trio_agent.routes.discovery import discover
from trio_agent.routes.graph import RouteGraph
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.projections import CommandRecord, ToolCommandRecord, collisions
from trio_agent.routes.record import RouteRecord
from trio_agent.surfaces.cli.tool_grammar import tool_grammar
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

SAFE = """
    from trio_agent import tool
    @tool(description="Look.", read_only=True, render={"max_elapsed_s": 7})
    async def look(count: int = 1) -> int:
        return count
    """
UNSAFE = SAFE.replace(", read_only=True", "")
COMMAND = """
    from trio_agent import command
    @command(description="Routed.", aliases=["also"])
    def routed() -> int:
        return 0
    """


def projection(arguments: str = "", parameter: str = "flags", body: str = "return flags") -> str:
    return (
        "from trio_agent import tool_command\n"
        f"@tool_command({arguments})\n"
        f"def look({parameter}):\n    {body}\n"
    )


def graph_of(workshop: Workshop, files: dict[str, str]) -> RouteGraph:
    return discover(workshop.write("curator_t", files))


def names(graph: RouteGraph) -> list[str]:
    return [record.name for record in graph.tool_commands]


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


# ------------------------------------------------------------------------------ which tools


@pytest.mark.parametrize(
    ("table", "chosen"),
    [
        ("", []),
        ("[commands]", ["a one", "a two", "b one"]),
        ("[commands]\ninclude = ['a:*']", ["a one", "a two"]),
        ("[commands]\ninclude = ['*:one', 'b:*']", ["a one", "b one"]),
        ("[commands]\nexclude = ['*:t*']", ["a one", "b one"]),
        ("[commands]\ninclude = ['a:*']\nexclude = ['a:two']", ["a one"]),
        ("[commands]\nexclude = ['*']", []),
    ],
)
def test_the_table_chooses_by_patterns(workshop: Workshop, table: str, chosen: list[str]) -> None:
    files = {f"mcp/{path}.py": SAFE for path in ("a/tools/one", "a/tools/two", "b/tools/one")}
    graph = graph_of(workshop, {**files, "plugin.toml": table})
    assert names(graph) == chosen
    assert messages(graph) == []


def test_a_module_of_its_own_needs_no_table_and_replaces_what_one_would_make(
    workshop: Workshop,
) -> None:
    files = {
        "mcp/s/tools/look.py": SAFE,
        "mcp/s/tools/look_cli.py": projection("command='db look_up', aliases=['x']"),
        "mcp/s/tools/other.py": SAFE,
    }
    assert names(graph_of(workshop, files)) == ["db look_up"]
    for table in ("[commands]", "[commands]\nexclude = ['s:look']"):
        graph = graph_of(workshop, {**files, "plugin.toml": table})
        assert names(graph) == ["db look_up", "s other"]
        record = graph.tool_commands[0]
        assert (record.words, record.aliases) == (("db", "look_up"), ("x",))
        assert (record.path, record.line) == ("mcp/s/tools/look_cli.py", 3)
        assert record.id == "cli:db/look_up"
        assert graph.find_command("db look_up") is graph.find_command("db x") is record


def test_words_and_names_are_verbatim_without_others(workshop: Workshop) -> None:
    files = {"mcp/my_s/tools/look_Up.py": SAFE, "mcp/my_s/tools/look_Up_cli.py": projection()}
    assert names(graph_of(workshop, files)) == ["my_s look_Up"]


def test_what_a_command_does_not_say_the_tool_does(workshop: Workshop) -> None:
    said = "description='Mine.', title='Mine', exit_code='result'"
    files = {
        "mcp/s/tools/a.py": SAFE.replace("read_only", "title='Its', read_only"),
        "mcp/s/tools/b.py": SAFE,
        "mcp/s/tools/b_cli.py": projection(said) + "    # no docstring\n",
        "plugin.toml": "[commands]",
    }
    bulk, own = graph_of(workshop, files).tool_commands
    assert (bulk.description, bulk.title, bulk.exit_code) == ("Look.", "Its", None)
    assert (own.description, own.title, own.exit_code) == ("Mine.", "Mine", "result")


@pytest.mark.parametrize(
    ("tool", "said", "is_needed"),
    [
        (SAFE, "", False),
        (UNSAFE, "", True),
        (SAFE.replace("True", "False"), "", True),
        (UNSAFE.replace("render", "annotations={'readOnlyHint': True}, render"), "", False),
        (SAFE, "confirm=True", True),
        (UNSAFE, "confirm=False", False),
    ],
)
def test_a_command_is_confirmed_unless_its_tool_is_declared_read_only(
    workshop: Workshop, tool: str, said: str, is_needed: bool
) -> None:
    files = {"mcp/s/tools/look.py": tool, "mcp/s/tools/look_cli.py": projection(said)}
    (record,) = graph_of(workshop, files).tool_commands
    assert record.needs_confirmation is is_needed


# ------------------------------------------------------------------------------ what is wrong


def test_the_words_of_a_command_in_cli_are_taken_and_nobody_wins(workshop: Workshop) -> None:
    files = {
        "cli/check.py": COMMAND,
        "mcp/s/tools/look.py": SAFE,
        "mcp/s/tools/look_cli.py": projection("command='check'"),
    }
    graph = graph_of(workshop, files)
    assert messages(graph) == [
        (
            "cli/check.py:4:1: TA4813 the command `check` is also declared by"
            " mcp/s/tools/look_cli.py: call one of them otherwise"
        ),
        (
            "mcp/s/tools/look_cli.py:3:1: TA4813 the command `check` of tool:s/look is also declared"
            " by cli/check.py: call one of them otherwise"
        ),
    ]
    application = PluginApplication(graph.plugin)
    with pytest.raises(PluginError, match=r"cli/check\.py:.* TA4813 the command `check`"):
        application.open(Invocation(kind="cli", target="check", props=Json.of({})))
    # What hosts call is not touched by it.
    invocation = Invocation(kind="tool", target="tool:s/look", props=Json.of({}))
    assert application.open(invocation).limits == {"max_elapsed_s": 7}


def test_a_group_of_a_server_and_one_in_cli_are_one_group(workshop: Workshop) -> None:
    files = {
        "cli/s/check.py": COMMAND,
        "mcp/s/tools/look.py": SAFE,
        "plugin.toml": "[commands]",
    }
    graph = graph_of(workshop, files)
    assert messages(graph) == []
    assert [one.name for one in PluginApplication(graph.plugin).commands()] == [
        "s check",
        "s look",
    ]


def test_a_command_and_a_group_have_different_names(workshop: Workshop) -> None:
    files = {
        "cli/s.py": COMMAND,
        "cli/db/clean_up.py": COMMAND,
        "mcp/s/tools/look.py": SAFE,
        "mcp/s/tools/other.py": SAFE,
        "mcp/s/tools/other_cli.py": projection("command='db'"),
        "plugin.toml": "[commands]",
    }
    graph = graph_of(workshop, files)
    assert messages(graph) == [
        (
            "cli/db/clean_up.py:4:1: TA4813 the command `db clean-up` lies below `db`, a command by"
            " mcp/s/tools/other_cli.py: call one of them otherwise"
        ),
        (
            "cli/s.py:4:1: TA4813 the command `s` is also a group, because of `s look` by"
            " [commands], which makes one of tool:s/look: call one of them otherwise"
        ),
        (
            "mcp/s/tools/other_cli.py:3:1: TA4813 the command `db` of tool:s/other is also a group,"
            " because of `db clean-up` by cli/db/clean_up.py: call one of them otherwise"
        ),
        (
            "plugin.toml:1:2: TA4813 the command `s look` of tool:s/look lies below `s`, a command"
            " by cli/s.py: call one of them otherwise"
        ),
    ]
    broken = [one.name for one in graph.tool_commands if graph.errors_of(one)]
    assert broken == ["db", "s look"]
    assert not any(graph.errors_of(one.tool) for one in graph.tool_commands)
    application = PluginApplication(graph.plugin)
    with pytest.raises(PluginError, match=r"plugin\.toml:1:2: TA4813"):
        application.open(Invocation(kind="cli", target="s look", props=Json.of({})))


def test_two_commands_of_tools_have_different_words(workshop: Workshop) -> None:
    files = {
        "mcp/s/tools/a.py": SAFE,
        "mcp/s/tools/a_cli.py": projection("command='x'"),
        "mcp/s/tools/b.py": SAFE,
        "mcp/s/tools/b_cli.py": projection("command='x'"),
    }
    graph = graph_of(workshop, files)
    assert [(one.code, one.file) for one in graph.diagnostics] == [
        ("TA4813", "mcp/s/tools/a_cli.py"),
        ("TA4813", "mcp/s/tools/b_cli.py"),
    ]


def test_aliases_are_shared_with_the_commands_in_cli(workshop: Workshop) -> None:
    files = {
        "cli/check.py": COMMAND,
        "mcp/s/tools/look.py": SAFE,
        "mcp/s/tools/look_cli.py": projection("command='look', aliases=['check', 'also', 'free']"),
    }
    graph = graph_of(workshop, files)
    assert [one.aliases for one in graph.commands] == [()]
    assert [one.aliases for one in graph.tool_commands] == [("free",)]
    assert {one.severity for one in graph.diagnostics} == {"warning"}
    assert len(graph.diagnostics) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("command='a  b'", "command is words of letters, digits and inner . _ -, 'audit' or"),
        ("confirm='no'", "confirm is True, False or None, received 'no'"),
        ("positionals=['a', 'a']", "positionals is a list of fields, each once, or None"),
        ("flags={'a': {'nmae': 1}}", "flags['a']: 'nmae' is no key; there are name, aliases"),
        ("flags={'a': {'default': 1e999}}", "flags holds a number without an end"),
        ("flag={}", "flag is no argument; there are description, title, command, aliases, conf"),
        ("command=NAME", "command is read without running the module: write a literal"),
    ],
)
def test_what_a_command_says_is_judged_without_importing_it(
    workshop: Workshop, arguments: str, message: str
) -> None:
    files = {"mcp/s/tools/x.py": SAFE, "mcp/s/tools/x_cli.py": "1/0\n" + projection(arguments)}
    graph = graph_of(workshop, files)
    (found,) = graph.diagnostics
    assert found.file == "mcp/s/tools/x_cli.py"
    assert message in found.message
    (record,) = graph.tool_commands
    application = PluginApplication(graph.plugin)
    with pytest.raises(PluginError, match=r"mcp/s/tools/x_cli\.py:3:"):
        application.load_tool_command(record)


def test_a_function_that_waits_is_refused_without_importing_it(workshop: Workshop) -> None:
    text = projection().replace("def look", "async def look")
    graph = graph_of(workshop, {"mcp/s/tools/x.py": SAFE, "mcp/s/tools/x_cli.py": text})
    assert messages(graph) == [
        (
            "mcp/s/tools/x_cli.py:3:1: TA4844 look is an async def; the words of a command are read"
            " by a def"
        )
    ]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (projection() + "1 / 0\n", "TA4848", "cannot import curator_t.mcp.s.tools.x_cli"),
        (projection() + "look = 1\n", "TA4848", "look is no longer a tool_command when the"),
        (projection("", "a, b"), "TA4848", "look takes one parameter, the dictionary of what was"),
        (projection("flags={'a': {}}"), "TA4845", "flags: 'a' is no field of the tool; there are"),
        (projection("positionals=['a']"), "TA4845", "positionals: 'a' is no field of the tool; "),
        (projection("flags={'count': {'default': ''}}"), "TA4845", "flags['count']: the default:"),
        (projection("flags={'count': {'name': 'yes'}}"), "TA4845", "the option --yes is taken"),
        (projection(), "", ""),
    ],
)
def test_what_does_not_fit_the_tool_is_seen_when_both_are_imported(
    workshop: Workshop, text: str, code: str, message: str
) -> None:
    files = {"mcp/s/tools/x.py": SAFE, "mcp/s/tools/x_cli.py": text}
    application = PluginApplication(workshop.write("curator_t", files))
    found = [*check(application, tool_grammar)]
    assert [(one.code, one.file) for one in found] == [(code, "mcp/s/tools/x_cli.py")] * bool(code)
    assert all(message in one.message for one in found)


@pytest.mark.parametrize("tool", [SAFE + "\n    1 / 0\n", SAFE.replace("count", "*count"), "x = 1"])
def test_a_broken_tool_is_told_once(workshop: Workshop, tool: str) -> None:
    files = {"mcp/s/tools/x.py": tool, "mcp/s/tools/x_cli.py": projection("positionals=['a']")}
    application = PluginApplication(workshop.write("curator_t", files))
    found = [*application.graph.diagnostics, *check(application, tool_grammar)]
    assert [one.file for one in found] == ["mcp/s/tools/x.py"]


# ------------------------------------------------------------------------------ the application


def test_words_open_the_program_of_the_tool_with_its_layouts_and_limits(workshop: Workshop) -> None:
    layout = (
        "from trio_agent import Node, layout\n"
        "@layout(render={'max_events': 9})\n"
        "def frame(children: Node): return children\n"
    )
    files = {
        "mcp/s/tools/look.py": SAFE,
        "mcp/s/layout.py": layout,
        "providers/p.py": "from trio_agent import provider\n@provider\ndef p(context): ...\n",
        "plugin.toml": "[commands]",
    }
    application = PluginApplication(workshop.write("curator_t", files))
    program = application.open(Invocation(kind="cli", target="s look", props=Json.of({"count": 2})))
    assert program.limits == {"max_events": 9, "max_elapsed_s": 7}
    assert program.check_value is not None
    assert program.providers is not None


def test_an_unknown_command_is_told_with_those_of_tools(workshop: Workshop) -> None:
    files = {"cli/check.py": COMMAND, "mcp/s/tools/look.py": SAFE, "plugin.toml": "[commands]"}
    application = PluginApplication(workshop.write("curator_t", files))
    with pytest.raises(RequestError, match="has no command 'x'; it has check, s look"):
        application.open(Invocation(kind="cli", target="x", props=Json.of({})))


def test_a_command_that_does_not_fit_its_tool_is_told_with_its_place(workshop: Workshop) -> None:
    files = {"mcp/s/tools/x.py": SAFE, "mcp/s/tools/x_cli.py": projection("positionals=['a']")}
    application = PluginApplication(workshop.write("curator_t", files))
    (record,) = application.graph.tool_commands
    with pytest.raises(PluginError, match=r"x_cli.py:3: positionals: 'a' is no field of the tool"):
        application.load_tool_command(record)


# ------------------------------------------------------------------------------ properties

WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)


def routed(words: tuple[str, ...]) -> RouteRecord:
    name = "/".join(words)
    return RouteRecord(id=f"cli:{name}", kind="cli", words=words, path=f"cli/{name}.py", module="m")


def projected(words: tuple[str, ...]) -> ToolCommandRecord:
    tool = RouteRecord(id="tool:s/t", kind="tool", server="s", path="mcp/s/tools/t.py", module="m")
    return ToolCommandRecord(tool=tool, words=words)


def use_the_same(one: Sequence[str], other: Sequence[str]) -> bool:
    depth = min(len(one), len(other))
    return [*one[:depth]] == [*other[:depth]]


@given(own=st.lists(WORDS, max_size=6, unique=True), tools=st.lists(WORDS, max_size=6))
def test_a_command_is_told_of_exactly_when_another_uses_its_words(
    own: list[tuple[str, ...]], tools: list[tuple[str, ...]]
) -> None:
    records: list[CommandRecord] = [*map(routed, own), *map(projected, tools)]
    told = {id(record): other for record, other in collisions(records)}
    for record in records:
        rivals = [
            other
            for other in records
            if other is not record
            and use_the_same(record.words, other.words)
            and isinstance(other, RouteRecord) + isinstance(record, RouteRecord) < 2
        ]
        assert (id(record) in told) is bool(rivals)
        assert id(record) not in told or any(told[id(record)] is rival for rival in rivals)
