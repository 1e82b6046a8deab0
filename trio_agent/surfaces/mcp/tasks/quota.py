"""How many tasks there may be, and which one makes room for another.

A server keeps at most `max_tasks`, one owner at most `max_tasks_per_owner`.  Room is made by
forgetting what is finished, the longest first, and of the same owner only: nobody can drive out
what belongs to another.  What belonged to a session or a process that is gone belongs to nobody,
and goes when the server is full.  What works is never forgotten.

Sans-I/O: a decision, for any store that can say what it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, final

import attrs
from attrs.validators import ge

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Collection


@final
class TasksFullError(Exception):
    """There is no room for another task, and none can be made; one sentence for the client."""


@final
@attrs.frozen(kw_only=True)
class TaskQuota:
    """How many tasks there may be.

    Attributes:
        max_tasks: of one server, the finished ones that are still kept included.
        max_tasks_per_owner: of one session, client or process.

    Raises:
        ValueError: a number is less than 1.
    """

    max_tasks: int = attrs.field(default=256, validator=ge(1))
    max_tasks_per_owner: int = attrs.field(default=128, validator=ge(1))

    __repr__ = shown


class Held(Protocol):
    """What is known of a task without reading it: a `TaskRecord`, or a row of a store."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def owner(self) -> str:
        """Whose it is."""
        ...

    @property
    def ended_at(self) -> float | None:
        """None while it works."""
        ...

    @property
    def is_orphan(self) -> bool:
        """Whether it is nobody's any more."""
        ...


def make_room(held: Collection[Held], owner: str, quota: TaskQuota) -> list[str]:
    """Which tasks have to be forgotten so that *owner* can have another one.

    Raises:
        TasksFullError: what would have to go still works, or is somebody else's.
    """
    own = [one for one in held if one.owner == owner]
    own_excess = len(own) + 1 - quota.max_tasks_per_owner
    excess = max(own_excess, len(held) + 1 - quota.max_tasks)
    if excess <= 0:
        return []
    room = [one for one in own if one.ended_at is not None]
    if len(room) < own_excess:
        raise TasksFullError(
            f"{len(own)} tasks of this client are kept and {len(own) - len(room)} of them still"
            f" work, of at most {quota.max_tasks_per_owner}; cancel one, or wait until one ends"
        )
    nobodys = [one for one in held if one.is_orphan and one.owner != owner]
    room.sort(key=_age)
    room += sorted((one for one in nobodys if one.ended_at is not None), key=_age)
    if len(room) < excess:
        raise TasksFullError(
            f"the server keeps {len(held)} tasks, of at most {quota.max_tasks}, and none that"
            " this client could do without; try again later"
        )
    return [one.id for one in room[:excess]]


def _age(one: Held) -> float:
    return one.ended_at or 0.0
