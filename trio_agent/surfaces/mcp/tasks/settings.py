"""How many tasks a server keeps, and where.

Not here: how long a task is kept, which its client says, within the bounds of `wire`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs
from attrs.validators import ge, optional

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.tasks.quota import TaskQuota
from trio_agent.surfaces.mcp.tasks.store import OpenStore, open_in_memory

if TYPE_CHECKING:
    from trio_agent.context.roots import Roots


@final
@attrs.frozen(kw_only=True)
class TaskSettings:
    """How many tasks a server keeps, and where.

    Attributes:
        max_tasks: of one server, the finished ones that are still kept included.
        max_tasks_per_owner: of one session, client or process; half of *max_tasks* if None.
        open_store: makes the store; by default one in memory.

    Raises:
        ValueError: a number is less than 1.
    """

    max_tasks: int = attrs.field(default=256, validator=ge(1))
    max_tasks_per_owner: int | None = attrs.field(default=None, validator=optional(ge(1)))
    open_store: OpenStore = open_in_memory

    __repr__ = shown

    @property
    def quota(self) -> TaskQuota:
        """Both numbers."""
        own = self.max_tasks_per_owner
        half = max(1, self.max_tasks // 2)
        return TaskQuota(max_tasks=self.max_tasks, max_tasks_per_owner=half if own is None else own)


def keep_where_state_goes(roots: Roots) -> TaskSettings:
    """The settings of a server whose operator says nothing but, maybe, where state is to be."""
    if roots.state_source != "native":
        return TaskSettings()
    # lazy: few operators want SQLite.
    from trio_agent.surfaces.mcp.tasks.sqlite import open_sqlite  # noqa: PLC0415

    return TaskSettings(open_store=open_sqlite(roots.state_root))
