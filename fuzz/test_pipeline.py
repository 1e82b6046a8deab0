"""Random trees under random schedules: what came out, and in which order, and what was left.

Every example runs one tree twice: with delays, under a drawn schedule and a drawn plan, and
without any, which gives the document that nothing but a limit, a cancel or a failing fallback may
change.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
import trio
import trio._core._run as scheduling
import trio.testing
from hypothesis import HealthCheck, event, given, settings, strategies as st

from actors.testing import Leaks, watch_leaks
from fuzz.invariants import check, check_quick_end, final_document
from fuzz.trees import Tree, trees
from fuzz.trial import Plan, Trial, watched
from trio_agent import InvocationCancelledError, InvocationError, LimitOverrides

_PATIENCE_S: Final = 3600.0
"""Seconds of the fake clock after which an invocation is stuck."""

SLOWNESS: Final = st.sampled_from([0.0, 0.0, 0.25, 3.0])


def tiny_limits() -> st.SearchStrategy[LimitOverrides]:
    """One limit, or two, that many trees meet."""
    each: list[st.SearchStrategy[LimitOverrides]] = [
        st.builds(lambda n: {"max_document_nodes": n}, st.integers(1, 30)),
        st.builds(lambda n: {"max_document_bytes": n}, st.integers(80, 900)),
        st.builds(lambda n: {"max_media_bytes": n}, st.integers(1, 40)),
        st.builds(lambda n: {"max_document_depth": n}, st.integers(1, 6)),
        st.builds(lambda n: {"max_component_depth": n}, st.integers(1, 12)),
        st.builds(lambda n: {"max_event_bytes": n}, st.integers(80, 1200)),
        st.builds(lambda n: {"max_events": n}, st.integers(1, 12)),
        st.builds(lambda n: {"max_event_rate": n}, st.integers(1, 6)),
        st.builds(lambda n: {"max_elapsed_s": n}, st.sampled_from([0.5, 2.0, 5.0, 9.5])),
    ]
    return st.one_of(each)


@contextmanager
def quick_collections() -> Iterator[None]:
    """Looking for leaks collects garbage; what exists by now need not be looked through."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def _quick_collections() -> Iterator[None]:
    with quick_collections():
        yield


def perform(tree: Tree, plan: Plan) -> Trial:
    """Run one trial and hold it against the wall."""
    trial = Trial(tree, plan)

    async def main() -> None:
        with trio.fail_after(_PATIENCE_S):
            await trial.run()

    with watched(trial), watch_leaks() as watch:
        trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    check(trial)
    assert watch.leaks == Leaks(), str(watch.leaks)
    return trial


def tell(trial: Trial) -> None:
    """For `--hypothesis-show-statistics`: what examples are made of."""
    kinds = Counter(one.type for _, one in trial.events)
    event(f"boundaries told of: {min(kinds['replace'] + kinds['error'], 10)}")
    event("finished" if trial.finished else type(trial.error).__name__)
    if isinstance(trial.error, InvocationError):
        event(trial.error.code)
    for what in trial.counts:
        event(what)


def assert_same_end(trial: Trial, calm: Trial) -> None:
    """With delays and without, it comes to the same."""
    if not trial.tree.is_timely:
        return
    assert (trial.error is None) == (calm.error is None), (
        f"{trial.error!r} with delays, {calm.error!r} without"
    )
    assert_same_charge(trial, calm)
    named = trial.tree.failures <= 1
    assert final_document(trial, named=named) == final_document(calm, named=named)


def assert_same_charge(trial: Trial, calm: Trial) -> None:
    """What was given back on the way leaves no trace; a failure's text is charged, too."""
    if trial.finished and trial.tree.failures <= 1:
        one, other = (
            (ledger.size, ledger.nodes, ledger.media)
            for ledger in (trial.ledgers[0], calm.ledgers[0])
        )
        assert one == other, f"charged {one} with delays, {other} without"


_SETTINGS: Final = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@settings(_SETTINGS, max_examples=3 * _SETTINGS.max_examples)
@given(tree=trees(), slowness=SLOWNESS, schedule=st.random_module())
def test_delays_do_not_change_the_document(tree: Tree, slowness: float, schedule: object) -> None:
    trial = perform(tree, Plan(slowness=slowness))
    tell(trial)
    assert_same_end(trial, perform(tree, Plan(delay=0)))


@_SETTINGS
@given(tree=trees(), layouts=st.integers(1, 3), seed=st.integers(0, 2**32))
def test_layouts_that_say_nothing_change_nothing(tree: Tree, layouts: int, seed: int) -> None:
    told: list[object] = []
    for plan in (Plan(), Plan(layouts=layouts)):
        # One schedule for both: the order in which Trio runs tasks is drawn from this.
        scheduling._r.seed(seed)
        trial = perform(tree, plan)
        tell(trial)
        wires = [(at, event.wire_text()) for at, event in trial.events]
        told.append((wires, trial.finished, getattr(trial.error, "code", None)))
    assert told[0] == told[1]


@_SETTINGS
@given(tree=trees(30), limits=tiny_limits(), slowness=SLOWNESS, schedule=st.random_module())
def test_a_tiny_limit_fails_the_invocation_or_changes_nothing(
    tree: Tree, limits: LimitOverrides, slowness: float, schedule: object
) -> None:
    trial = perform(tree, Plan(limits=limits, slowness=slowness))
    tell(trial)
    calm = perform(tree, Plan(delay=0))
    code = getattr(trial.error, "code", None)
    if code not in EXCEEDED[next(iter(limits))]:
        assert_same_end(trial, calm)


EXCEEDED: Final = {
    "max_document_nodes": {"document-node-count-exceeded"},
    "max_document_bytes": {"document-bytes-exceeded"},
    "max_media_bytes": {"media-bytes-exceeded"},
    "max_document_depth": {"document-depth-exceeded"},
    "max_component_depth": {"component-depth-exceeded"},
    "max_event_bytes": {"event-bytes-exceeded"},
    "max_events": {"event-count-exceeded"},
    # It delays; it never kills.
    "max_event_rate": set[str](),
    "max_elapsed_s": {"elapsed-time-exceeded"},
}


@_SETTINGS
@given(
    tree=trees(30),
    second=st.integers(0, 24).map(lambda n: n / 2),
    slowness=SLOWNESS,
    schedule=st.random_module(),
)
def test_a_cancelled_invocation_ends_at_once_and_keeps_nothing(
    tree: Tree, second: float, slowness: float, schedule: object
) -> None:
    trial = perform(tree, Plan(cancel_at=second, slowness=slowness))
    tell(trial)
    if trial.struck_at is None:
        assert not isinstance(trial.error, InvocationCancelledError)
        assert_same_end(trial, perform(tree, Plan(delay=0)))
    else:
        check_quick_end(trial)


@_SETTINGS
@given(tree=trees(30), events=st.integers(0, 6), slowness=SLOWNESS, schedule=st.random_module())
def test_a_consumer_that_leaves_cancels_the_invocation(
    tree: Tree, events: int, slowness: float, schedule: object
) -> None:
    trial = perform(tree, Plan(leave_after=events, slowness=slowness))
    tell(trial)
    if trial.struck_at is None:
        assert not isinstance(trial.error, InvocationCancelledError)
    else:
        assert isinstance(trial.error, InvocationCancelledError)
        check_quick_end(trial)
