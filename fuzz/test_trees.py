"""The random trees themselves: whether enough of them have what the fuzzers are there to test."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

import pytest
import trio
import trio.testing

from fuzz.fixed import LEAF
from fuzz.invariants import check
from fuzz.trees import Tree, draw_tree
from fuzz.trial import Plan, Trial, watched

ENOUGH: Final = 400


def perform(tree: Tree) -> Trial:
    trial = Trial(tree, Plan())
    with watched(trial):
        trio.run(trial.run, clock=trio.testing.MockClock(autojump_threshold=0))
    return trial


def test_the_trees_hold_enough_of_everything_that_matters() -> None:
    # A plain recursive strategy gave 15 replaces and no error at all in 500 examples.
    counts: Counter[str] = Counter()
    for seed in range(ENOUGH):
        trial = perform(draw_tree(Random(seed), 10 + seed % 35))
        counts.update(event.type for _, event in trial.events)
        counts["finished"] += trial.finished
        counts["deferred"] += bool(trial.site.deferred)
    # Well below what was counted, since the schedule is another one each time.
    least = {
        "shell": 350,
        "replace": 300,
        "error": 120,
        "progress": 300,
        "finished": 350,
        "deferred": 140,
    }
    assert {what: counts[what] for what in least if counts[what] < least[what]} == {}


def test_an_assertion_inside_an_actor_is_not_lost() -> None:
    # A failure inside an actor comes out of the runtime as a typed error, like any other.
    trial = perform(LEAF)
    check(trial)
    trial.kept.append(AssertionError("seen by a witness"))
    with pytest.raises(AssertionError, match="seen by a witness"):
        check(trial)
