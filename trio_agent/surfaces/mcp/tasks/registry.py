"""All tasks of one server, in memory: found, changed, listed, forgotten.

A plain object without tasks and clocks; every method is one step.  It is also the model that other
stores are compared with.

Below: `record`, `quota`.  Above: `store.MemoryTaskStore`.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.tasks.quota import TaskQuota, make_room

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.mcp.tasks.record import Change, TaskRecord


@final
@attrs.frozen
class TaskPage:
    """Some tasks of one owner, in the order in which they were asked for.

    Attributes:
        records: those of the page.
        next: the number after which the next page begins; None on the last one.
    """

    records: Sequence[TaskRecord]
    next: int | None = None

    __repr__ = shown


@final
class TaskRegistry:
    """The tasks of one server.

    Args:
        quota: how many.
    """

    def __init__(self, quota: TaskQuota | None = None) -> None:
        self._quota: Final = TaskQuota() if quota is None else quota
        self._records: Final[dict[str, TaskRecord]] = {}
        self._expiries: Final[list[tuple[float, str]]] = []
        self._last_number = 0

    def __len__(self) -> int:
        return len(self._records)

    @property
    def next_expiry(self) -> float | None:
        """When a task is forgotten next; it may have been driven out before."""
        return self._expiries[0][0] if self._expiries else None

    def create(self, record: TaskRecord, now: float) -> TaskRecord:
        """Keep a new task; the record with its number.

        Raises:
            TasksFullError: there is no room.
        """
        self.expire(now)
        for id_ in make_room(self._records.values(), record.owner, self._quota):
            del self._records[id_]
        self._last_number += 1
        numbered = attrs.evolve(record, number=self._last_number)
        self._records[record.id] = numbered
        self._tidy()
        return numbered

    def find(self, id_: str, now: float) -> TaskRecord | None:
        """The task of that id; None when there is none, or none any more."""
        self.expire(now)
        return self._records.get(id_)

    def change(self, id_: str, change: Change, now: float) -> TaskRecord | None:
        """Apply *change*; what the task is then, or None when there is none."""
        self.expire(now)
        before = self._records.get(id_)
        if before is None:
            return None
        after = self._records[id_] = change(before)
        if after.expires_at is not None and not before.is_over:
            heapq.heappush(self._expiries, (after.expires_at, id_))
        return after

    def discard(self, id_: str) -> None:
        """Forget a task at once; one that is unknown is fine."""
        self._records.pop(id_, None)

    def page(self, owner: str, after: int, size: int, now: float) -> TaskPage:
        """The next tasks of *owner*.

        Args:
            owner: whose.
            after: the number of the task before; 0 for the first page.
            size: how many.
            now: the time.
        """
        self.expire(now)
        found = [one for one in self._records.values() if one.owner == owner and one.number > after]
        page = found[:size]
        return TaskPage(page, page[-1].number if len(found) > size else None)

    def orphan(self, owner: str) -> None:
        """The session or process *owner* is gone."""
        for id_, record in self._records.items():
            if record.owner == owner:
                self._records[id_] = record.orphaned()

    def expire(self, now: float) -> None:
        """Forget what has been kept for long enough."""
        while self._expiries and self._expiries[0][0] <= now:
            _, id_ = heapq.heappop(self._expiries)
            self._records.pop(id_, None)

    def _tidy(self) -> None:
        """Drop the times of tasks that were driven out, when most of them are."""
        if len(self._expiries) > 2 * len(self._records) + 64:
            kept = [entry for entry in self._expiries if entry[1] in self._records]
            self._expiries[:] = kept
            heapq.heapify(self._expiries)
