"""One number that only rises; cases `runtime` E and `surfaces` C."""

import itertools
import json
import math

import attrs
import mcp_types
import pytest
from hypothesis import given, strategies as st

from tests import strategies
from trio_agent.surfaces.mcp.results.progress import (
    LONGEST_MESSAGE,
    ProgressReport,
    ProgressRule,
    progress_token,
)
from trio_agent.vocabulary.event import ProgressEvent
from trio_agent.vocabulary.leaf import ProgressNode


def number(
    completed: float,
    total: float | None = None,
    message: str | None = None,
    source: str | None = None,
) -> ProgressEvent:
    return ProgressEvent(0, completed, total, message, source)


def words(message: str, source: str | None = None, *, last: float = 0) -> ProgressEvent:
    """A report without a number: it repeats the last one of its source."""
    return ProgressEvent(0, last, None, message, source, is_numbered=False)


def fold(*steps: ProgressEvent | ProgressNode) -> list[ProgressReport]:
    folding = ProgressRule()
    sent = [
        folding.show(step) if isinstance(step, ProgressNode) else folding.report(step)
        for step in steps
    ]
    return [report for report in sent if report is not None]


# ---------------------------------------------------------------- one source


def test_case_94_numbers_messages_and_total_of_one_source_are_sent_as_they_are() -> None:
    sent = fold(number(1, 2, "halfway"), number(2, 2, "done"))

    assert [report.to_wire("tok-1") for report in sent] == [
        {"progressToken": "tok-1", "progress": 1, "total": 2, "message": "halfway"},
        {"progressToken": "tok-1", "progress": 2, "total": 2, "message": "done"},
    ]


def test_case_95_equal_and_lower_numbers_are_dropped_and_the_token_stays_a_number() -> None:
    sent = fold(number(2), number(2), number(1), number(4, 10))

    assert [json.dumps(report.to_wire(7)) for report in sent] == [
        '{"progressToken": 7, "progress": 2}',
        '{"progressToken": 7, "progress": 4, "total": 10}',
    ]


def test_case_44_text_alone_does_not_make_an_equal_number_news() -> None:
    assert fold(number(5), number(5, None, "again"), number(4, None, "back")) == [ProgressReport(5)]


def test_a_total_that_came_with_a_lower_number_is_not_believed() -> None:
    assert fold(number(5, 10), number(1, 3), number(6, 10)) == [
        ProgressReport(5, 10),
        ProgressReport(6, 10),
    ]


def test_a_total_that_is_no_longer_said_is_no_longer_sent() -> None:
    assert fold(number(1, 10), number(2)) == [ProgressReport(1, 10), ProgressReport(2)]


# ---------------------------------------------------------------- fallbacks


def test_case_97_and_100_fallback_and_report_share_one_number() -> None:
    loading = ProgressNode(0, None, "loading")
    expected = [ProgressReport(0, None, "loading"), ProgressReport(1, None, "working")]

    assert fold(loading, loading, number(1, None, "working")) == expected
    assert fold(loading, number(0, None, "loading"), number(1, None, "working")) == expected


def test_case_98_a_first_fallback_is_sent_although_it_is_zero() -> None:
    assert fold(ProgressNode(0, 2, "loading")) == [ProgressReport(0, 2, "loading")]


def test_case_44_of_surfaces() -> None:
    steps = (ProgressNode(0), number(0), number(5), number(5), number(4))

    assert fold(*steps) == [ProgressReport(0), ProgressReport(5)]


def test_a_fallback_does_not_add_to_what_is_reported() -> None:
    assert fold(ProgressNode(0, 2), number(1, 2), number(2, 2)) == [
        ProgressReport(0, 2),
        ProgressReport(1, 2),
        ProgressReport(2, 2),
    ]


def test_a_fallback_that_is_ahead_is_caught_up_with() -> None:
    assert fold(number(1, 10), ProgressNode(3, 4, "b"), number(2, 10), number(4, 10)) == [
        ProgressReport(1, 10),
        ProgressReport(3, 4, "b"),
        ProgressReport(4, 10),
    ]


