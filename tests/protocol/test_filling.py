"""Filling: who waits for which row, and what a row may hold."""

from __future__ import annotations

from typing import cast

import pytest

from trio_agent.errors import ContractError
from trio_agent.limits import DEEPEST
from trio_agent.protocol.boundary import Context
from trio_agent.protocol.filling import Construction, Filling, Slot
from trio_agent.protocol.rows import BoundaryItem, ErrorRow, Item, LazyItem, ModelRow, ResultItem
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, TextNode
from trio_agent.vocabulary.media import ImageNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode

TEXT = TextNode("text")
ROOT = Context(None, (), may_carry_value=True)


def slot() -> Slot:
    return Slot(ROOT, ())


def landings(construction: Construction) -> list[int]:
    ids = []
    while (landing := construction.take_landing()) is not None:
        ids.append(landing[0].id)
    return ids


# ---------------------------------------------------------------------------------- rows and places


def test_a_row_lands_where_it_is_expected() -> None:
    construction, place, row = Construction(), slot(), ModelRow(1, ())
    construction.expect(1, place)
    assert construction.take_landing() is None
    construction.arrive(row)
    assert construction.take_landing() == (row, place)
    assert construction.take_landing() is None


def test_a_row_that_nothing_has_named_yet_is_kept() -> None:
    construction, place, row = Construction(), slot(), ModelRow(1, ())
    construction.arrive(row)
    assert construction.take_landing() is None
    construction.expect(1, place)
    assert construction.take_landing() == (row, place)


def test_rows_that_were_early_land_depth_first_in_the_order_of_their_places() -> None:
    construction = Construction()
    for row in (1, 2, 3, 4):
        construction.arrive(ModelRow(row, ()))
    construction.expect(1, slot())
    construction.expect(4, slot())
    first = construction.take_landing()
    assert first is not None
    assert first[0].id == 1
    construction.expect(2, slot())
    construction.expect(3, slot())
    assert landings(construction) == [2, 3, 4]


@pytest.mark.parametrize("named", ["never", "before", "after"])
def test_a_row_that_comes_twice_is_refused(named: str) -> None:
    construction = Construction()
    if named == "before":
        construction.expect(1, slot())
    construction.arrive(ModelRow(1, ()))
    if named == "after":
        construction.expect(1, slot())
    with pytest.raises(ContractError, match="row 1 came twice") as caught:
        construction.arrive(ErrorRow(1, "boundary", "broke"))
    assert caught.value.code == "invalid-document"


@pytest.mark.parametrize("arrived", ["never", "before", "between"])
def test_a_row_that_two_places_name_is_refused(arrived: str) -> None:
    construction = Construction()
    if arrived == "before":
        construction.arrive(ModelRow(1, ()))
    construction.expect(1, slot())
    if arrived == "between":
        construction.arrive(ModelRow(1, ()))
    with pytest.raises(ContractError, match="two places name row 1") as caught:
        construction.expect(1, slot())
    assert caught.value.code == "invalid-document"


# ---------------------------------------------------------------------------------- items


def fill(*items: Item) -> Context:
    context = Context(None, (), may_carry_value=True)
    Filling(Construction(), context, context.group, ()).fill(items)
    return context


def nodes_of(context: Context) -> list[DocumentNode]:
    return [node for chunk in context.group.chunks for node in chunk.nodes]


def test_leaves_bring_their_totals() -> None:
    image, error = ImageNode(data="aGk=", mime_type="image/png"), ErrorNode("code", "message")
    group = fill(TEXT, image, error).group
    assert group.to_node() == ResultNode.of([TEXT, image, error])
    assert (group.length, group.size) == (3, TEXT.size + image.size + error.size)
    assert (group.media, group.errors) == (image.media, 1)


def test_lists_flatten_and_take_no_index() -> None:
    context = fill([TEXT, [], (TEXT, [BoundaryItem(LazyItem(1))])], BoundaryItem(LazyItem(2)))
    assert nodes_of(context) == [TEXT, TEXT]
    assert [boundary.id for boundary in context.boundaries or ()] == ["b:2", "b:3"]


def test_a_result_takes_an_index_and_adds_a_level() -> None:
    context = fill(TEXT, ResultItem([TEXT, BoundaryItem(LazyItem(1))]))
    assert [boundary.id for boundary in context.boundaries or ()] == ["b:1.1"]


def test_content_has_the_path_of_its_boundary_and_a_fallback_one_step_more() -> None:
    context = fill(BoundaryItem([BoundaryItem(LazyItem(1))], [TEXT]))
    outer = (context.boundaries or [])[0]
    assert [boundary.id for boundary in outer.content.boundaries or ()] == ["b:0.0"]
    context = fill(BoundaryItem(LazyItem(1), [TEXT, BoundaryItem(LazyItem(2))]))
    outer = (context.boundaries or [])[0]
    assert [boundary.id for boundary in outer.fallback.boundaries or ()] == ["b:0.f.1"]


def test_the_fallback_of_what_is_there_is_not_looked_at() -> None:
    context = fill(
        BoundaryItem([TEXT], [LazyItem(1)]), BoundaryItem(ErrorRow(-1, "c", "m"), [TEXT])
    )
    assert nodes_of(context) == [TEXT, ErrorNode("c", "m")]
    assert context.pending == 0


def test_a_lazy_and_a_blocking_boundary_are_waited_for() -> None:
    assert fill(LazyItem(1)).pending == 1
    assert fill(BoundaryItem(LazyItem(1), [LazyItem(2)])).pending == 1
    assert fill(BoundaryItem(LazyItem(1), [TEXT])).pending == 0


def test_values_in_one_row_meet() -> None:
    one, two = ResultItem([], Json.of(1)), ResultItem([], Json.of(2))
    with pytest.raises(ContractError, match=r"one result: 0\.0 and 1; "):
        fill(ResultItem([one]), two)


def test_a_value_in_a_fallback_is_refused_with_its_place() -> None:
    nested = ResultItem([ResultItem([], Json.of(1))])
    with pytest.raises(ContractError, match=r"at 1\.f\.0\.0 has one") as caught:
        fill(TEXT, BoundaryItem(LazyItem(1), [nested]))
    assert caught.value.code == "invalid-element"


def test_what_is_no_item_is_refused() -> None:
    with pytest.raises(ContractError, match="a row holds 'bare text'") as caught:
        fill(cast("Item", "bare text"))
    assert caught.value.code == "invalid-document"


def test_the_deepest_tree_that_a_limit_allows_fits_in_pythons_stack() -> None:
    item: Item = TEXT
    for _ in range(DEEPEST // 2):
        item = BoundaryItem([ResultItem([[item]])])
    assert fill(item).group.length == 1
