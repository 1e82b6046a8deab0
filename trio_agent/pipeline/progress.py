"""Progress: reports from any thread, of which the latest per source is kept until it is taken.

`report()` is synchronous and never waits for the consumer: it overwrites what its source said
before and wakes the decoder, through the Trio thread's queue if it comes from another thread.
So 100,000 reports cost one slot, and a talkative component cannot fail its render.

Not an actor with a task of its own: the decoder looks at `bell`, and takes.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, final

import attrs
import trio

from actors import Latest
from trio_agent.errors import ContractError
from trio_agent.shown import shown
from trio_agent.vocabulary.field import check_not_blank, check_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.pipeline.door import Door

MAX_SOURCES: Final = 64
"""Named sources of one invocation; a terminal cannot show more bars, and each holds a slot."""


@final
@attrs.frozen
class Report:
    """The latest word of one source; `source` is None for the invocation's own reporter.

    Without a number of its own (`is_numbered`) a report repeats the last one of its source.
    """

    source: str | None
    completed: float
    total: float | None
    message: str | None
    is_numbered: bool = True

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The members of a `progress` event, absent ones left out."""
        wire: dict[str, object] = {"completed": self.completed}
        for name in ("total", "message", "source"):
            value = getattr(self, name)
            if value is not None:
                wire[name] = value
        return wire


@final
class Progress:
    """Where the reports of one invocation wait.

    Attributes:
        bell: full when there may be something to take; the decoder sleeps on it.
    """

    __slots__ = ("_door", "_last", "_thread", "_token", "_waiting", "bell")

    def __init__(self, door: Door) -> None:
        self.bell: Final[Latest[None]] = Latest()
        self._door: Final = door
        self._waiting: dict[str | None, Report] = {}
        self._last: dict[str | None, float] = {None: 0}
        self._thread: Final = threading.get_ident()
        # The one way to wake Trio from a thread without waiting for it.
        self._token: Final = trio.lowlevel.current_trio_token()  # noqa: TID251  # see above

    def reporter(self) -> SourceReporter:
        """The invocation's own reporter."""
        return SourceReporter(self, None)

    def open_source(self, source: str) -> SourceReporter:
        """A reporter for one named source; the same name is the same source.

        Raises:
            ContractError: `invalid-document`, a blank name or too many.
        """
        check_not_blank("progress source", source)
        with self._door.lock:
            # One of the entries is the reporter without a name.
            if source not in self._last and len(self._last) > MAX_SOURCES:
                raise ContractError(
                    "invalid-document",
                    f"an invocation has at most {MAX_SOURCES} named progress sources;"
                    f" {source!r} would be one more",
                )
            self._last.setdefault(source, 0)
        return SourceReporter(self, source)

    def accept(
        self, source: str | None, completed: float | None, total: float | None, message: str | None
    ) -> None:
        """Keep a report, in any thread.

        Raises:
            ContractError: `invalid-document`, a number or the message is not allowed.
            HandoffRequiredError: the invocation has ended.
        """
        is_numbered = completed is not None
        if completed is None:
            completed = self._last[source]
        check_progress("progress", completed, total, message)
        report = Report(source, completed, total, message, is_numbered)
        with self._door.lock:
            self._door.check("progress", report)
            self._last[source] = completed
            self._waiting[source] = report
        self.wake(self._ring)

    def wake(self, function: Callable[[], None]) -> None:
        """Call *function* in the Trio thread: now, or soon and once when this is another.

        Not at all if the whole run ends meanwhile.
        """
        if threading.get_ident() == self._thread:
            function()
        else:
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(function, idempotent=True)

    @property
    def waiting(self) -> int:
        """How many sources have a report that was not taken."""
        return len(self._waiting)

    def take(self) -> Report | None:
        """The report that has waited longest, if any; in the Trio thread."""
        with self._door.lock:
            if not self._waiting:
                return None
            report = self._waiting.pop(next(iter(self._waiting)))
            more = bool(self._waiting)
        if more:
            self.bell.put(None)
        return report

    def _ring(self) -> None:
        self.bell.put(None)


@final
class SourceReporter:
    """Reports of one source: what `context.progress` is (`context.handle.ProgressReporter`)."""

    __slots__ = ("_progress", "_source")

    def __init__(self, progress: Progress, source: str | None) -> None:
        self._progress: Final = progress
        self._source: Final = source

    def report(
        self,
        completed: float | None = None,
        *,
        total: float | None = None,
        message: str | None = None,
    ) -> None:
        """See `ProgressReporter.report`."""
        self._progress.accept(self._source, completed, total, message)

    def named(self, source: str) -> SourceReporter:
        """See `ProgressReporter.named`."""
        return self._progress.open_source(source)
