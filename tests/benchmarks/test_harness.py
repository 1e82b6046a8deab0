"""How figures are taken, judged and printed: with figures that were made up, never with a clock."""

from __future__ import annotations

import contextlib
import gc
import json
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, strategies as st

from benchmarks.__main__ import main
from benchmarks.harness import (
    Benchmark,
    Figure,
    MeasurementError,
    Samples,
    Stopwatch,
    measure_here,
    ratios,
    take_figures,
    turns,
)


def figure(*values: float, limit: float = 2.0, note: str = "") -> Figure:
    return Figure(name="made-up", limit=limit, unit="x", values=values, note=note)


def benchmark(name: str, *values: float, limit: float = 2.0) -> Benchmark:
    return Benchmark(name, limit, lambda: {name: Samples(values=values, note=f"note of {name}")})


def broken(name: str) -> Benchmark:
    def measure() -> Mapping[str, Samples]:
        raise MeasurementError("2 of 3 boundaries were replaced")

    return Benchmark(name, 2.0, measure)


# ---------------------------------------------------------------------------------- one figure


def test_a_figure_is_the_median_and_an_outlier_changes_nothing() -> None:
    assert figure(1.0, 3.0, 2.0).value == 2.0
    assert figure(1.0, 3000.0, 2.0).value == 2.0


def test_the_quartiles_lie_among_the_values() -> None:
    assert figure(5.0, 1.0, 3.0, 2.0, 4.0).quartiles == (2.0, 4.0)
    assert figure(1.0, 2.0).quartiles == (1.25, 1.75)


@pytest.mark.parametrize("values", [(), (1.5,)])
def test_fewer_than_two_values_have_no_quartiles(values: Sequence[float]) -> None:
    assert figure(*values).quartiles is None


@pytest.mark.parametrize(("value", "ok"), [(1.99, True), (2.0, True), (2.01, False)])
def test_a_limit_may_be_reached_but_not_passed(value: float, ok: bool) -> None:
    assert figure(value, limit=2.0).is_ok is ok


def test_what_was_not_measured_is_not_ok() -> None:
    assert figure(limit=2.0).value is None
    assert not figure(limit=2.0).is_ok


@pytest.mark.parametrize(
    ("made_up", "line"),
    [
        (
            figure(1.0, 1.5, 2.0, limit=1.4, note="against nothing"),
            "FAIL made-up 1.50 x [1.25 .. 1.75] limit 1.4 against nothing",
        ),
        (figure(1.0), "ok made-up 1.00 x limit 2"),
        (figure(note="why"), "FAIL made-up - x limit 2 why"),
    ],
)
def test_a_line_has_verdict_name_value_spread_limit_and_note(made_up: Figure, line: str) -> None:
    assert " ".join(made_up.to_line().split()) == line


def test_samples_without_a_value_are_refused_unless_they_say_that_they_were_skipped() -> None:
    with pytest.raises(ValueError, match="values"):
        Samples(values=())
    with pytest.raises(ValueError, match="values"):
        Samples(values=(1.0,), is_skipped=True)

    assert Samples.skipped("no Node here").note == "no Node here"


# ---------------------------------------------------------------------------------- rounds


def test_ratios_are_taken_round_by_round() -> None:
    assert ratios([2.0, 9.0], [1.0, 3.0]) == [2.0, 3.0]


def test_a_round_that_lacks_a_side_is_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        ratios([1.0, 2.0], [1.0])


@given(sides=st.integers(1, 5), rounds=st.integers(0, 8))
def test_every_side_has_one_turn_per_round_and_all_take_turns_in_going_first(
    sides: int, rounds: int
) -> None:
    order = list(turns(sides, rounds))

    each = [order[start : start + sides] for start in range(0, len(order), sides)]
    assert len(each) == rounds
    assert all(sorted(one) == list(range(sides)) for one in each)
    first = Counter(one[0] for one in each)
    assert not first or max(first.values()) - min(first[side] for side in range(sides)) <= 1


