"""The reference's cases about layouts and about routes that a host calls; the others: test_cases.

Runtime B 29 to 44 again, this time with layouts, which is what the reference merges for.  Where
ours differs from what it does with a container by hand, in `test_cases`, a line says so.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, cast

import pytest

from tests.test_cases import code_of, kinds, members
from tests.trees import After, Fails_after
from trio_agent import Agent, LimitOverrides, Node, RouteInfo, Suspense, layout, prompt, tool
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.routes.layouts import LayoutChain, LayoutRoute
from trio_agent.testing import Rendered, render, render_failure
from trio_agent.vocabulary.element import Element

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from trio_agent.routes.handler import Handled

INFO = RouteInfo(id="tool:curator/audit", kind="tool", name="audit", server="curator")


def around(route: Handled, *layouts: LayoutRoute) -> Element:
    chain = LayoutChain(layouts, INFO) if layouts else None
    return route.element(route.structure({}), layouts=chain)


def routed(make: Callable[[], Node]) -> Handled:
    async def audit() -> Node:
        return make()

    return tool()(audit)


def framed(metadata: object = ..., *, before: str = "", after: str = "") -> LayoutRoute:
    @layout()
    def frame(children: Node) -> Node:
        parts: list[Node] = [
            Agent.Text(before) if before else None,
            children,
            Agent.Context(after) if after else None,
        ]
        return Agent.Result(*parts) if metadata is ... else Agent.Result(*parts, metadata=metadata)

    return frame


async def shown(
    make: Callable[[], Node], *layouts: LayoutRoute
) -> tuple[dict[str, object], object]:
    wire = (await render(around(routed(make), *layouts))).document.to_wire()
    return cast("dict[str, object]", wire["root"]), wire.get("value", "absent")


async def limit_of(make: Callable[[], Node], *layouts: LayoutRoute, **limits: int) -> str:
    return await code_of(around(routed(make), *layouts), **limits)


def answer(*children: Node, metadata: object, value: object = 1) -> Callable[[], Node]:
    return lambda: Agent.Result(*children, metadata=metadata, value=value)


# ------------------------------------------------------------------------ runtime B: merging


async def test_case_029_a_layout_takes_up_its_route() -> None:
    route = answer(Agent.Markdown("# Ready"), metadata={"layout": "route"}, value={"ready": True})
    frame = framed({"layout": "root"}, before="header", after="footer")
    root, value = await shown(route, frame)
    assert kinds(root) == ["text", "markdown", "context"]
    assert (root["metadata"], value) == ({"layout": "root"}, {"ready": True})


@pytest.mark.parametrize(
    ("said", "expected"), [(..., {"from": "route"}), ("container", "container")]
)
async def test_cases_031_and_032_metadata_of_a_route_and_of_its_layout(
    said: object, expected: object
) -> None:
    root, value = await shown(answer(metadata={"from": "route"}), framed(said))
    assert (root["metadata"], value) == (expected, 1)


async def test_case_034_a_layout_with_a_value_of_its_own_is_an_error() -> None:
    # There the outer value wins and the inner one is lost without a word.
    @layout()
    def valuable(children: Node) -> Node:
        return Agent.Result(children, value="outer")

    route = routed(answer(metadata={}, value="inner"))
    assert (await render_failure(around(route, valuable))).error.code == "ambiguous-value"


async def test_case_035_a_route_without_a_value_leaves_no_level_behind() -> None:
    # There it stays nested, and its metadata are lost: the shape depends on the value.
    root, value = await shown(lambda: Agent.Result(Agent.Text("x"), metadata={"a": 1}), framed())
    assert (kinds(root), root["metadata"], value) == (["text"], {"a": 1}, "absent")
    # What a route nests in its own root stays nested.
    root, _ = await shown(lambda: Agent.Result(Agent.Result(Agent.Text("x"))), framed())
    assert kinds(root) == ["result"]


@pytest.mark.parametrize("where", ["layout", "route"])
async def test_case_037_a_date_is_not_flattened_in_a_merge_either(where: str) -> None:
    at = {"at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)}
    frame = framed(at if where == "layout" else {})
    route = routed(answer(metadata=at if where == "route" else {}))
    failed = await render_failure(around(route, frame))
    assert failed.error.code == "invalid-document"
    assert "metadata.at is an instance of datetime.datetime" in failed.error.message


async def test_case_038_merged_metadata_have_the_members_of_both() -> None:
    outer, inner = {"a": 1, "both": "outer"}, {"b": 2, "both": "inner"}
    root, _ = await shown(answer(metadata=inner), framed(outer))
    assert root["metadata"] == {"a": 1, "b": 2, "both": "outer"}
    assert (outer, inner) == ({"a": 1, "both": "outer"}, {"b": 2, "both": "inner"})


async def test_case_040_what_a_layout_overwrites_stays_charged() -> None:
    route = answer(Agent.Text("x" * 600), metadata={"note": "n" * 650})
    for overwriting in ({"note": "short"}, None):
        frame = framed(overwriting)
        assert await limit_of(route, frame, max_document_bytes=1024) == "document-bytes-exceeded"
        assert await limit_of(route, frame, max_document_bytes=2048) == ""


async def test_case_041_metadata_count_their_depth_where_they_were_written() -> None:
    route = answer(Agent.Text("x"), metadata={"a": {"b": {"c": "leaf"}}})
    assert await limit_of(route, framed(), max_document_depth=4) == "document-depth-exceeded"
    assert await limit_of(route, framed(), max_document_depth=5) == ""


async def test_case_043_both_metadata_of_a_merge_are_counted() -> None:
    code = await limit_of(
        answer(metadata=members("a", 20)), framed(members("b", 20)), max_document_nodes=30
    )
    assert code == "document-node-count-exceeded"


async def test_case_044_each_metadata_is_counted_once_through_two_layouts() -> None:
    tree = around(
        routed(answer(metadata=members("a", 2000))),
        framed({"shell": True}),
        framed(members("b", 2000)),
    )
    rendered = await render(tree, limits=LimitOverrides(max_document_nodes=5000))
    assert len(cast("dict[str, object]", metadata_of(rendered))) == 4001
    assert rendered.value == 1


def metadata_of(rendered: Rendered) -> object:
    return None if rendered.root.metadata is None else rendered.root.metadata.value


# ------------------------------------------------------------------------ surfaces B: calls


async def test_case_surfaces_020_bad_input_is_refused_before_the_handler_runs() -> None:
    entered: list[int] = []

    @tool()
    async def add(a: int) -> int:
        entered.append(a)
        return a

    with pytest.raises(SchemaError):
        add.structure({"a": "x"})
    assert entered == []
    assert (await render(add.element(add.structure({"a": 1})))).value == 1
    assert entered == [1]


async def test_case_surfaces_022_lists_and_scalars_promise_no_structured_content() -> None:
    @tool()
    async def listed() -> list[int]:
        return [1, 2]

    @tool()
    async def told() -> str:
        return "x"

    assert (listed.output_schema, told.output_schema) == (None, None)
    assert (await render(around(listed))).value == [1, 2]
    assert (await render(around(told))).value == "x"


async def test_case_surfaces_023_a_represented_error_keeps_value_and_metadata() -> None:
    route = routed(lambda: Agent.Result(Agent.Error("E_NOT_FOUND", "none"), value={"found": False}))
    rendered = await render(around(route, framed({"route": INFO.id})))
    assert rendered.document.status == "represented-error"
    assert (rendered.value, metadata_of(rendered)) == ({"found": False}, {"route": INFO.id})


async def test_case_surfaces_025_a_boundary_that_fails_keeps_value_and_metadata(
    autojump_clock: MockClock,
) -> None:
    late = Suspense(Fails_after(1, ValueError("late")), fallback=Agent.Text("wait"))
    route = routed(lambda: Agent.Result(Agent.Text("shown"), late, value={"ok": True}))
    rendered = await render(around(route, framed({"route": INFO.id})))
    assert [node.kind for node in rendered.root.children] == ["text", "error"]
    assert rendered.document.status == "represented-error"
    assert (rendered.value, metadata_of(rendered)) == ({"ok": True}, {"route": INFO.id})


async def test_case_surfaces_032_a_prompt_that_throws_has_no_document() -> None:
    @prompt()
    async def broken() -> str:
        raise LookupError("not there")

    failed = await render_failure(around(broken, framed({"route": INFO.id})))
    assert (failed.error.message, failed.events) == ("not there", ())


# ------------------------------------------------------------------------ surfaces H: layouts


async def test_case_surfaces_112_without_a_layout_every_byte_is_the_route_s(
    autojump_clock: MockClock,
) -> None:
    def make() -> Node:
        return [Agent.Text("a"), Suspense(After(1, Agent.Result(Agent.Text("b"), value=1)))]

    alone = await render(around(routed(make)))
    plain = await render(make())
    silent = await render(around(routed(make), framed(), framed()))
    texts = [[event.wire_text() for event in one.events] for one in (alone, plain, silent)]
    assert texts[0] == texts[1] == texts[2]
