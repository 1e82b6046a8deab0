"""Reply: one value that changes hands once, and can then be read any number of times.

It is what a link is too much for: a single answer. It is not a future. It cannot hold an
exception, cannot be cancelled and has no callbacks: an actor that fails to answer crashes, and
its supervisor tells whoever waits.

Rule: a reply that nobody waits for costs two pointers; the event is made by the first who waits.
"""

from __future__ import annotations

import enum
from typing import Final, Generic, TypeVar, final

import trio

from actors.errors import ReplyTwiceError, SlotEmptyError

T = TypeVar("T")


class _Nothing(enum.Enum):
    NOTHING = enum.auto()


_NOTHING: Final = _Nothing.NOTHING


@final
class Reply(Generic[T]):
    """A place for one answer. The asker keeps it and takes; the one who answers gives."""

    __slots__ = ("_given", "_value")

    def __init__(self) -> None:
        self._value: T | _Nothing = _NOTHING
        self._given: trio.Event | None = None

    @property
    def is_given(self) -> bool:
        """Whether the value is there."""
        return self._value is not _NOTHING

    def give(self, value: T) -> None:
        """Answer with *value*, waking everybody who waits; never waits itself.

        Raises:
            ReplyTwiceError: there is a value already. It stays.
        """
        if self._value is not _NOTHING:
            raise ReplyTwiceError(f"given a {type(value).__name__}, but a reply takes one value")
        self._value = value
        if self._given is not None:
            self._given.set()

    async def take(self) -> T:
        """Wait for the value. A checkpoint, also when the value is there already."""
        if self._given is None:
            self._given = trio.Event()
            if self._value is not _NOTHING:
                self._given.set()
        await self._given.wait()
        return self.take_nowait()

    def take_nowait(self) -> T:
        """Read the value without waiting and without a chance of being cancelled.

        Raises:
            SlotEmptyError: the value has not been given.
        """
        value = self._value
        if value is _NOTHING:
            raise SlotEmptyError("the reply has not been given")
        return value
