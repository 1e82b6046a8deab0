"""Layouts and providers: what surrounds routes, and what is wrong with it."""

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.graph import RouteGraph

LAYOUT = """
from trio_agent import layout
@layout(render={"max_elapsed_s": 5})
def frame(children, route): ...
"""
PROVIDER = """
from trio_agent import provider
@provider
async def library(): ...
"""
TOOL = "from trio_agent import tool\n@tool()\ndef x() -> str: ...\n"


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


def test_layouts_are_found_for_the_plugin_and_for_each_server(workshop: Workshop) -> None:
    files = {"layout.py": LAYOUT, "mcp/s/layout.py": LAYOUT, "mcp/s/tools/x.py": TOOL}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == []
    root, inner = graph.layouts
    assert (root.server, root.path, root.module) == (None, "layout.py", "curator_t.layout")
    assert (inner.server, inner.path) == ("s", "mcp/s/layout.py")
    assert (inner.handler, inner.line) == ("frame", 4)
    assert graph.find_server().layout is inner


def test_a_layout_around_nothing_is_a_mistake(workshop: Workshop) -> None:
    graph = discover(workshop.write("curator_t", {"mcp/s/layout.py": LAYOUT}))
    assert (graph.servers, graph.layouts) == ((), ())
    (message,) = messages(graph)
    assert message.startswith("mcp/s/layout.py:1:1: TA4832 is a layout around nothing: mcp/s has")


def test_two_layouts_of_one_scope_are_a_mistake(workshop: Workshop) -> None:
    graph = discover(workshop.write("curator_t", {"layout.py": LAYOUT, "layout/__init__.py": ""}))
    (layout,) = graph.layouts
    (message,) = messages(graph)
    assert message.startswith("layout.py:1:1: TA4831 layout.py is a layout, and so is layout/")
    assert graph.errors_of(layout) == graph.diagnostics


def test_a_layout_that_is_none_says_what_to_write(workshop: Workshop) -> None:
    files = {"layout.py": "def frame(): ...\n"}
    graph = discover(workshop.write("curator_t", files))
    (layout,) = graph.layouts
    assert (layout.handler, layout.line) == (None, 1)
    (message,) = messages(graph)
    assert message.startswith("layout.py:1:1: TA4830 declares no layout: decorate one function")


def test_a_provider_is_called_by_its_stem_verbatim(workshop: Workshop) -> None:
    files = {
        "providers/retry_policy.py": PROVIDER,
        "providers/a.py": PROVIDER.replace("\n@", "\n@"),
    }
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == []
    assert [one.key for one in graph.providers] == ["a", "retry_policy"]
    second = graph.providers[1]
    assert (second.path, second.module) == (
        "providers/retry_policy.py",
        "curator_t.providers.retry_policy",
    )
    assert (second.handler, second.line) == ("library", 4)


def test_keys_that_are_taken_are_mistakes(workshop: Workshop) -> None:
    files = {
        "providers/process_lifetime.py": PROVIDER,
        "providers/a.py": PROVIDER,
        "providers/a/__init__.py": "",
    }
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == [
        (
            "providers/a.py:1:1: TA4941 providers/a.py is a provider, and providers/a/ has its key:"
            " rename one of them"
        ),
        (
            "providers/process_lifetime.py:1:1: TA4942 the key process_lifetime is taken by"
            " trio-agent: rename the file"
        ),
    ]
    assert all(graph.errors_of(one) for one in graph.providers)


def test_a_provider_without_a_function_is_a_mistake(workshop: Workshop) -> None:
    graph = discover(workshop.write("curator_t", {"providers/a.py": "x = 1\n"}))
    assert graph.providers[0].handler is None
    assert messages(graph)[0].startswith(
        "providers/a.py:1:1: TA4940 declares no provider: decorate one function at the top level"
        " with @provider, or begin"
    )


def test_a_provider_is_decorated_without_parentheses(workshop: Workshop) -> None:
    files = {"providers/a.py": PROVIDER.replace("@provider", "@provider(lifetime=1)")}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == ["providers/a.py:3:2: TA4940 write @provider, without parentheses"]
    assert graph.providers[0].handler == "library"
