"""What the fuzzers found, as small as it could be made; each failed once."""

from __future__ import annotations

from typing import Final

import pytest

from fuzz.test_pipeline import assert_same_end, perform
from fuzz.trees import Tree
from fuzz.trial import Plan

LEAF: Final = Tree("leaf", ticks=1)

FOUND: Final[dict[str, Tree]] = {
    "the rows of a boundary that failed at once were waited for, and the stream was cut short": Tree(
        "suspense",
        (Tree("suspense", (Tree("async", (LEAF,)),), LEAF), Tree("sync", fault="agent")),
        LEAF,
    ),
    "a boundary that failed for a fallback in it was not charged": Tree(
        "suspense",
        (Tree("suspense", (Tree("async", ticks=1),), Tree("report", fault="exit")),),
        LEAF,
    ),
}


@pytest.mark.parametrize("slowness", [0.0, 0.25])
@pytest.mark.parametrize("what", FOUND)
def test_what_was_found_stays_repaired(what: str, slowness: float) -> None:
    trial = perform(FOUND[what], Plan(slowness=slowness))
    assert trial.finished
    assert_same_end(trial, perform(FOUND[what], Plan(delay=0)))


@pytest.mark.parametrize("rate", [1, 2, 3])
def test_the_last_reports_and_the_end_have_room_together(rate: int) -> None:
    tree = Tree("result", (Tree("report", ticks=2), Tree("report", ticks=3)))
    assert perform(tree, Plan(limits={"max_event_rate": rate})).finished


def test_a_consumer_may_leave_at_the_very_end() -> None:
    assert perform(LEAF, Plan(leave_after=1)).struck_at is not None


def test_a_consumer_that_left_is_noticed_while_nothing_is_sent() -> None:
    tree = Tree("suspense", (Tree("async", ticks=60),), LEAF)
    trial = perform(tree, Plan(leave_after=0))
    assert trial.ended_at == trial.struck_at
