"""What a layout encloses: its root dissolves, wherever and whenever it comes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trio_agent.errors import ContractError
from trio_agent.protocol.assembler import Assembler, BoundaryReplaced, ShellShown
from trio_agent.protocol.filling import find_enclosing, find_only
from trio_agent.protocol.rows import (
    ROOT_ROW,
    BoundaryItem,
    EnclosedItem,
    Item,
    LazyItem,
    ModelRow,
    ResultItem,
)
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import MarkdownNode, TextNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode

HEAD, BODY, MORE = MarkdownNode("# Head"), TextNode("body"), TextNode("more")
NOTED, SHELL = Json.of({"from": "route", "note": 1}), Json.of({"from": "layout"})
BOTH = Json.of({"from": "layout", "note": 1})


def enclosed(*items: Item) -> EnclosedItem:
    return EnclosedItem(items, "audit")


def root_of(*rows: Sequence[Item]) -> tuple[AgentDocument, ResultNode]:
    """The document of these rows, and its root."""
    assembler = Assembler()
    for row, items in enumerate(rows):
        assembler.feed(ModelRow(ROOT_ROW + row, items))
    assembler.finish()
    document = assembler.document()
    assert isinstance(document.root, ResultNode)
    return document, document.root


def layout(*items: Item, value: Json | None = None) -> list[Item]:
    return [ResultItem(items, value, SHELL)]


# ---------------------------------------------------------------------------------- one row


@pytest.mark.parametrize("value", [None, Json.of(None), Json.of({"ready": True})])
def test_a_root_dissolves_with_its_metadata_whether_or_not_it_has_a_value(
    value: Json | None,
) -> None:
    route = ResultItem([BODY, MORE], value, NOTED)
    document, root = root_of(layout(HEAD, enclosed([[route]]), HEAD))
    assert root.children == (HEAD, BODY, MORE, HEAD)
    assert root.metadata == BOTH
    assert document.value == value


def test_a_root_that_was_finished_already_dissolves_too() -> None:
    _, root = root_of(layout(HEAD, enclosed(ResultNode.of([BODY, MORE]))))
    assert root.children == (HEAD, BODY, MORE)


@pytest.mark.parametrize("route", [[], [BODY], [BODY, MORE], [BODY, [ResultItem([MORE])]]])
def test_what_is_no_single_result_is_a_fragment(route: list[Item]) -> None:
    plain: list[DocumentNode] = [BODY] if len(route) == 1 else [BODY, MORE]
    _, root = root_of(layout(HEAD, enclosed(*route)))
    expected = {0: [], 1: plain, 2: plain}[len(route)]
    if route and isinstance(route[-1], list):
        expected = [BODY, ResultNode.of([MORE])]
    assert root.children == (HEAD, *expected)
    assert root.metadata == SHELL


def test_layouts_in_layouts_leave_no_level() -> None:
    route = enclosed(ResultItem([BODY], Json.of(1), NOTED))
    server = enclosed(ResultItem([MORE, route], None, Json.of({"from": "server", "server": 2})))
    document, root = root_of(layout(HEAD, server))
    assert root.children == (HEAD, MORE, BODY)
    assert root.metadata == Json.of({"from": "layout", "note": 1, "server": 2})
    assert document.value == Json.of(1)


def test_the_one_root_is_found_through_what_is_enclosed() -> None:
    # A layout that returns its children alone: nothing has to be wrapped.
    document, root = root_of([enclosed([enclosed(ResultItem([BODY], Json.of(1), NOTED))])])
    assert root == ResultNode.of([BODY], NOTED)
    assert document.value == Json.of(1)


def test_a_root_dissolves_into_the_wrapper_of_a_layout_that_is_a_list() -> None:
    document, root = root_of([HEAD, enclosed(ResultItem([BODY], None, NOTED))])
    assert root == ResultNode.of([HEAD, BODY], NOTED)
    assert document.value is None


def test_what_carries_something_for_the_root_dissolves_on_the_way() -> None:
    route = enclosed(ResultItem([BODY], None, NOTED))
    _, root = root_of(layout(HEAD, ResultItem([MORE, route], None, Json.of({"inner": 1}))))
    assert root.children == (HEAD, MORE, BODY)
    assert root.metadata == Json.of({"from": "layout", "note": 1, "inner": 1})


def test_a_level_of_the_layout_stays_where_nothing_climbs_through_it() -> None:
    inner = ResultItem([MORE, enclosed(ResultItem([BODY, BoundaryItem([])]))])
    _, root = root_of(layout(HEAD, inner))
    assert root.children == (HEAD, ResultNode.of([MORE, BODY]))


def test_a_second_value_is_an_error_that_names_the_root() -> None:
    route = enclosed(ResultItem([], Json.of(1)))
    with pytest.raises(
        ContractError, match="in one result: root and the root of audit; "
    ) as caught:
        root_of(layout(route, value=Json.of(2)))
    assert caught.value.code == "ambiguous-value"


def test_a_value_of_the_layout_and_metadata_of_the_route_join() -> None:
    route = enclosed(ResultItem([], None, NOTED))
    document, root = root_of(layout(route, value=Json.of(2)))
    assert (document.value, root.metadata) == (Json.of(2), BOTH)


@pytest.mark.parametrize("order", [1, -1])
def test_a_root_wins_over_a_value_beside_it_whatever_comes_first(order: int) -> None:
    route = enclosed(ResultItem([], None, Json.of({"of": "route"})))
    beside = ResultItem([], Json.of(1), Json.of({"of": "value", "more": 1}))
    both: list[Item] = [route, beside]
    document, root = root_of(both[::order])
    assert root.metadata == Json.of({"of": "route", "more": 1})
    assert document.value == Json.of(1)


def test_metadata_join_from_the_inside_as_if_each_root_had_its_level() -> None:
    route = enclosed(ResultItem([ResultItem([], Json.of(1), NOTED)], None, Json.of("scalar")))
    _, root = root_of(layout(route))
    assert root.metadata == SHELL


# ---------------------------------------------------------------------------------- late rows


def test_what_is_enclosed_adds_no_level_to_boundary_ids() -> None:
    assembler = Assembler()
    late = BoundaryItem(LazyItem(1))
    route = enclosed(ResultItem([BODY, late], None, NOTED))
    assembler.feed(ModelRow(ROOT_ROW, layout(HEAD, route, BoundaryItem(LazyItem(2)))))
    assert assembler.feed(ModelRow(1, [])) == [BoundaryReplaced("b:2")]
    assert assembler.feed(ModelRow(2, [])) == [BoundaryReplaced("b:3")]


def test_a_value_that_comes_late_joins_the_metadata_that_came_before() -> None:
    late = ResultItem([MORE], Json.of(1), Json.of({"late": 1, "note": 2}))
    route = enclosed(ResultItem([BoundaryItem(LazyItem(1), [BODY])], None, NOTED))
    assembler = Assembler()
    assembler.feed(ModelRow(ROOT_ROW, layout(HEAD, ResultItem([route]))))
    before = assembler.document()
    assert before.root == ResultNode.of([HEAD, BODY], BOTH)
    assert before.value is None
    assembler.feed(ModelRow(1, [late]))
    after = assembler.document()
    assert after.root == ResultNode.of(
        [HEAD, MORE], Json.of({"late": 1, "note": 1, "from": "layout"})
    )
    assert after.value == Json.of(1)


@pytest.mark.parametrize(
    "rows",
    [
        ([enclosed(LazyItem(1))], [ResultItem([BODY], None, NOTED)]),
        ([enclosed(LazyItem(1))], [LazyItem(2)], [[ResultItem([BODY], None, NOTED)]]),
        ([LazyItem(1)], [enclosed(ResultItem([BODY], None, NOTED))]),
        ([LazyItem(1)], [enclosed([], LazyItem(2))], [ResultItem([BODY], None, NOTED)]),
        ([BoundaryItem(LazyItem(1))], [enclosed(ResultItem([BODY], None, NOTED))]),
        ([BoundaryItem(LazyItem(1))], [[enclosed(LazyItem(2))]], [ResultItem([BODY], None, NOTED)]),
        ([BoundaryItem([enclosed(ResultItem([BODY], None, NOTED))])],),
    ],
)
def test_a_root_may_come_in_rows_of_its_own_and_in_boundaries(rows: list[list[Item]]) -> None:
    first, *others = rows
    _, root = root_of(layout(HEAD, *first), *others)
    assert root == ResultNode.of([HEAD, BODY], BOTH)


def test_a_row_beside_what_is_enclosed_is_not_its_root() -> None:
    rows: list[list[Item]] = [[LazyItem(2), enclosed()], [ResultItem([BODY])]]
    _, root = root_of(layout(HEAD, BoundaryItem(LazyItem(1))), *rows)
    assert root.children == (HEAD, ResultNode.of([BODY]))


def test_a_boundary_that_turns_into_a_result_is_not_the_root() -> None:
    # As without a layout: what was authored decides, never what a boundary becomes.
    _, root = root_of(layout(enclosed(BoundaryItem([ResultItem([BODY])]))))
    assert root.children == (ResultNode.of([BODY]),)
    with pytest.raises(ContractError, match="metadata, which nothing would project"):
        root_of(layout(enclosed(BoundaryItem([ResultItem([BODY], None, NOTED)]))))


def test_in_a_fallback_nothing_climbs() -> None:
    route = enclosed(ResultItem([BODY], None, NOTED))
    assembler = Assembler()
    shown = assembler.feed(ModelRow(ROOT_ROW, layout(BoundaryItem(LazyItem(1), [route]))))
    assert shown == (ShellShown(),)
    assert assembler.document().root == ResultNode.of([ResultNode.of([BODY], NOTED)], SHELL)
    assembler.feed(ModelRow(1, [MORE]))
    assembler.finish()
    assert assembler.document().root == ResultNode.of([MORE], SHELL)


# ---------------------------------------------------------------------------------- finding


def test_the_only_item_is_found_in_what_is_enclosed_and_knows_by_whom() -> None:
    lazy = LazyItem(1)
    assert find_only([enclosed([], [lazy])]) is lazy
    assert find_only([enclosed(lazy), enclosed(BODY)]) is None
    assert find_enclosing([[], enclosed([lazy])], lazy) == "audit"
    assert find_enclosing([EnclosedItem([enclosed(lazy)], "outer")], lazy) == "outer"
    assert find_enclosing([enclosed(), [lazy]], lazy) is None
    with pytest.raises(AssertionError, match="somewhere else"):
        find_enclosing([enclosed()], lazy)
