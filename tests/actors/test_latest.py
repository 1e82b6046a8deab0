"""A latest keeps the newest value, and nobody ever waits to put one."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from actors import Latest, SlotEmptyError


@given(values=st.lists(st.none() | st.integers(), min_size=1))
def test_only_the_newest_value_is_kept(values: list[int | None]) -> None:
    latest = Latest[int | None]()
    assert [latest.put(value) for value in values] == [True] * len(values)
    assert latest.take() == values[-1]
    assert not latest.is_full


def test_it_is_full_until_the_value_is_taken() -> None:
    latest = Latest[None]()
    assert not latest.is_full
    latest.put(None)
    assert latest.is_full


def test_taking_from_an_empty_slot_is_an_error() -> None:
    latest = Latest[int]()
    latest.put(1)
    latest.take()
    with pytest.raises(SlotEmptyError, match="nothing has been put"):
        latest.take()


def test_a_closed_slot_refuses_values_without_raising() -> None:
    latest = Latest[int]()
    latest.close()
    assert latest.put(1) is False
    assert not latest.is_full


def test_what_was_there_before_closing_can_still_be_taken() -> None:
    latest = Latest[int]()
    latest.put(1)
    latest.close()
    latest.close()
    latest.put(2)
    assert latest.take() == 1


def test_a_refused_value_wakes_nobody() -> None:
    latest = Latest[int]()
    rings: list[None] = []
    latest.bell = lambda: rings.append(None)
    latest.put(1)
    latest.close()
    latest.put(2)
    assert len(rings) == 1
