"""Opening what a host calls: routes by their id, in the layouts that their place gives them."""

import sys
from typing import Any

import pytest

from tests.routes.conftest import Workshop
from tests.trees import texts
from trio_agent.errors import RequestError
from trio_agent.invocation import Runtime
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.routes.application import PluginApplication, open_application
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import RouteRecord
from trio_agent.testing import render
from trio_agent.testing.tree import SingleTree
from trio_agent.vocabulary.event import CompleteEvent
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

TOOL = """
from trio_agent import tool
@tool(render={"max_elapsed_s": 9})
async def add(a: int, b: int = 0) -> int:
    return a + b
"""
NODES = """
from trio_agent import Agent, Node, command
@command()
async def show() -> Node:
    return Agent.Text("shown")
"""
DATA = (
    NODES.replace("Node:", "str:")
    .replace("Agent.Text('shown')", "'told'")
    .replace('Agent.Text("shown")', '"told"')
)
LAYOUT = """
from trio_agent import Agent, Node, RouteInfo, layout
@layout(render={"max_elapsed_s": 5, "max_events": 50})
def frame(children: Node, route: RouteInfo) -> Node:
    return [Agent.Text(f"WHO {route.id}"), children]
"""
OUTER, INNER = LAYOUT.replace("WHO", "outer"), LAYOUT.replace("WHO", "inner")


def open_plugin(workshop: Workshop, **files: str) -> PluginApplication:
    named = {name.replace("__", "/") + ".py": text for name, text in files.items()}
    return open_application(workshop.write("curator_t", named).root)


def call(target: str, **props: object) -> Invocation:
    kind: Any = "tool" if ":" in target else "cli"
    return Invocation(kind=kind, target=target, props=Json.of(props))


def found(application: PluginApplication, route_id: str) -> RouteRecord:
    record = application.graph.find_route(route_id)
    assert record is not None
    return record


async def shown(application: PluginApplication, target: str, **props: object) -> list[str]:
    program = application.open(call(target, **props))
    tree = SingleTree(program.root, check_value=program.check_value, limits=program.limits)
    return texts((await render(tree)).document.root)


@pytest.mark.parametrize("kind", ["tool", "resource", "prompt", "command"])
async def test_the_context_may_be_imported_for_checkers_only(workshop: Workshop, kind: str) -> None:
    name = f"{kind.capitalize()}Context"
    text = f"""
    from __future__ import annotations
    from typing import TYPE_CHECKING
    from trio_agent import {kind}
    if TYPE_CHECKING:
        from trio_agent import {name}
    @{kind}({'uri="x://a"' * (kind == "resource")})
    async def tell(context: {name}) -> str:
        return context.invocation.target
    """
    place = "cli__tell" if kind == "command" else f"mcp__s__{kind}s__tell"
    target = "tell" if kind == "command" else f"{kind}:s/tell"
    application = open_plugin(workshop, **{place: text})
    async with Runtime(application).stream(call(target)) as events:
        last = [event async for event in events][-1]
    assert isinstance(last, CompleteEvent)
    assert last.document.value == Json.of(target)


async def test_a_tool_is_opened_by_its_id(workshop: Workshop) -> None:
    application = open_plugin(workshop, mcp__s__tools__add=TOOL)
    route = application.load_tool(found(application, "tool:s/add"))
    assert route.name == "add"
    program = application.open(call("tool:s/add", a=1, b=2))
    assert program.limits == {"max_elapsed_s": 9}
    rendered = await render(SingleTree(program.root, check_value=program.check_value))
    assert rendered.value == 3
    async with Runtime(application).stream(call("tool:s/add", a=1)) as events:
        assert [event.type async for event in events] == ["shell", "complete"]


def test_bad_input_has_every_issue_and_runs_nothing(workshop: Workshop) -> None:
    application = open_plugin(workshop, mcp__s__tools__add=TOOL)
    with pytest.raises(SchemaError) as caught:
        application.open(call("tool:s/add", b="x", c=1))
    paths = [issue.path for issue in caught.value.issues]
    assert sorted(paths) == ["input", "input.a", "input.b"]


def test_an_unknown_route_is_refused_with_what_there_is(workshop: Workshop) -> None:
    application = open_plugin(workshop, mcp__s__tools__add=TOOL, cli__show=NODES)
    for target in ("tool:s/other", "tool:other/add", "cli:show"):
        with pytest.raises(RequestError, match=r"has no route '.*'; it has tool:s/add$") as caught:
            application.open(call(target))
        assert caught.value.code == "invalid-invocation"


def test_a_tool_that_was_decorated_over_is_no_tool(workshop: Workshop) -> None:
    text = TOOL.replace("@tool(", "@(lambda tool: 1)\n@tool(")
    application = open_plugin(workshop, mcp__s__tools__add=text)
    with pytest.raises(PluginError, match="add is no longer a tool when the module has run"):
        application.load_tool(found(application, "tool:s/add"))


# ------------------------------------------------------------------------------ layouts


