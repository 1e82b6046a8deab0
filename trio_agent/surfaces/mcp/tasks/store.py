"""Where tasks are kept: the protocol of a store, and the one in memory.

A store does what `registry` does, each method in one step that nobody sees half of, whichever
process asks:

* `create` counts, makes room by `quota.make_room` and adds, in one transaction;
* `change` reads a record, applies the function and writes, in one transaction.  The function is
  pure, so a store may apply it again when it lost a race;
* what works in a process that is gone is failed before anybody sees it (`runtime-restarted`).

With that, any number of processes may share a store, and each may be asked about any task.  Which
of them works on it is known to the one alone; it syncs with the store once a second, and learns
there of cancellations and answers.  `docs/explanation/scaling.md` has the whole story.

Below: `registry`.  Above: `office`.  Beside: `sqlite`.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, final

import trio

from trio_agent.surfaces.mcp.tasks.registry import TaskRegistry

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.surfaces.mcp.tasks.quota import TaskQuota
    from trio_agent.surfaces.mcp.tasks.record import Change, TaskRecord
    from trio_agent.surfaces.mcp.tasks.registry import TaskPage


class TaskStoreError(Exception):
    """The store cannot be used just now; one sentence for the operator."""


class TaskStore(Protocol):
    """Keeps the tasks of one server.  Every method may raise `TaskStoreError`."""

    @property
    def worker(self) -> str:
        """A name for this process that no other one has, nor ever had."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether another process may change what this one works on."""
        ...

    async def create(self, record: TaskRecord, now: float) -> TaskRecord:
        """See `TaskRegistry.create`.  When it returns, the task survives whatever comes."""
        ...

    async def find(self, id_: str, now: float) -> TaskRecord | None:
        """See `TaskRegistry.find`."""
        ...

    async def change(self, id_: str, change: Change, now: float) -> TaskRecord | None:
        """See `TaskRegistry.change`."""
        ...

    async def discard(self, id_: str) -> None:
        """See `TaskRegistry.discard`."""
        ...

    async def page(self, owner: str, after: int, size: int, now: float) -> TaskPage:
        """See `TaskRegistry.page`."""
        ...

    async def orphan(self, owner: str) -> None:
        """See `TaskRegistry.orphan`."""
        ...

    async def sweep(self, now: float) -> bool:
        """Forget what has been kept for long enough; whether anything is kept still."""
        ...


OpenStore: TypeAlias = "Callable[[str, TaskQuota], TaskStore]"
"""Makes the store of the server of that name; must not wait."""


@final
class MemoryTaskStore:
    """Keeps tasks as long as the process lives: a `TaskStore`.

    Args:
        quota: how many.
    """

    is_shared: bool = False

    def __init__(self, quota: TaskQuota | None = None) -> None:
        self._registry: Final = TaskRegistry(quota)
        self.worker: str = secrets.token_hex(16)

    # The checkpoint comes first: a cancellation must not look as if nothing had been done.

    async def create(self, record: TaskRecord, now: float) -> TaskRecord:
        """See `TaskStore.create`."""
        await _checkpoint()
        return self._registry.create(record, now)

    async def find(self, id_: str, now: float) -> TaskRecord | None:
        """See `TaskStore.find`."""
        await _checkpoint()
        return self._registry.find(id_, now)

    async def change(self, id_: str, change: Change, now: float) -> TaskRecord | None:
        """See `TaskStore.change`."""
        await _checkpoint()
        return self._registry.change(id_, change, now)

    async def discard(self, id_: str) -> None:
        """See `TaskStore.discard`."""
        await _checkpoint()
        self._registry.discard(id_)

    async def page(self, owner: str, after: int, size: int, now: float) -> TaskPage:
        """See `TaskStore.page`."""
        await _checkpoint()
        return self._registry.page(owner, after, size, now)

    async def orphan(self, owner: str) -> None:
        """See `TaskStore.orphan`."""
        await _checkpoint()
        self._registry.orphan(owner)

    async def sweep(self, now: float) -> bool:
        """See `TaskStore.sweep`."""
        await _checkpoint()
        self._registry.expire(now)
        return len(self._registry) > 0


def open_in_memory(server: str, quota: TaskQuota) -> MemoryTaskStore:
    """The default of `TaskSettings.open_store`."""
    del server
    return MemoryTaskStore(quota)


async def _checkpoint() -> None:
    await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
