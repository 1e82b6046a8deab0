"""The decoder: the only writer of events.

It feeds rows to the assembler, looks at progress between rows, and lets the gate number each
event in the same synchronous step in which the event takes its document, right before it is
sent.  Rules:

* what there is of events does not depend on how fast the consumer reads, progress excepted;
* `max_event_rate` delays: progress stays in its slot and collapses, the others wait their turn;
* before the shell no progress is sent: reports collapse per source meanwhile;
* the last report of each source, the number of `complete`, its time, and the end of everything
  that may still report, are one step; then they are sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, final

import trio

from actors import Mark
from trio_agent.pipeline.door import Ending
from trio_agent.protocol.assembler import (
    Assembler,
    BoundaryFailed,
    BoundaryReplaced,
)
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    Failure,
    ProgressEvent,
    ReplaceEvent,
    ShellEvent,
    event_size,
    snapshot_size,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from actors import Inbox, Outbox
    from trio_agent.pipeline.door import Door
    from trio_agent.pipeline.progress import Progress, Report
    from trio_agent.pipeline.work import WorkDesk
    from trio_agent.protocol.assembler import Decision
    from trio_agent.protocol.gate import SequenceGate
    from trio_agent.protocol.rows import Row
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.json import Json


@final
class Decoder:
    """The actor between rows and events."""

    __slots__ = (
        "_assembler",
        "_check_value",
        "_checked",
        "_desk",
        "_door",
        "_events",
        "_gate",
        "_progress",
        "_rows",
        "is_done",
    )

    def __init__(  # noqa: PLR0913  # the one actor that everything meets in
        self,
        *,
        rows: Inbox[Row],
        events: Outbox[RenderEvent],
        gate: SequenceGate,
        progress: Progress,
        desk: WorkDesk,
        door: Door,
        check_value: Callable[[Json], None] | None,
    ) -> None:
        self._rows: Final = rows
        self._events: Final = events
        self._gate: Final = gate
        self._progress: Final = progress
        self._desk: Final = desk
        self._door: Final = door
        self._check_value: Final = check_value
        self._checked: Json | None = None
        self._assembler: Final = Assembler()
        self.is_done: bool = False
        """Whether `complete` has been taken."""

    async def run(self) -> None:
        """Decode one render."""
        with self._rows, self._events:
            try:
                shell_sent = False
                while True:
                    row = await (self._receive() if shell_sent else self._rows.receive())
                    if row is Mark.FINISHED:
                        break
                    decisions = self._assembler.feed(row)
                    # Not to be held while we wait for the next: it may be the whole document.
                    del row
                    for decision in decisions:
                        await self._emit(decision)
                        shell_sent = True
                self._assembler.finish()
                await self._complete()
                self.is_done = True
            finally:
                self._assembler.close()

    async def _receive(self) -> Row | Literal[Mark.FINISHED]:
        """The next row, or the end; sends progress meanwhile."""
        bell = self._progress.bell
        while True:
            room_at = self._gate.progress_room_at(trio.current_time())
            received = await self._rows.receive_or(bell, not_before=room_at)
            if received is not Mark.WOKEN:
                return received
            bell.take()
            report = self._progress.take()
            if report is not None:
                await self._events.send(self._number_report(report, trio.current_time()))

    async def _emit(self, decision: Decision) -> None:
        now = await self._wait_for_room()
        document = self._take_document()
        gate = self._gate
        event: RenderEvent
        if isinstance(decision, BoundaryReplaced):
            size = snapshot_size(document, decision.boundary_id)
            event = ReplaceEvent(gate.number(now, size), decision.boundary_id, document)
        elif isinstance(decision, BoundaryFailed):
            failure = Failure(decision.error.code, decision.error.message, decision.error.data)
            event = ErrorEvent(gate.next_sequence, failure, decision.boundary_id, document)
            gate.number(now, event_size(event))
        else:
            event = ShellEvent(gate.number(now, snapshot_size(document)), document)
        await self._events.send(event)

    async def _complete(self) -> None:
        self._desk.refuse_unreceived()
        await self._make_room_for_last()
        document = self._take_document()
        now = trio.current_time()
        last: list[ProgressEvent] = []
        while self._gate.has_room_for_last_progress(now):
            report = self._progress.take()
            if report is None:
                break
            last.append(self._number_report(report, now))
        sequence = self._gate.number(now, snapshot_size(document), last=True)
        self._door.shut(Ending(sequence, now, document.status))
        self._desk.stop()
        for event in last:
            await self._events.send(event)
        await self._events.finish(CompleteEvent(sequence, document))

    async def _make_room_for_last(self) -> None:
        """Wait until the last reports and `complete` have room together.

        At a rate below the number of sources some go ahead; then each has been heard once, and
        deferred work that goes on reporting does not hold up the end.
        """
        rate = self._gate.rate
        for _ in range(self._progress.waiting + 1 - rate):
            now = await self._wait_for_room()
            report = self._progress.take()
            if report is None or not self._gate.has_count_for_last_progress:
                break
            await self._events.send(self._number_report(report, now))
        await self._wait_for_room(min(self._progress.waiting + 1, rate))

    async def _wait_for_room(self, count: int = 1) -> float:
        """Wait until the rate allows so many events; the time then."""
        now = trio.current_time()
        room_at = self._gate.room_at(now, count)
        if room_at > now:
            await trio.sleep_until(room_at)
            now = trio.current_time()
        return now

    def _take_document(self) -> AgentDocument:
        """The snapshot, its value held against the declared type once."""
        document = self._assembler.document()
        value = document.value
        if value is not None and value is not self._checked:
            if self._check_value is not None:
                self._check_value(value)
            self._checked = value
        return document

    def _number_report(self, report: Report, now: float) -> ProgressEvent:
        event = ProgressEvent(
            self._gate.next_sequence,
            report.completed,
            report.total,
            report.message,
            report.source,
            is_numbered=report.is_numbered,
        )
        self._gate.number(now, event_size(event))
        return event
