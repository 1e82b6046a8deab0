"""Progress as MCP wants it: one number that only rises.

`ProgressRule` folds everything that reports into that number; it knows nothing of tasks or clocks.
When a notification is written, and that not each of them is, is decided by `reporting`.

The rule, with S the sum over all sources of the highest `completed` that each has reported, F the
highest `completed` of the fallbacks seen, and M the steps made for messages:

* The number is `max(S, F) + M`.  It is sent when it exceeds the last one sent; the first is
  always sent, also when it is 0.  So equal and lower reports, and fallbacks that are streamed
  again, say nothing.
* A report with a message and no number makes one step (M grows by one) while no total is known.
* The total is the sum of the sources' latest totals, plus M; none when a source that counts has
  none.  A fallback goes out with its own total.  So the number never exceeds a total.
* A source that has only ever given messages does not count.
* Integers from 2**53 on are written as floats, which is what a JavaScript reader makes of them
  anyway; what is not finite, or lost in the last bit of a float, is not sent.

With one source these are the numbers the author reported.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown
from trio_agent.vocabulary.json import SAFE_INTEGER

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.vocabulary.event import ProgressEvent
    from trio_agent.vocabulary.leaf import ProgressNode

LONGEST_MESSAGE: Final = 200
"""Characters of a progress message, from the reference; hosts show them in one line."""

INTERVAL_S: Final = 0.05
"""Seconds between two notifications of one call, at least: 20 in a second are as fluent as a
person sees, and each costs the host a message."""

RESULT_GRACE_S: Final = 0.01
"""Seconds from the last progress write to the result.  Closer together the official TypeScript
client loses the notification and reports an error: measured with 2.4.0, at 5 ms never."""


@final
@attrs.frozen
class ProgressReport:
    """One notification, without its token."""

    progress: float
    total: float | None = None
    message: str | None = None

    __repr__ = shown

    def to_wire(self, token: str | int) -> JsonObject:
        """The parameters of `notifications/progress`.

        Args:
            token: the caller's, exactly as it came.
        """
        wire: JsonObject = {"progressToken": token, "progress": self.progress}
        if self.total is not None:
            wire["total"] = self.total
        if self.message is not None:
            wire["message"] = self.message
        return wire


def progress_token(meta: Mapping[str, object]) -> str | int | None:
    """The token in a request's `_meta`; None when there is none, or it is of a wrong kind.

    A string or an integer; `true` and 1.5 are none, and nothing is invented for them.
    """
    token = meta.get("progressToken")
    if isinstance(token, str) or (isinstance(token, int) and not isinstance(token, bool)):
        return token
    return None


@final
@attrs.frozen
class _Source:
    """How far one source is: its highest number, and the total that came last."""

    completed: float
    total: float | None

    __repr__ = shown


@final
class ProgressRule:
    """Folds the progress of one invocation; the rule is that of this module."""

    __slots__ = ("_fallbacks", "_last", "_sources", "_steps")

    def __init__(self) -> None:
        self._sources: Final[dict[str | None, _Source]] = {}
        self._fallbacks: float = 0
        self._steps = 0
        self._last: float | None = None

    def report(self, event: ProgressEvent) -> ProgressReport | None:
        """Take an explicit report; what is to be sent for it, if anything is."""
        self._note(event)
        if self._rises(self._number()):
            return self._send(self._total(), event.message)
        is_message = event.message is not None and not event.is_numbered and event.total is None
        if is_message and not self._knows_total:
            return self._step(event.message)
        return None

    def show(self, node: ProgressNode) -> ProgressReport | None:
        """Take a fallback that is shown; what is to be sent for it, if anything is."""
        self._fallbacks = max(self._fallbacks, node.completed)
        if not self._rises(self._number()):
            return None
        total = None if node.total is None else _sum((node.total, self._steps))
        return self._send(total, node.message)

    @property
    def _knows_total(self) -> bool:
        return self._total() is not None

    def _note(self, event: ProgressEvent) -> None:
        known = self._sources.get(event.source)
        highest = 0 if known is None else known.completed
        if event.is_numbered or event.total is not None:
            if event.completed >= highest:
                self._sources[event.source] = _Source(event.completed, event.total)
        elif event.completed > highest:
            # A number that came before the message and was overtaken by it.
            total = None if known is None else known.total
            total = total if total is None or total >= event.completed else None
            self._sources[event.source] = _Source(event.completed, total)

    def _number(self) -> float:
        reported = _sum([source.completed for source in self._sources.values()])
        return _sum((max(reported, self._fallbacks), self._steps))

    def _total(self) -> float | None:
        totals = [source.total for source in self._sources.values()]
        known = [total for total in totals if total is not None]
        if not known or len(known) < len(totals):
            return None
        return _sum((*known, self._steps))

    def _rises(self, number: float) -> bool:
        return math.isfinite(number) and (self._last is None or number > self._last)

    def _step(self, message: str | None) -> ProgressReport | None:
        self._steps += 1
        return self._send(None, message) if self._rises(self._number()) else None

    def _send(self, total: float | None, message: str | None) -> ProgressReport:
        number = self._last = self._number()
        if total is not None and not number <= total < math.inf:
            total = None
        return ProgressReport(number, total, None if message is None else _shorten(message))


def _sum(numbers: Collection[float]) -> float:
    """The sum, rounded once; an integer if all are, a float where an integer would be too large.

    Rounded once, it never falls when one of the numbers rises.
    """
    total: float = sum(number for number in numbers if isinstance(number, int))
    if not all(isinstance(number, int) for number in numbers):
        try:
            return math.fsum(numbers)
        except OverflowError:
            return math.inf
    return total if total <= SAFE_INTEGER else float(total)


def _shorten(message: str) -> str:
    text = message.strip()
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
