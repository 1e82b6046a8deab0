"""Latest: a mailbox for one value, in which a newer value replaces an older one.

It is for news of which only the newest matters, and for producers that must never wait. It is not
a link: values get lost by design, there is no end, and nobody is told whether anybody reads.
`Inbox.receive_or` is the one place that waits for it.

Rules:

* one receiver takes; any number of tasks may put;
* everything here happens in the Trio thread. Another thread goes through
  ``TrioToken.run_sync_soon``, which is why `put` reports a refusal instead of raising: an
  exception there would end the whole run.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Generic, TypeVar, final

from actors.errors import SlotEmptyError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class _Nothing(enum.Enum):
    NOTHING = enum.auto()


_NOTHING: Final = _Nothing.NOTHING


@final
class Latest(Generic[T]):
    """A slot that holds the newest value put into it, until it is taken."""

    __slots__ = ("_closed", "_value", "bell")

    def __init__(self) -> None:
        self._value: T | _Nothing = _NOTHING
        self._closed = False
        self.bell: Callable[[], None] | None = None
        """Wakes the receiver. Set by `Inbox.receive_or` while it sleeps; nobody else touches it."""

    @property
    def is_full(self) -> bool:
        """Whether there is a value to take."""
        return self._value is not _NOTHING

    def put(self, value: T) -> bool:
        """Leave *value* here in place of an older one, and wake the receiver; never waits.

        Returns:
            False if the slot is closed; the value is then dropped.
        """
        if self._closed:
            return False
        self._value = value
        if (ring := self.bell) is not None:
            ring()
        return True

    def take(self) -> T:
        """Empty the slot; never waits. What it still held when it was closed can be taken, too.

        Raises:
            SlotEmptyError: there is nothing to take. `is_full` tells beforehand.
        """
        value = self._value
        if value is _NOTHING:
            raise SlotEmptyError("nothing has been put here since the last take")
        self._value = _NOTHING
        return value

    def close(self) -> None:
        """Refuse every further value. Closing twice is fine."""
        self._closed = True
