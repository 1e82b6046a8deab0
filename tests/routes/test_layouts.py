"""Layouts: what stands around a route, in which order, and what is left of the route's root."""

from collections.abc import Callable
from typing import Any, cast

import attrs
import pytest
import trio

from tests.trees import After, Behind, Gates, texts
from trio_agent import (
    Agent,
    Node,
    RouteInfo,
    Suspense,
    agent,
    command,
    component,
    layout,
    tool,
    use,
)
from trio_agent.errors import ContractError, InvocationError
from trio_agent.routes.handler import Handled
from trio_agent.routes.layouts import LayoutChain, LayoutRoute
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import RouteRecord
from trio_agent.testing import Rendered, SingleTree, render, render_failure
from trio_agent.vocabulary.element import EnclosedElement
from trio_agent.vocabulary.event import ReplaceEvent

INFO = RouteInfo(id="tool:curator/audit", kind="tool", name="audit", server="curator")


@layout()
def root_layout(children: Node, route: RouteInfo) -> Node:
    return Agent.Result(
        Agent.Text("header"), children, Agent.Context("footer"), metadata={"route": route.id}
    )


@layout()
async def server_layout(children: Node) -> Node:
    await trio.lowlevel.checkpoint()
    return Agent.Result(Agent.Text("server"), children, metadata={"server": 1, "route": "inner"})


@layout()
def silent(children: Node) -> Node:
    return Agent.Result(children)


def inside(route: Handled, *layouts: LayoutRoute, **props: object) -> SingleTree:
    chain = LayoutChain(layouts, INFO)
    element = route.element(route.structure(props), layouts=chain)
    return SingleTree(element, check_value=route.check_value)


async def show(route: Handled, *layouts: LayoutRoute, **props: object) -> Rendered:
    return await render(inside(route, *layouts, **props))


def metadata(rendered: Rendered) -> object:
    found = rendered.root.metadata
    return None if found is None else found.value


# ------------------------------------------------------------------------------ what dissolves


def valued() -> Node:
    return Agent.Result(Agent.Markdown("# Ready"), value={"ready": True}, metadata={"of": "route"})


def noted() -> Node:
    return Agent.Result(Agent.Markdown("# Ready"), metadata={"of": "route", "route": "mine"})


@component
async def Later(node: Node) -> Node:
    await trio.lowlevel.checkpoint()
    return node


@component
def Now(node: Node) -> Node:
    return [node]


