"""Rows are values that cannot be changed and that nobody compares."""

from __future__ import annotations

import copy

import attrs
import pytest

from trio_agent.protocol.rows import (
    ROOT_ROW,
    BoundaryItem,
    ErrorRow,
    LazyItem,
    ModelRow,
    ResultItem,
)

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