@pytest.mark.parametrize("collector", [True, False])
def test_a_stopwatch_leaves_the_collector_as_it_was(collector: bool) -> None:
    with Stopwatch(collector=collector):
        assert gc.isenabled() is collector
        assert gc.get_freeze_count() > 0

    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_a_stopwatch_stops_when_what_it_measures_fails() -> None:
    watch = Stopwatch(collector=False)

    with contextlib.suppress(KeyError), watch:
        raise KeyError

    assert gc.isenabled()
    assert watch.seconds >= 0.0


def test_a_stopwatch_does_not_switch_on_a_collector_that_was_off() -> None:
    gc.disable()
    try:
        with Stopwatch() as watch:
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert watch.seconds >= 0.0


# ---------------------------------------------------------------------------------- many


def test_a_shared_measurement_runs_once_and_order_is_kept() -> None:
    runs = 0

    def measure() -> Mapping[str, Samples]:
        nonlocal runs
        runs += 1
        return {"b": Samples(values=(2.0,)), "a": Samples(values=(1.0,))}

    figures = list(
        take_figures(
            [Benchmark("a", 9.0, measure), benchmark("c", 3.0), Benchmark("b", 9.0, measure)],
            measure_here,
        )
    )

    assert [(one.name, one.value) for one in figures] == [("a", 1.0), ("c", 3.0), ("b", 2.0)]
    assert runs == 1


def test_a_measurement_that_fails_does_not_keep_the_others_from_being_taken() -> None:
    failed, fine = take_figures([broken("a"), benchmark("b", 1.0)], measure_here)

    assert (failed.value, failed.note) == (None, "2 of 3 boundaries were replaced")
    assert fine.is_ok


def test_a_benchmark_that_nothing_measures_is_a_mistake_in_the_table() -> None:
    stray = Benchmark("stray", 1.0, benchmark("other", 1.0).measure)

    with pytest.raises(LookupError, match="nothing measures 'stray', only other"):
        list(take_figures([stray], measure_here))


# ---------------------------------------------------------------------------------- the command


def test_every_limit_kept_is_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], [benchmark("a", 1.0), benchmark("b", 2.0)], measure_here) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", "a"], ["ok", "b"]]


def test_one_limit_broken_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], [benchmark("a", 2.5), benchmark("b", 1.0)], measure_here) == 1

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["FAIL", "a"], ["ok", "b"]]


def test_json_is_a_list_of_name_ratio_limit_and_ok(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["--json"], [benchmark("a", 1.0, 1.23456, 9.0), benchmark("b", 3.0)], measure_here)
        == 1
    )

    assert json.loads(capsys.readouterr().out) == [
        {"name": "a", "ratio": 1.2346, "limit": 2.0, "ok": True},
        {"name": "b", "ratio": 3.0, "limit": 2.0, "ok": False},
    ]


def test_json_of_what_could_not_be_measured_is_null_and_stderr_says_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--json"], [broken("a")], measure_here) == 1

    shown = capsys.readouterr()
    assert json.loads(shown.out) == [{"name": "a", "ratio": None, "limit": 2.0, "ok": False}]
    assert shown.err == "a: 2 of 3 boundaries were replaced\n"


def test_what_was_skipped_is_neither_ok_nor_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    skipped = Benchmark("a", 2.0, lambda: {"a": Samples.skipped("npm is not installed")})

    assert main([], [skipped, benchmark("b", 1.0)], measure_here) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert " ".join(first.split()) == "skip a - x limit 2 npm is not installed"
    assert second.startswith("ok ")

    assert main(["--json"], [skipped], measure_here) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == [{"name": "a", "ratio": None, "limit": 2.0, "ok": None}]
    assert shown.err == "a: npm is not installed\n"


def test_only_chooses_and_does_not_measure_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    table = [benchmark("a", 1.0), broken("b"), benchmark("c", 1.0)]

    assert main(["--only", "c", "--only", "a"], table, measure_here) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["a", "c"]


def test_an_unknown_name_is_a_usage_error_that_lists_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--only", "z"], [benchmark("a", 1.0), benchmark("b", 1.0)], measure_here)

    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert all(word in error for word in ("--only", "'z'", "a", "b"))