WAYS: dict[str, Callable[[Node], Node]] = {
    "itself": lambda node: node,
    "in lists": lambda node: [[node], None],
    "of a def component": Now,
    "of an async component": Later,
    "of components": lambda node: Later(Now(node)),
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_root_with_a_value_dissolves_into_both_layouts(way: str) -> None:
    @tool()
    async def audit() -> Node:
        return WAYS[way](valued())

    rendered = await show(audit, root_layout, server_layout)
    assert texts(rendered.root) == ["header", "server", "# Ready", "footer"]
    assert rendered.value == {"ready": True}
    assert metadata(rendered) == {"of": "route", "server": 1, "route": "tool:curator/audit"}
    assert {node.kind for node in rendered.root.children} == {"text", "markdown", "context"}


@pytest.mark.parametrize("way", WAYS)
async def test_a_root_without_a_value_dissolves_with_its_metadata(way: str) -> None:
    @tool()
    async def audit() -> Node:
        return WAYS[way](noted())

    rendered = await show(audit, root_layout)
    assert texts(rendered.root) == ["header", "# Ready", "footer"]
    assert [node.kind for node in rendered.root.children] == ["text", "markdown", "context"]
    assert rendered.document.value is None
    assert metadata(rendered) == {"of": "route", "route": "tool:curator/audit"}


async def test_data_lists_and_leaves_stand_where_the_children_stand() -> None:
    @tool()
    async def count() -> int:
        return 3

    @tool()
    async def two() -> Node:
        return [Agent.Text("one"), Agent.Result(Agent.Text("two"))]

    @tool()
    async def leaf() -> Node:
        return Agent.Text("one")

    counted = await show(count, root_layout)
    assert (counted.value, len(counted.root.children)) == (3, 3)
    listed = await show(two, root_layout)
    assert [node.kind for node in listed.root.children] == ["text", "text", "result", "context"]
    assert texts((await show(leaf, root_layout)).root) == ["header", "one", "footer"]


async def test_a_value_in_a_boundary_climbs_through_the_layouts_when_it_comes(
    autojump_clock: object,
) -> None:
    @tool()
    async def audit() -> Node:
        return Suspense(After(1, valued()), fallback=Agent.Progress(message="wait"))

    rendered = await show(audit, root_layout, server_layout)
    shell, replace, _ = rendered.events
    assert isinstance(replace, ReplaceEvent)
    assert texts(cast("Any", shell).document.root) == ["header", "server", "wait", "footer"]
    assert cast("Any", shell).document.value is None
    assert (rendered.value, replace.boundary_id) == ({"ready": True}, "b:2")
    assert metadata(rendered) == {"of": "route", "server": 1, "route": "tool:curator/audit"}


async def test_a_boundary_that_turns_into_a_result_is_treated_as_without_layouts(
    autojump_clock: object,
) -> None:
    @tool()
    async def plain() -> Node:
        return Suspense(After(1, Agent.Result(Agent.Text("x"))))

    @tool()
    async def stray() -> Node:
        return Suspense(After(1, noted()))

    alone = await render(plain.element(plain.structure({})))
    assert (await show(plain, silent)).document == alone.document
    assert [node.kind for node in alone.root.children] == ["result"]
    for tree in (stray.element(stray.structure({})), inside(stray, root_layout)):
        failed = await render_failure(tree)
        assert failed.error.code == "invalid-document"
        assert "metadata, which nothing would project" in failed.error.message


async def test_a_represented_error_keeps_what_the_layout_says() -> None:
    # Surfaces B 23: status, value and metadata; the projection makes `isError` and `_meta` of it.
    @tool()
    async def find() -> Node:
        return Agent.Result(Agent.Error("E_NOT_FOUND", "no entry"), value={"found": False})

    rendered = await show(find, root_layout)
    assert rendered.document.status == "represented-error"
    assert texts(rendered.root) == ["header", "[E_NOT_FOUND] no entry", "footer"]
    assert (rendered.value, metadata(rendered)) == (
        {"found": False},
        {"route": "tool:curator/audit"},
    )


async def test_two_values_name_the_layout_and_the_route() -> None:
    @layout()
    def valuable(children: Node) -> Node:
        return Agent.Result(children, value=1)

    @tool()
    async def audit() -> Node:
        return valued()

    failed = await render_failure(inside(audit, valuable))
    assert failed.error.code == "ambiguous-value"
    assert "root and the root of test_two_values" in failed.error.message
    assert ".audit; a document has one value" in failed.error.message


# ------------------------------------------------------------------------------ when it renders


@pytest.mark.parametrize("kind", ["async", "thread", "here"])
async def test_a_handler_that_raises_fails_the_render_and_no_layout_begins(kind: str) -> None:
    begun: list[str] = []

    @layout()
    def watching(children: Node) -> Node:
        begun.append("layout")
        return Agent.Result(Suspense(children, fallback=Agent.Text("wait")))

    def fails() -> Node:
        raise LookupError("not there")

    async def fails_later() -> Node:
        return fails()

    routes = {"async": tool()(fails_later), "thread": tool()(fails)}
    route = routes.get(kind) or tool(thread=False)(fails)
    failed = await render_failure(inside(route, watching))
    assert (failed.error.code, failed.error.message) == ("render-failed", "not there")
    assert (failed.events, begun) == ((), [])


@pytest.mark.parametrize("kind", ["async", "thread", "here"])
async def test_every_way_to_run_gives_the_same_inside_layouts(kind: str) -> None:
    def count(upto: int) -> list[int]:
        return [*range(upto)]

    async def count_later(upto: int) -> list[int]:
        return count(upto)

    routes = {"async": tool()(count_later), "thread": tool()(count)}
    route = routes.get(kind) or tool(thread=False)(count)
    rendered = await show(route, root_layout, server_layout, upto=3)
    assert rendered.value == [0, 1, 2]
    assert len(rendered.root.children) == 4


async def test_boundaries_of_the_route_stream_inside_a_layout() -> None:
    gates = Gates()

    @tool()
    async def audit() -> Node:
        return [Agent.Text("a"), Suspense(Behind(gates.a, Agent.Text("b")))]

    gates.a.set()
    rendered = await show(audit, silent)
    assert texts(rendered.root) == ["a", "b"]


async def test_a_layout_may_show_a_fallback_for_what_suspends_in_the_route(
    autojump_clock: object,
) -> None:
    @layout()
    def covering(children: Node) -> Node:
        return Agent.Result(Suspense(children, fallback=Agent.Text("wait")), metadata={"a": 1})

    @tool()
    async def audit() -> Node:
        return After(1, Agent.Result(Agent.Text("x"), value=1, metadata={"b": 2}))

    rendered = await show(audit, covering)
    assert texts(cast("Any", rendered.events[0]).document.root) == ["wait"]
    assert (texts(rendered.root), rendered.value) == (["x"], 1)
    assert metadata(rendered) == {"a": 1, "b": 2}


async def test_a_layout_may_leave_out_its_children_or_show_them_alone() -> None:
    @layout()
    def hiding(children: Node) -> Node:
        return Agent.Text("hidden")

    @layout()
    def bare(children: Node) -> Node:
        return children

    @tool()
    async def audit() -> Node:
        return valued()

    assert texts((await show(audit, hiding)).root) == ["hidden"]
    alone = await render(audit.element(audit.structure({})))
    assert (await show(audit, bare)).document == alone.document


async def test_a_layout_is_a_component_with_the_request() -> None:
    seen: list[object] = []

    @layout()
    async def asking(*, children: Node, context: object, route: RouteInfo) -> Node:
        seen.extend((context is agent(), route))
        return children

    @layout()
    def using(children: Node, context: Any) -> Node:
        return [Agent.Text(use(context.defer(trio.lowlevel.checkpoint))), children]

    @tool()
    async def audit() -> int:
        return 1

    assert (await show(audit, asking)).value == 1
    assert seen == [True, INFO]
    # As in any `def` component.
    failed = await render_failure(inside(audit, using))
    assert "may run again" in failed.error.message


async def test_errors_name_the_function_that_is_to_blame() -> None:
    @tool()
    async def audit() -> Node:
        return Agent.Result(cast("Node", "bare"))

    @layout()
    def broken(children: Node) -> Node:
        return Agent.Result(children, cast("Node", 3))

    failed = await render_failure(inside(audit, root_layout))
    assert str(failed.cause).endswith(".audit, at Result > [0])")
    fine = command()(_one)
    failed = await render_failure(inside(fine, root_layout, broken))
    assert ".broken, at Result > [1])" in str(failed.cause)


async def _one() -> int:
    return 1


async def test_a_bare_coroutine_of_a_route_is_closed_when_its_layout_gives_up() -> None:
    @tool()
    async def audit() -> Node:
        return [cast("Node", 3), cast("Node", _one())]

    failed = await render_failure(inside(audit, silent))
    assert failed.error.code == "invalid-element"


# ------------------------------------------------------------------------------ the decorator


def test_what_the_decorator_said_is_kept() -> None:
    @layout(render={"max_elapsed_s": 5})
    def frame(children: Node, route: RouteInfo) -> Node:
        return [Agent.Text(route.name), children]

    assert isinstance(frame, LayoutRoute)
    assert frame.limits == {"max_elapsed_s": 5}
    assert frame.parameters == {"children", "route"}
    assert frame.name.endswith("frame")
    shown = cast("list[Any]", frame.handler(None, INFO))
    assert shown[0].text == "audit"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        frame.name = "other"  # type: ignore[misc]  # wrong on purpose


def test_the_limits_of_a_route_win_and_then_those_of_the_innermost_layout() -> None:
    outer = layout(render={"max_elapsed_s": 5, "max_events": 5, "max_event_rate": 5})(_frame)
    inner = layout(render={"max_events": 6, "max_event_rate": 6})(_frame)
    chain = LayoutChain((outer, inner), INFO)
    limits = chain.limits_of({"max_event_rate": 7})
    assert limits == {"max_elapsed_s": 5, "max_events": 6, "max_event_rate": 7}
    assert outer.limits["max_events"] == 5


def _frame(children: Node) -> Node:
    return children


def _takes_nothing() -> Node: ...
def _takes_more(children: Node, other: int) -> Node: ...
def _takes_any(children: Node, *route: int) -> Node: ...
def _takes_by_place(children: Node, /) -> Node: ...


def yielding(children: Node) -> Any:
    yield children


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_takes_nothing, "takes by name children and, if it wants them, route and context;"),
        (_takes_nothing, "received nothing"),
        (_takes_more, "received children, other"),
        (_takes_any, "received children, route"),
        (_takes_by_place, "layout _takes_by_place takes by name children"),
        (yielding, "yielding yields"),
        (len, "@layout takes a def or an async def"),
    ],
)
def test_a_function_that_takes_something_else_is_no_layout(function: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        layout()(function)
    assert [*yielding(None)] == [_frame(None)] == [None]


def test_limits_out_of_range_are_refused() -> None:
    with pytest.raises(ContractError, match="at most 86400"):
        layout(render={"max_elapsed_s": 86_401})
    with pytest.raises(PluginError, match="@layout: render is an object of limits, received 3"):
        layout(render=cast("Any", 3))


def test_what_a_layout_is_told_of_its_route_is_known_before_anything_runs() -> None:
    record = RouteRecord(
        id="prompt:curator/triage", kind="prompt", server="curator", path="x.py", module="x"
    )
    assert RouteInfo.of(record) == RouteInfo(
        id="prompt:curator/triage", kind="prompt", name="triage", server="curator"
    )
    words = RouteRecord(id="cli:db/x", kind="cli", words=("db", "x"), path="x.py", module="x")
    assert RouteInfo.of(words) == RouteInfo(id="cli:db/x", kind="cli", name="db x")


async def test_what_is_enclosed_may_be_rendered_by_itself() -> None:
    rendered = await render(EnclosedElement(valued(), "audit"))
    assert rendered.value == {"ready": True}
    with pytest.raises(InvocationError, match="the tree holds a bare number"):
        await render(EnclosedElement(cast("Node", 3), "audit"))
