"""Rows are values that cannot be changed and that nobody compares."""

from __future__ import annotations

import copy

import attrs
import pytest

from trio_agent.protocol.rows import (
    ROOT_ROW,
    BoundaryItem,
    ErrorRow,
    Item,
    LazyItem,
    ModelRow,
    ResultItem,
    finish_result,
)
from trio_agent.vocabulary.leaf import ErrorNode, TextNode
from trio_agent.vocabulary.media import ImageNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode

ROWS = (
    LazyItem(1),
    ResultItem(()),
    ErrorRow(1, "boundary", "broke"),
    BoundaryItem(LazyItem(1)),
    ModelRow(ROOT_ROW, ()),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: type(row).__name__)
def test_a_row_cannot_be_changed(row: attrs.AttrsInstance) -> None:
    for field in attrs.fields(type(row)):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(row, field.name, None)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: type(row).__name__)
def test_a_row_is_only_itself(row: attrs.AttrsInstance) -> None:
    twin = copy.copy(row)
    assert row != twin
    assert len({row, twin}) == 2


def test_what_is_left_out_is_absent() -> None:
    assert ResultItem(()).value is None
    assert ResultItem(()).metadata is None
    assert BoundaryItem(()).fallback == ()
    assert ErrorRow(1, "boundary", "broke").data is None


def test_a_result_of_finished_nodes_alone_can_be_finished() -> None:
    image = ImageNode(data="aGk=", mime_type="image/png")
    nodes: list[DocumentNode] = [
        TextNode("text"),
        image,
        ErrorNode("code", "message"),
        ResultNode.of([image]),
    ]
    finished, wanted = finish_result([*nodes]), ResultNode.of(nodes)
    assert finished is not None
    assert finished == wanted
    assert finished.wire_text() == wanted.wire_text()
    assert (finished.size, finished.media, finished.errors) == (wanted.size, wanted.media, 1)


def test_an_empty_result_can_be_finished() -> None:
    finished = finish_result([])
    assert finished == ResultNode.of([])
    assert finished is not None
    assert finished.size == len(finished.wire_text())


@pytest.mark.parametrize("item", [LazyItem(1), BoundaryItem([]), ResultItem([]), []])
def test_a_result_in_which_something_may_change_or_merge_cannot_be_finished(item: Item) -> None:
    assert finish_result([TextNode("text"), item]) is None