def test_a_fallback_of_its_own_total_comes_after_steps_like_everything_else() -> None:
    assert fold(words("a"), words("b"), ProgressNode(3, 3)) == [
        ProgressReport(0, None, "a"),
        ProgressReport(1, None, "b"),
        ProgressReport(4, 4),
    ]


# ---------------------------------------------------------------- several sources


def test_sources_add_up() -> None:
    assert fold(number(1, 4, None, "a"), number(1, 6, None, "b"), number(4, 4, None, "a")) == [
        ProgressReport(1, 4),
        ProgressReport(2, 10),
        ProgressReport(5, 10),
    ]


def test_a_source_that_goes_back_takes_nothing_from_the_others() -> None:
    back = (number(5, 10, None, "a"), number(1, 3, None, "a"))

    assert fold(*back, number(1, 4, None, "b"), number(2, 4, None, "b")) == [
        ProgressReport(5, 10),
        ProgressReport(6, 14),
        ProgressReport(7, 14),
    ]


def test_a_number_above_the_last_total_of_its_source_leaves_no_total() -> None:
    assert fold(number(3, 4, None, "a"), number(1, 100, None, "b"), words("c", "a", last=5)) == [
        ProgressReport(3, 4),
        ProgressReport(4, 104),
        ProgressReport(6, None, "c"),
    ]


def test_a_source_without_a_total_leaves_none() -> None:
    assert fold(number(1, 4, None, "a"), number(2, None, None, "b"), number(2, 4, None, "a")) == [
        ProgressReport(1, 4),
        ProgressReport(3),
        ProgressReport(4),
    ]


def test_a_source_that_only_speaks_does_not_take_the_total_away() -> None:
    assert fold(words("begun"), number(1, 4, None, "a"), words("going on")) == [
        ProgressReport(0, None, "begun"),
        ProgressReport(1, 4),
    ]


# ---------------------------------------------------------------- words without numbers


def test_a_message_without_a_number_makes_a_step_while_no_total_is_known() -> None:
    assert fold(words("a"), words("b"), words("b")) == [
        ProgressReport(0, None, "a"),
        ProgressReport(1, None, "b"),
        ProgressReport(2, None, "b"),
    ]


def test_steps_count_as_done_in_number_and_total() -> None:
    assert fold(words("a"), words("b"), number(1, 2), number(2, 2)) == [
        ProgressReport(0, None, "a"),
        ProgressReport(1, None, "b"),
        ProgressReport(2, 3),
        ProgressReport(3, 3),
    ]


def test_a_message_after_a_fallback_reaches_the_client() -> None:
    assert fold(ProgressNode(0, None, "loading"), words("Reading")) == [
        ProgressReport(0, None, "loading"),
        ProgressReport(1, None, "Reading"),
    ]


def test_a_message_says_nothing_while_a_total_is_known() -> None:
    assert fold(number(1, 2), words("still at it", last=1)) == [ProgressReport(1, 2)]


def test_a_report_with_nothing_at_all_makes_no_step() -> None:
    silent = ProgressEvent(0, 0, is_numbered=False)

    assert fold(silent, silent) == [ProgressReport(0)]


def test_a_number_that_a_message_overtook_is_not_lost() -> None:
    assert fold(number(3, 10), words("hashing", last=5), number(6, 10)) == [
        ProgressReport(3, 10),
        ProgressReport(5, 10, "hashing"),
        ProgressReport(6, 10),
    ]
    assert fold(number(3, 4), words("hashing", last=5)) == [
        ProgressReport(3, 4),
        ProgressReport(5, None, "hashing"),
    ]
    assert fold(words("hashing", last=5)) == [ProgressReport(5, None, "hashing")]


def test_a_message_with_a_total_is_a_number() -> None:
    event = ProgressEvent(0, 0, 10, "begun", is_numbered=False)

    assert fold(event, event, number(1, 10)) == [
        ProgressReport(0, 10, "begun"),
        ProgressReport(1, 10),
    ]


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        ("  a\n", "a"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        (" " + "🐍" * 300, "🐍" * 199 + "…"),
    ],
)
def test_a_message_is_trimmed_and_at_most_two_hundred_characters(message: str, sent: str) -> None:
    assert fold(number(1, None, message)) == [ProgressReport(1, None, sent)]
    assert len(sent) <= LONGEST_MESSAGE


