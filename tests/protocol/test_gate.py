"""The sequence gate: each limit by itself, then any history against a list of times."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from trio_agent.errors import ContractError, LimitError
from trio_agent.limits import Limits
from trio_agent.protocol.gate import SequenceGate


def gate_of(rate: int = 1_000, events: int = 10_000, size: int = 1_000) -> SequenceGate:
    return SequenceGate(Limits(max_event_rate=rate, max_events=events, max_event_bytes=size))


def test_numbers_count_from_zero_without_gaps() -> None:
    gate = gate_of()
    assert gate.last_sequence == -1
    assert [gate.number(0.0, 10) for _ in range(4)] == [0, 1, 2, 3]
    assert (gate.last_sequence, gate.next_sequence, gate.completed) == (3, 4, False)


def test_nothing_is_numbered_after_complete() -> None:
    gate = gate_of()
    assert gate.number(0.0, 10, last=True) == 0
    assert gate.completed
    with pytest.raises(ContractError, match="ended with event 0") as caught:
        gate.number(1.0, 10)
    assert caught.value.code == "handoff-required"
    assert gate.next_sequence == 1


def test_complete_is_counted_as_an_event() -> None:
    gate = gate_of(events=1)
    gate.number(0.0, 10)
    with pytest.raises(
        LimitError, match="has 1 events and wants another, the limit is 1"
    ) as caught:
        gate.number(9.0, 10, last=True)
    assert caught.value.code == "event-count-exceeded"
    assert not gate.completed


def test_one_event_too_many_within_a_second_is_refused_and_takes_no_number() -> None:
    gate = gate_of(rate=2)
    gate.number(0.0, 10)
    gate.number(0.25, 10)
    for now in (0.5, 0.999):
        with pytest.raises(
            LimitError, match=r"event 2 is one too many .* the limit is 2"
        ) as caught:
            gate.number(now, 10)
        assert caught.value.code == "event-rate-exceeded"
    assert gate.number(1.0, 10) == 2


def test_refused_attempts_do_not_occupy_the_window() -> None:
    gate = gate_of(rate=1)
    gate.number(0.0, 10)
    for tenth in range(1, 10):
        with pytest.raises(LimitError):
            gate.number(tenth / 10, 10)
    assert gate.room_at(0.95) == 1.0
    assert gate.number(1.0, 10) == 1


def test_an_event_may_have_exactly_the_bytes_of_the_limit() -> None:
    gate = gate_of(size=100)
    assert gate.number(0.0, 100) == 0
    with pytest.raises(LimitError, match="event 1 has 101 bytes, the limit is 100") as caught:
        gate.number(0.0, 101, last=True)
    assert caught.value.code == "event-bytes-exceeded"
    assert (gate.next_sequence, gate.completed) == (1, False)


def test_the_rate_is_reported_before_the_count_and_the_count_before_the_bytes() -> None:
    gate = gate_of(rate=1, events=1, size=1)
    gate.number(0.0, 1)
    with pytest.raises(LimitError, match="within a second"):
        gate.number(0.5, 2)
    with pytest.raises(LimitError, match="wants another"):
        gate.number(1.5, 2)


def test_elapsed_time_is_not_checked() -> None:
    gate = SequenceGate(Limits(max_elapsed_s=1.0))
    assert gate.number(0.0, 10) == 0
    assert gate.number(1e9, 10, last=True) == 1


def test_progress_has_half_of_the_rate() -> None:
    gate = gate_of(rate=4)
    gate.number(0.0, 10)
    assert gate.progress_room_at(0.1) == 0.1
    gate.number(0.1, 10)
    assert gate.progress_room_at(0.2) == 1.0
    assert gate.room_at(0.2) == 0.2
    assert gate.progress_room_at(1.0) == 1.0


def test_a_rate_of_one_lets_progress_through_now_and_then() -> None:
    gate = gate_of(rate=1)
    gate.number(0.0, 10)
    assert gate.progress_room_at(0.5) == 1.0
    assert gate.progress_room_at(1.5) == 1.5


def test_progress_has_half_of_the_count_and_then_only_the_last_reports_pass() -> None:
    gate = gate_of(events=5)
    gate.number(0.0, 10)
    assert gate.progress_room_at(1.0) == 1.0
    gate.number(1.0, 10)
    assert gate.progress_room_at(2.0) == math.inf
    assert gate.has_room_for_last_progress(2.0)
    gate.number(2.0, 10)
    gate.number(3.0, 10)
    assert not gate.has_room_for_last_progress(9.0)
    assert gate.number(4.0, 10, last=True) == 4


def test_a_last_report_waits_for_its_own_room_and_that_of_the_end() -> None:
    gate = gate_of(rate=2)
    gate.number(0.0, 10)
    assert not gate.has_room_for_last_progress(0.5)
    assert gate.room_at(0.5) == 0.5
    assert gate.has_room_for_last_progress(gate.room_at(0.5, 2))


def test_more_events_than_the_rate_never_have_room_together() -> None:
    gate = gate_of(rate=2)
    assert gate.rate == 2
    assert gate.room_at(0.0, 2) == 0.0
    assert gate.room_at(0.0, 3) == math.inf


def test_a_closed_gate_has_no_room_for_progress() -> None:
    gate = gate_of()
    gate.number(0.0, 10, last=True)
    assert gate.progress_room_at(5.0) == math.inf
    assert not gate.has_room_for_last_progress(5.0)


def test_the_terminal_error_is_granted_once_whatever_the_limits_say() -> None:
    gate = gate_of(rate=1, events=1, size=1)
    gate.number(0.0, 1)
    assert gate.terminal(0.0) == 1
    assert (gate.completed, gate.last_sequence) == (True, 1)
    with pytest.raises(ContractError) as caught:
        gate.terminal(5.0)
    assert caught.value.code == "handoff-required"


def test_a_stream_that_failed_before_its_shell_has_one_event() -> None:
    assert gate_of().terminal(0.0) == 0


def test_after_complete_there_is_no_terminal_error() -> None:
    gate = gate_of()
    gate.number(0.0, 10, last=True)
    with pytest.raises(ContractError):
        gate.terminal(0.0)


def test_a_rate_beyond_what_a_machine_counts_is_no_rate() -> None:
    gate = gate_of(rate=sys.maxsize * 4)
    assert gate.number(0.0, 10) == 0
    assert gate.room_at(0.0) == 0.0


MOST_RATE = 5
MOST_EVENTS = 14
MOST_BYTES = 10

steps = st.sampled_from([0.0, 0.0, 0.001, 0.1, 0.25, 1 / 3, 0.5, 0.999, 1.0, 1.5, 7.0])


class GateMachine(RuleBasedStateMachine):
    """Any history; the model is the list of times at which events were numbered."""

    @initialize(rate=st.integers(1, MOST_RATE), events=st.integers(1, MOST_EVENTS), now=steps)
    def begin(self, rate: int, events: int, now: float) -> None:
        self.rate, self.events, self.now = rate, events, now
        self.gate = gate_of(rate, events, MOST_BYTES)
        self.times: list[float] = []
        self.closed = False

    def in_window(self, now: float) -> int:
        return sum(now < time + 1.0 for time in self.times)

    def first_time(self, allowed: int) -> float:
        """The earliest time from now on with fewer than *allowed* events in the window."""
        candidates = sorted({self.now, *(max(self.now, time + 1.0) for time in self.times)})
        return next(time for time in candidates if self.in_window(time) < allowed)

    @rule(step=steps)
    def pass_time(self, step: float) -> None:
        self.now += step

    @rule()
    def wait_for_room(self) -> None:
        self.now = self.gate.room_at(self.now)
        assert self.in_window(self.now) < self.rate

    @rule(size=st.integers(1, MOST_BYTES + 1), last=st.sampled_from([False] * 9 + [True]))
    def number(self, size: int, last: bool) -> None:
        expected = self.refusal(size)
        if expected is not None:
            with pytest.raises(ContractError) as caught:
                self.gate.number(self.now, size, last=last)
            assert caught.value.code == expected
            return
        assert self.gate.number(self.now, size, last=last) == len(self.times)
        self.times.append(self.now)
        self.closed = last

    def refusal(self, size: int) -> str | None:
        checks = {
            "handoff-required": self.closed,
            "event-rate-exceeded": self.in_window(self.now) >= self.rate,
            "event-count-exceeded": len(self.times) >= self.events,
            "event-bytes-exceeded": size > MOST_BYTES,
        }
        return next((code for code, refused in checks.items() if refused), None)

    @precondition(lambda self: self.gate.progress_room_at(self.now) <= self.now)
    @rule()
    def report_progress(self) -> None:
        """Granted progress never fails, and leaves half of everything to the others."""
        self.times.append(self.now)
        assert self.gate.number(self.now, 1) == len(self.times) - 1
        assert self.in_window(self.now) <= max(1, self.rate // 2)
        assert len(self.times) <= self.events // 2

    @precondition(lambda self: self.gate.has_room_for_last_progress(self.now))
    @rule()
    def report_last_progress(self) -> None:
        """A granted last report never fails, and leaves the number of `complete`."""
        self.times.append(self.now)
        assert self.gate.number(self.now, 1) == len(self.times) - 1
        assert len(self.times) < self.events

    @precondition(lambda self: len(self.times) >= 3)
    @rule()
    def fail(self) -> None:
        if self.closed:
            with pytest.raises(ContractError):
                self.gate.terminal(self.now)
            return
        assert self.gate.terminal(self.now) == len(self.times)
        self.times.append(self.now)
        self.closed = True

    @invariant()
    def answers_agree_with_the_list(self) -> None:
        gate, numbered = self.gate, len(self.times)
        assert (gate.next_sequence, gate.last_sequence) == (numbered, numbered - 1)
        assert gate.completed == self.closed
        assert gate.has_room_for_last_progress(self.now) == (
            not self.closed
            and numbered < self.events - 1
            and self.in_window(self.now) < self.rate - 1
        )
        assert gate.progress_room_at(self.now) == (
            math.inf
            if self.closed or numbered >= self.events // 2
            else self.first_time(max(1, self.rate // 2))
        )
        if not self.closed:
            assert gate.room_at(self.now) == self.first_time(self.rate)
            if self.rate > 2:
                assert gate.room_at(self.now, 3) == self.first_time(self.rate - 2)


TestGateMachine = GateMachine.TestCase
