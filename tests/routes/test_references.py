"""What names something else: published names, URIs, patterns, and apps on the web."""

import pytest
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.graph import RouteGraph
from trio_agent.routes.references import published_name
from trio_agent.routes.settings import matches

TOOL = "from trio_agent import tool\n@tool()\ndef x() -> str: ...\n"


def resource(uri: str) -> str:
    return f"from trio_agent import resource\n@resource(uri={uri!r})\ndef x() -> str: ...\n"


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


# ------------------------------------------------------------------------------ names


@pytest.mark.parametrize(("length", "is_right"), [(64, True), (65, False)])
def test_a_name_counts_with_the_prefix_that_hosts_put_before_it(
    workshop: Workshop, length: int, is_right: bool
) -> None:
    """BR-14."""
    stem = "x" * (length - len("mcp__curator__"))
    files = {f"mcp/curator/tools/{stem}.py": TOOL, "mcp/curator/tools/ok.py": TOOL}
    graph = discover(workshop.write("curator_t", files))
    ok, long = graph.find_server().tools
    assert len(published_name(long)) == length
    assert bool(graph.errors_of(long)) == (not is_right)
    assert graph.errors_of(ok) == ()
    if not is_right:
        assert messages(graph) == [
            (
                f"{long.path}:1:1: TA4846 hosts call it mcp__curator__{stem}, which has 65 characters"
                " of at most 64: shorten the name of the tool or of its server"
            )
        ]


@pytest.mark.parametrize("stem", ["a.b", "a b", "a-b", "ä", "a!"])
def test_what_hosts_do_not_take_is_no_name(workshop: Workshop, stem: str) -> None:
    """BR-14."""
    files = {f"mcp/curator/tools/{stem}.py": TOOL, "mcp/curator/tools/ok.py": TOOL}
    graph = discover(workshop.write("curator_t", files))
    assert [one.name for one in graph.find_server().tools] == ["ok"]
    assert [found.code for found in graph.diagnostics] == ["TA4803"]
    assert graph.diagnostics[0].file == f"mcp/curator/tools/{stem}.py"


def test_two_tools_that_hosts_call_the_same_are_a_mistake(workshop: Workshop) -> None:
    """BR-14."""
    files = {"mcp/a/tools/b__c.py": TOOL, "mcp/a__b/tools/c.py": TOOL}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == [
        (
            "mcp/a__b/tools/c.py:1:1: TA4846 hosts call it mcp__a__b__c, like mcp/a/tools/b__c.py:"
            " rename one of them"
        )
    ]


# ------------------------------------------------------------------------------ URIs


@pytest.mark.parametrize(
    ("one", "two"), [("x://a", "x://a"), ("x://{a}/b", "x://{c}/b"), ("x://{+a}", "x://{+b}")]
)
def test_two_resources_with_one_uri_are_a_mistake_on_one_server(
    workshop: Workshop, one: str, two: str
) -> None:
    files = {"mcp/a/resources/p.py": resource(one), "mcp/a/resources/q.py": resource(two)}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == [
        (
            f"mcp/a/resources/q.py:3:1: TA4829 has the URI {two} of mcp/a/resources/p.py: a URI is one"
            " resource of a server"
        )
    ]
    files = {"mcp/a/resources/p.py": resource(one), "mcp/b/resources/q.py": resource(two)}
    assert messages(discover(workshop.write("other_t", files))) == []


def test_a_variable_for_one_part_and_one_for_the_rest_are_two(workshop: Workshop) -> None:
    files = {
        "mcp/a/resources/p.py": resource("x://{a}"),
        "mcp/a/resources/q.py": resource("x://{+a}"),
    }
    assert messages(discover(workshop.write("curator_t", files))) == []


def test_an_app_and_a_resource_share_the_uris_of_a_server(workshop: Workshop) -> None:
    files = {"mcp/a/resources/p.py": resource("ui://a/p"), "mcp/a/apps/p.html": "<p>"}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph)[0].startswith("mcp/a/apps/p.html:1:1: TA4829 has the URI ui://a/p of")


# ------------------------------------------------------------------------------ patterns


@pytest.mark.parametrize(
    ("pattern", "tool", "expected"),
    [
        ("*", "a:b", True),
        ("a:*", "a:b", True),
        ("a:*", "ab:b", False),
        ("*:audit_*", "a:audit_x", True),
        ("*:audit_*", "a:xaudit_x", False),
        ("a:b", "a:b", True),
        ("a:b", "a:bb", False),
    ],
)
def test_a_star_stands_for_anything(pattern: str, tool: str, expected: bool) -> None:
    assert matches(pattern, tool) is expected


@given(tool=st.from_regex(r"[a-z_]{1,5}:[a-z_]{1,5}", fullmatch=True), cut=st.integers(0, 8))
def test_a_tool_matches_itself_and_its_beginning_with_a_star(tool: str, cut: int) -> None:
    assert matches(tool, tool)
    assert matches(f"{tool[:cut]}*", tool)


def test_a_pattern_that_matches_nothing_is_a_mistake_that_lists_what_there_is(
    workshop: Workshop,
) -> None:
    files = {"mcp/a/tools/x.py": TOOL, "mcp/a/tools/y.py": TOOL}
    manifest = "[commands]\ninclude = ['a:x', 'a:z']\nexclude = ['b:*']\n"
    graph = discover(workshop.write("curator_t", {**files, "plugin.toml": manifest}))
    assert messages(graph) == [
        "plugin.toml:2:19: TA4822 'a:z' matches no tool; there are a:x, a:y",
        "plugin.toml:3:12: TA4822 'b:*' matches no tool; there are a:x, a:y",
    ]
    everything = "[commands]\nexclude = ['*']\n"
    assert messages(discover(workshop.write("b_t", {**files, "plugin.toml": everything}))) == []
    alone = discover(workshop.write("c_t", {"plugin.toml": everything}))
    assert messages(alone) == ["plugin.toml:2:12: TA4822 '*' matches no tool; there are none"]


def test_many_names_are_not_all_listed(workshop: Workshop) -> None:
    files = {f"mcp/a/tools/x{number:02}.py": TOOL for number in range(14)}
    manifest = "[commands]\ninclude = ['b:*']"
    (message,) = messages(discover(workshop.write("curator_t", {**files, "plugin.toml": manifest})))
    assert message.endswith("a:x10, a:x11, and 2 more")


# ------------------------------------------------------------------------------ web


@pytest.mark.parametrize(
    ("web", "expected"),
    [
        ("apps = ['a/p', {app = 'a/p', tool = 'x'}, 'far/q']", None),
        ("apps = ['a/q']", "plugin.toml:2:9: TA4826 there is no app 'a/q'; there are a/p"),
        ("apps = ['b/p']", "plugin.toml:2:9: TA4826 there is no app 'b/p'; there are a/p"),
        (
            "apps = [{app = 'a/p', tool = 'z'}]",
            "plugin.toml:2:30: TA4341 a has no tool 'z'; there are x",
        ),
    ],
)
def test_an_app_on_the_web_exists(workshop: Workshop, web: str, expected: str | None) -> None:
    files = {
        "mcp/a/apps/p.html": "<p>",
        "mcp/a/tools/x.py": TOOL,
        "plugin.toml": f"[web]\n{web}\n[servers.far]\nurl = 'http://x'",
    }
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == ([] if expected is None else [expected])