# ---------------------------------------------------------------- at the edge of numbers


def test_numbers_that_javascript_cannot_hold_are_floats() -> None:
    most = 2**53 - 1
    sent = fold(number(most, most, None, "a"), number(most, most, None, "b"))

    assert sent == [ProgressReport(most, most), ProgressReport(2.0 * most, 2.0 * most)]
    assert isinstance(sent[1].progress, float)


def test_a_step_that_is_lost_in_the_last_bit_is_not_sent() -> None:
    assert fold(number(1e300), words("a", last=1e300)) == [ProgressReport(1e300)]
    assert fold(number(1e300), words("a", last=1e300), number(1, None, None, "b")) == [
        ProgressReport(1e300)
    ]


def test_what_adds_up_to_infinity_is_not_sent() -> None:
    assert fold(number(1e308, None, None, "a"), number(1e308, None, None, "b")) == [
        ProgressReport(1e308)
    ]
    assert fold(number(1, 1e308, None, "a"), number(1, 1e308, None, "b")) == [
        ProgressReport(1, 1e308),
        ProgressReport(2),
    ]


@st.composite
def reports(draw: st.DrawFn) -> ProgressEvent:
    """Events as the pipeline makes them, from few sources so that they meet."""
    event = draw(strategies.progress_events())
    source = draw(st.sampled_from((None, "a", "b")))
    is_numbered = draw(st.booleans())
    completed = draw(st.integers(0, 6)) if draw(st.booleans()) else event.completed
    total = None if event.total is None or not is_numbered else max(event.total, completed)
    return ProgressEvent(0, completed, total, event.message, source, is_numbered=is_numbered)


def nodes() -> st.SearchStrategy[ProgressNode]:
    return strategies.progress().map(lambda fields: ProgressNode(*fields))


@given(st.lists(reports() | nodes(), max_size=20))
def test_what_is_sent_rises_is_finite_and_never_above_its_total(
    steps: list[ProgressEvent | ProgressNode],
) -> None:
    sent = fold(*steps)
    wires = [json.loads(json.dumps(report.to_wire("t"), allow_nan=False)) for report in sent]
    # As JavaScript reads them.
    numbers = [float(wire["progress"]) for wire in wires]

    assert all(before < after for before, after in itertools.pairwise(numbers))
    assert bool(sent) is bool(steps)
    for report, wire in zip(sent, wires, strict=True):
        assert math.isfinite(report.progress)
        assert report.total is None or report.progress <= report.total < math.inf
        assert report.message is None or 0 < len(report.message) <= LONGEST_MESSAGE
        mcp_types.ProgressNotificationParams.model_validate(wire)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(20, 30)), max_size=20))
def test_the_numbers_of_one_source_are_never_changed(pairs: list[tuple[int, int]]) -> None:
    sent = fold(*[number(completed, total) for completed, total in pairs])

    assert {(report.progress, report.total) for report in sent} <= set(pairs)
    assert max((report.progress for report in sent), default=0) == max(
        (completed for completed, _ in pairs), default=0
    )


# ---------------------------------------------------------------- the token


@pytest.mark.parametrize("token", [0, 7, "7", "", "π", -1, 2**70], ids=repr)
def test_br_16_a_token_comes_back_exactly_as_it_was(token: str | int) -> None:
    found = progress_token({"progressToken": token})

    assert found == token
    assert type(found) is type(token)
    assert ProgressReport(1).to_wire(token)["progressToken"] == token


@pytest.mark.parametrize("bad", [True, 1.5, None, [], {}], ids=repr)
def test_br_16_no_token_is_invented_for_one_that_is_none(bad: object) -> None:
    assert progress_token({"progressToken": bad}) is None
    assert progress_token({}) is None


def test_an_event_without_a_number_reads_back_as_the_same_event() -> None:
    event = words("a")

    assert event == attrs.evolve(event, is_numbered=True)
    assert "is_numbered" not in event.wire_text()