async def test_the_root_layout_stands_around_the_servers(workshop: Workshop) -> None:
    application = open_plugin(workshop, mcp__s__tools__add=TOOL, layout=OUTER, mcp__s__layout=INNER)
    expected = ["outer tool:s/add", "inner tool:s/add"]
    assert (await shown(application, "tool:s/add", a=1))[:2] == expected
    limits = application.open(call("tool:s/add", a=1)).limits
    assert limits == {"max_elapsed_s": 9, "max_events": 50}


async def test_the_layout_of_another_server_has_no_part_in_it(workshop: Workshop) -> None:
    application = open_plugin(
        workshop, mcp__s__tools__add=TOOL, mcp__t__tools__add=TOOL, mcp__t__layout=INNER
    )
    assert len(await shown(application, "tool:s/add", a=1)) == 1
    assert (await shown(application, "tool:t/add", a=1))[0] == "inner tool:t/add"


async def test_a_command_that_is_rendered_has_the_root_layout(workshop: Workshop) -> None:
    application = open_plugin(workshop, cli__show=NODES, cli__tell=DATA, layout=OUTER)
    assert await shown(application, "show") == ["outer cli:show", "shown"]
    # What a command returns as data is shown as it is.
    assert await shown(application, "tell") == ["told"]


def test_without_layouts_nothing_stands_around_a_route(workshop: Workshop) -> None:
    # Surfaces H 112: the tree is the route's own, so every byte is.
    application = open_plugin(workshop, mcp__s__tools__add=TOOL)
    route = application.load_tool(found(application, "tool:s/add"))
    root: Any = application.open(call("tool:s/add", a=1)).root
    assert root.definition.name == route.name
    assert root.definition.function.__self__.layouts is None


BROKEN = "import missing_thing\n" + LAYOUT
COUNTING = 'import sys\nsys.modules["curator_runs"] = 1 + sys.modules.get("curator_runs", 0)\n'


async def test_a_layout_is_imported_once_and_a_broken_one_too(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: dict[str, Any] = vars(sys)["modules"]
    monkeypatch.setitem(runs, "curator_runs", 0)
    application = open_plugin(
        workshop,
        mcp__s__tools__add=TOOL,
        mcp__t__tools__add=TOOL,
        mcp__t__layout=COUNTING + BROKEN,
    )
    messages: set[str] = set()
    for _ in range(3):
        with pytest.raises(PluginError, match=r"cannot import curator_t\.mcp\.t\.layout") as caught:
            application.open(call("tool:t/add", a=1))
        assert isinstance(caught.value.__cause__, ModuleNotFoundError)
        messages.add(caught.value.message)
    assert (len(messages), runs["curator_runs"]) == (1, 1)
    # It costs the other server nothing.
    assert len(await shown(application, "tool:s/add", a=1)) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LAYOUT.replace("@layout", "@print\n@layout"), "frame is no longer a layout"),
        (LAYOUT.replace("5,", "FIVE,"), "layout.py:3:16: TA4806 render is read without running"),
        (LAYOUT.replace("children: Node,", "child: Node,"), "layout frame takes by name children"),
    ],
)
def test_a_layout_in_error_is_one_line_with_its_place(
    workshop: Workshop, text: str, message: str
) -> None:
    application = open_plugin(workshop, cli__show=NODES, layout=text)
    with pytest.raises(PluginError) as caught:
        application.open(call("show"))
    assert message in caught.value.message
    assert caught.value.message.startswith(("cannot import", str(application.plugin.root)))


# ------------------------------------------------------------------------------ resources, prompts

RESOURCE = """
from trio_agent import resource
@resource(uri="curator://book/{number}")
async def book(number: int) -> str:
    return f"book {number}"
"""
PROMPT = """
from trio_agent import Message, prompt
@prompt()
async def triage(count: int) -> list[Message]:
    return [Message("user", "again")] * count
"""


async def test_a_resource_and_a_prompt_are_opened_by_their_ids(workshop: Workshop) -> None:
    application = open_plugin(
        workshop, mcp__s__resources__book=RESOURCE, mcp__s__prompts__triage=PROMPT, layout=OUTER
    )
    book = application.load_resource(found(application, "resource:s/book"))
    variables = book.match("curator://book/7")
    assert variables == {"number": "7"}
    told = await shown(application, "resource:s/book", **variables)
    assert told == ["outer resource:s/book", "book 7"]
    triage = application.load_prompt(found(application, "prompt:s/triage"))
    assert triage.has_messages
    again = await shown(application, "prompt:s/triage", count="2")
    assert again == ["outer prompt:s/triage", "again", "again"]
    with pytest.raises(RequestError, match="it has resource:s/book, prompt:s/triage"):
        application.open(call("tool:s/book"))


def test_a_resource_whose_variables_are_no_parameters_is_one_line_with_its_place(
    workshop: Workshop,
) -> None:
    application = open_plugin(
        workshop,
        mcp__s__resources__book=RESOURCE.replace("{number}", "{id}"),
        mcp__s__prompts__triage=PROMPT.replace("count: int", "count: list[int]"),
    )
    with pytest.raises(PluginError, match=r"book\.py:4: the URI .* has the variable id"):
        application.load_resource(found(application, "resource:s/book"))
    with pytest.raises(PluginError, match=r"triage\.py:4: the argument count of triage is array"):
        application.load_prompt(found(application, "prompt:s/triage"))
