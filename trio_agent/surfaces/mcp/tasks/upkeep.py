"""What has to be done about tasks from time to time: an actor that lives as long as there are any.

* What has been kept for long enough is forgotten, so that an idle server holds no results.
* With a store that several processes share, what works here is written there, and what came in
  there, a cancellation or an answer, is taken from there: once a second.

Below: `run`, `store`.  Above: `office`, which starts it with the first task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, final

import trio

from trio_agent.surfaces.mcp.containment import log
from trio_agent.surfaces.mcp.tasks.store import TaskStoreError

if TYPE_CHECKING:
    from collections.abc import Collection

    from trio_agent.surfaces.mcp.tasks.run import Home, TaskRun

SYNC_S: Final = 1.0
"""As often as clients ask, by default."""

SWEEP_S: Final = 60.0


class Household(Protocol):
    """What is looked after."""

    @property
    def home(self) -> Home:
        """The store and the clock."""
        ...

    @property
    def runs(self) -> Collection[TaskRun]:
        """What works here."""
        ...


@final
class Upkeep:
    """Looks after the tasks of one server: an actor.  It may be run again when it has ended.

    Args:
        household: see there.

    Attributes:
        is_running: whether it is being run.
    """

    def __init__(self, household: Household) -> None:
        self._household: Final = household
        self.is_running: bool = False

    async def run(self) -> None:
        """Look after tasks until there are none."""
        self.is_running = True
        try:
            while await self._look_after():
                is_shared = self._household.home.store.is_shared
                await trio.sleep(SYNC_S if is_shared and self._household.runs else SWEEP_S)
        finally:
            self.is_running = False

    async def _look_after(self) -> bool:
        home = self._household.home
        try:
            for run in list(self._household.runs) if home.store.is_shared else ():
                await sync(run, home)
            return await home.store.sweep(home.now()) or bool(self._household.runs)
        except TaskStoreError as error:
            log.error("the tasks could not be looked after: %s", error)
            return True


async def sync(run: TaskRun, home: Home) -> None:
    """Let the store and a task that works here know of each other.

    Raises:
        TaskStoreError: the store cannot be used.
    """
    live, was_dirty = run.record, run.is_dirty
    run.is_dirty = False
    if was_dirty:
        stored = await home.store.change(live.id, lambda one: one.synced(live), home.now())
    else:
        stored = await home.store.find(live.id, home.now())
    if stored is None or run.record.is_over:
        return
    if stored.is_over:
        run.adopt(stored)
        run.cancel("the task was cancelled elsewhere")
    else:
        run.deliver(stored.answers)
