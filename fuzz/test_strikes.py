"""Fixed trees, cancelled and crashed before each of their steps.

A tree is run again and again, one step further each time, until a run ends by itself.  Wherever
the strike falls, a legal beginning of a stream has come out, nothing is left, all that was
deferred is settled, and producers are told how it ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import settings

from actors.testing import Attempt, Extent, Kind, Leaks, strike_every_step
from fuzz.fixed import FIXED, Fixed
from fuzz.invariants import check, tell_story
from fuzz.trees import CLEANUP_S
from fuzz.trial import Plan, Trial, watched

SEEDS: Final = {"dev": 1, "ci": 2, "deep": 10}
CONSUMERS: Final = (0.0, 0.25)
"""Seconds that a consumer takes for an event."""

_steps: Final[Counter[Kind]] = Counter()


@pytest.fixture(scope="module", autouse=True)
def _steps_are_told(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if (capture := request.config.pluginmanager.getplugin("capturemanager")) is not None:
        with capture.global_and_fixture_disabled():
            told = ", ".join(f"{count} by {kind}" for kind, count in sorted(_steps.items()))
            print(f"\nsteps struck: {told}")


def attempts(
    fixed: Fixed, kind: Kind, *, slowness: float, seeds: range
) -> Iterator[Attempt[Trial]]:
    """Strike a tree at every step, and hold each run against the wall."""
    plan = Plan(limits=fixed.limits, slowness=slowness)

    async def main(extent: Extent) -> Trial:
        trial = Trial(fixed.tree, plan)
        with watched(trial), extent:
            await trial.run()
        return trial

    for attempt in strike_every_step(main, seeds=seeds, kind=kind):
        try:
            judge(attempt, fixed)
        except AssertionError as error:
            where = f"{kind} before step {attempt.step} of seed {attempt.seed}: {attempt.place}"
            error.add_note(f"{where}, slowness {slowness}")
            raise
        yield attempt


def judge(attempt: Attempt[Trial], fixed: Fixed) -> None:
    """What must hold wherever the strike fell, and of the run that it missed."""
    trial = attempt.result
    check(trial)
    assert attempt.leaks == Leaks(), str(attempt.leaks)
    assert attempt.outcome != "crashed", f"left by {attempt.error!r}"
    if attempt.place is None:
        code = getattr(trial.error, "code", None)
        assert code == fixed.code, f"ended with {code} instead of {fixed.code}"
        if not trial.plan.slowness:
            story = tell_story(trial)
            assert story == fixed.story, f"{story}, instead of {fixed.story}"
    elif attempt.kind == "cancel":
        assert attempt.unwind_s <= CLEANUP_S, f"{attempt.unwind_s} s from the strike to the end"
        assert (attempt.outcome == "cancelled") == (trial.error is None and not trial.finished)


@pytest.mark.parametrize("slowness", CONSUMERS)
@pytest.mark.parametrize("kind", ["cancel", "crash"])
@pytest.mark.parametrize("name", FIXED)
def test_a_strike_at_any_step_leaves_nothing_behind(name: str, kind: Kind, slowness: float) -> None:
    fixed = FIXED[name]
    profile = settings.get_current_profile_name()
    count = SEEDS.get(profile, 1)
    # In short runs each consumer has schedules of its own.
    first = 0 if count > 2 or not slowness else count
    for attempt in attempts(fixed, kind, slowness=slowness, seeds=range(first, first + count)):
        _steps[kind] += attempt.place is not None


def test_there_are_twenty_trees() -> None:
    assert len(FIXED) == 20
