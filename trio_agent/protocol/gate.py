"""The sequence gate: gives each event its number, or says that it may not be had, or when.

Sans-I/O: the time is an argument, in seconds of any clock that does not run backwards, and
nothing here waits.  It sees sizes, not events.  The decoder above asks `room_at`, waits, and
numbers an event in the same synchronous step in which it takes its document.

Rules kept here:
* Numbers are 0, 1, 2 ... without gaps; a refused attempt takes none.
* No half-open second (t - 1, t] holds more than `max_event_rate` numbered events.
* `max_events` counts every event, `complete` included.
* Nothing is numbered after the last event, and a failed stream gets exactly one terminal error.

Two things are decided otherwise than in the reference runtime.  Elapsed time is not checked:
the deadline bounds rendering, not delivery, so the renderer keeps it.  And only numbered events
occupy the window, not refused attempts: whoever waits until `room_at` may rely on it.
"""

from __future__ import annotations

import math
import sys
from collections import deque
from typing import TYPE_CHECKING, final

from trio_agent.errors import ContractError, LimitError

if TYPE_CHECKING:
    from trio_agent.limits import Limits


@final
class SequenceGate:
    """Numbers the events of one invocation.

    Attributes:
        next_sequence: the number that the next event would get.
        completed: the stream has ended, with `complete` or with a terminal error.
    """

    __slots__ = ("_half_count", "_half_rate", "_leaving", "_limits", "completed", "next_sequence")

    def __init__(self, limits: Limits) -> None:
        rate = limits.max_event_rate
        self.next_sequence: int = 0
        self.completed: bool = False
        self._limits = limits
        # A rate of 1 must not silence progress for good.
        self._half_rate = max(1, rate // 2)
        self._half_count = limits.max_events // 2
        # When each of the latest events leaves the window.  The oldest of `rate` many tells all:
        # while it is inside, the window is full.  So a ring is enough and nothing needs sweeping.
        self._leaving = deque[float](maxlen=min(rate, sys.maxsize))

    @property
    def last_sequence(self) -> int:
        """The number given last; -1 before the first."""
        return self.next_sequence - 1

    def number(self, now: float, size: int, *, last: bool = False) -> int:
        """Number one event; the first check that fails decides.

        Args:
            now: seconds, never less than in the call before.
            size: bytes of the event as JSON, media left out.
            last: it is `complete`, and closes the gate.

        Raises:
            ContractError: `handoff-required`, the stream has ended.
            LimitError: `event-rate-exceeded` (only for who does not wait until `room_at`),
                `event-count-exceeded`, `event-bytes-exceeded`.
        """
        sequence = self.next_sequence
        self._check_open()
        self._check_limits(now, size)
        self.next_sequence = sequence + 1
        self._leaving.append(now + 1.0)
        self.completed = last
        return sequence

    def terminal(self, now: float) -> int:
        """Number the one terminal error of a failed stream, and close the gate.

        It is granted whatever the limits say: a stream that ended for being too talkative must
        still be able to say so.

        Raises:
            ContractError: `handoff-required`, the stream has ended.
        """
        self._check_open()
        sequence = self.next_sequence
        self.next_sequence = sequence + 1
        self._leaving.append(now + 1.0)
        self.completed = True
        return sequence

    def room_at(self, now: float, count: int = 1) -> float:
        """When the rate allows *count* events at once: *now*, a time to wait for, or never (`inf`).

        Only waiting is answered here; a used-up count or a closed gate is a failure, which
        `number` raises.
        """
        leaving, others = self._leaving, self._limits.max_event_rate - count
        if others < 0:
            return math.inf
        if len(leaving) <= others:
            return now
        return max(now, leaving[len(leaving) - others - 1])

    def progress_room_at(self, now: float) -> float:
        """When a `progress` event may be numbered: *now*, a time to wait for, or never (`inf`).

        Progress is numbered while less than half of the rate and of the count are in use, by
        events of any kind: so it has at most half of each, and what cannot be left out never
        waits for it.  A rate of 1 counts as its own half.
        """
        if self.completed or self.next_sequence >= self._half_count:
            return math.inf
        leaving = self._leaving
        if len(leaving) < self._half_rate:
            return now
        return max(now, leaving[-self._half_rate])

    @property
    def rate(self) -> int:
        """Events within a second, at most."""
        return self._limits.max_event_rate

    @property
    def has_count_for_last_progress(self) -> bool:
        """Whether a last report may be numbered some time, with one number left for `complete`."""
        return not self.completed and self.next_sequence < self._limits.max_events - 1

    def has_room_for_last_progress(self, now: float) -> bool:
        """Whether a last report may be numbered now, with room left for `complete`.

        The last reports may use the rest of rate and count.  After a wait until `room_at`, for
        that many and one more, no means that the count is used up.
        """
        return self.has_count_for_last_progress and self.room_at(now, 2) <= now

    def _check_open(self) -> None:
        if self.completed:
            raise ContractError(
                "handoff-required",
                f"the stream ended with event {self.last_sequence}; nothing comes after it",
            )

    def _check_limits(self, now: float, size: int) -> None:
        limits = self._limits
        if self.room_at(now) > now:
            raise LimitError(
                "event-rate-exceeded",
                f"event {self.next_sequence} is one too many within a second,"
                f" the limit is {limits.max_event_rate}",
            )
        if self.next_sequence >= limits.max_events:
            raise LimitError(
                "event-count-exceeded",
                f"the invocation has {self.next_sequence} events and wants another,"
                f" the limit is {limits.max_events}",
            )
        if size > limits.max_event_bytes:
            raise LimitError(
                "event-bytes-exceeded",
                f"event {self.next_sequence} has {size} bytes,"
                f" the limit is {limits.max_event_bytes}",
            )
