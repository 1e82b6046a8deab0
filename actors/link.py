"""Links: the one way for two actors to talk.

A link is a Trio memory channel with three habits added. It says when it is *finished*, so that
the receiver can tell the end from the death of its peer. Its ends close synchronously, since an
exit that waits can be cancelled, and the cancellation would then replace the error on its way out
(https://github.com/python-trio/trio/issues/1559). And its receiver can sleep on the link and on
one `Latest` at the same time.

It is not a queue between many: one actor owns the outbox, one task reads the inbox. There is no
clone, no broadcast, no fan-in actor. The tasks of the actor that owns the outbox may share it.

Rules:

* blocked senders are served first come, first served;
* sending and receiving are atomic: when they raise, nothing was handed over;
* the last value and the end arrive together (`Outbox.finish`), so between them nobody can be
  cancelled;
* `Inbox.receive_or` looks at the slot before every sleep and after every wake-up. A wake-up that
  finds nobody asleep is dropped, and nothing is lost;
* links form an acyclic graph: bounded links in a circle end in a deadlock.
"""

from __future__ import annotations

import enum
import math
import warnings
from typing import (
    TYPE_CHECKING,
    ClassVar,
    Final,
    Generic,
    Literal,
    Protocol,
    Self,
    TypeVar,
    cast,
    final,
    overload,
)

import trio

from actors.errors import EndClosedError, LinkFinishedError
from actors.parcel import CLOSED, Last, Mark, to_actor_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from actors.latest import Latest

T = TypeVar("T")
S = TypeVar("S")


_FINISHED: Final = Mark.FINISHED
_WOKEN: Final = Mark.WOKEN
_TWO_SLEEPERS: Final = "two tasks wait for one Latest; only one of them would be woken"
_TWO_READERS: Final = "two tasks read one inbox, and this one got the other's wake-up"


class _End(enum.Enum):
    """How far a receiver is from the end of its link."""

    AHEAD = enum.auto()
    DUE = enum.auto()
    TOLD = enum.auto()


class End(Protocol):
    """Either end of a link, as leak checks see it."""

    @property
    def is_open(self) -> bool:
        """Whether the owner has not closed it yet."""
        ...

    def close(self) -> None:
        """Let go of the link; never waits."""
        ...


@final
class Outbox(Generic[T]):
    """The sending end. Its owner opens it as ``with outbox:`` for as long as it lives.

    Leaving the block without `finish` is a truncation for the receiver, as it should be if an
    exception made us leave.
    """

    __slots__ = ("_channel", "_finished", "is_open")

    def __init__(self, channel: trio.MemorySendChannel[T | Last | Mark]) -> None:
        self._channel = channel
        self._finished = False
        self.is_open: bool = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __del__(self) -> None:
        if self.is_open:
            warnings.warn(f"{self!r} was never closed", ResourceWarning, stacklevel=2, source=self)

    async def send(self, value: T) -> None:
        """Hand *value* over; wait until the receiver has taken it or there is room for it.

        If this raises, `Cancelled` included, the receiver did not get the value.

        Raises:
            PeerGoneError: the receiver left.
            LinkFinishedError: the link has been finished.
            EndClosedError: this end has been closed.
        """
        if self._finished:
            raise LinkFinishedError(f"sent a {type(value).__name__} after this link was finished")
        try:
            await self._channel.send(value)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise to_actor_error(error) from None

    @overload
    async def finish(self) -> None: ...
    @overload
    async def finish(self, last: T, /) -> None: ...

    async def finish(self, *last: T) -> None:
        """Say that nothing more will come: ``finish()``, or ``finish(last)`` with the last value.

        The last value and the end are one: once the receiver has the value, neither side can be
        cancelled before the end. Values that others offered earlier are delivered first. A finish
        that fails is not to be repeated; the receiver then sees a truncation.

        Raises:
            PeerGoneError: the receiver left.
            LinkFinishedError: the link has been finished already.
            EndClosedError: this end has been closed.
        """
        if self._finished:
            raise LinkFinishedError("this link has been finished already")
        self._finished = True
        try:
            await self._channel.send(Last(*last) if last else _FINISHED)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise to_actor_error(error) from None

    def close(self) -> None:
        """Let go of the link; never waits. Closing twice is fine.

        A task that is blocked in `send` here gets `EndClosedError`.
        """
        self.is_open = False
        self._channel.close()


@final
class Inbox(Generic[T]):
    """The receiving end. Its owner opens it as ``with inbox:`` and reads it from one task.

    ``async for value in inbox`` reads until the end; `receive` and `receive_or` read one by one.
    Closing it early drops what is buffered and makes the sender's next `send` a `PeerGoneError`.
    """

    __slots__ = ("_bell", "_channel", "_end", "is_open")

    def __init__(
        self,
        channel: trio.MemoryReceiveChannel[T | Last | Mark],
        bell: trio.MemorySendChannel[T | Last | Mark],
    ) -> None:
        self._channel = channel
        # The outbox's own channel, not a clone: a clone would keep the link from ending.
        self._bell = bell
        self._end = _End.AHEAD
        self.is_open: bool = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __del__(self) -> None:
        if self.is_open:
            warnings.warn(f"{self!r} was never closed", ResourceWarning, stacklevel=2, source=self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        parcel = await self._receive()
        if parcel is _FINISHED:
            raise StopAsyncIteration
        if parcel is _WOKEN:
            raise RuntimeError(_TWO_READERS)
        return parcel

    async def receive(self) -> T | Literal[Mark.FINISHED]:
        """Take the next value, or learn that there will be none.

        If this raises, `Cancelled` included, nothing was taken. Once the end has been reached it
        stays reached. The end that came with the last value is told at once, without a checkpoint.

        Raises:
            LinkTruncatedError: the sender left without having finished.
            EndClosedError: this end has been closed.
        """
        parcel = await self._receive()
        if parcel is _WOKEN:
            raise RuntimeError(_TWO_READERS)
        return parcel

    async def receive_or(self, latest: Latest[S], *, not_before: float = -math.inf) -> T | Mark:
        """Take the next value, or learn that *latest* is full, or that the link has ended.

        The slot goes first: `Mark.WOKEN` is the answer as long as it is full, and whoever gets it
        takes from the slot. So what is put before a value is offered is seen before that value,
        the end comes last, and a producer that never pauses can starve the link unless
        *not_before* bounds it.

        Args:
            latest: The slot to look at; nobody else may wait for it meanwhile.
            not_before: A time of Trio's clock. Until then a full slot counts as empty; when the
                time has come, a full slot ends the wait.

        Raises:
            LinkTruncatedError: the sender left without having finished, and the slot is empty.
            EndClosedError: this end has been closed.
            RuntimeError: another task waits for *latest*.
        """
        rested = False
        while True:
            if not latest.is_full:
                # In place: a helper would be one more frame to go through at every wake-up.
                if latest.bell is not None:
                    raise RuntimeError(_TWO_SLEEPERS)
                latest.bell = self._ring
                try:
                    parcel = await self._receive()
                finally:
                    latest.bell = None
                if parcel is not _WOKEN:
                    return parcel
            elif not_before > trio.current_time():
                # A value that comes at the last moment is kept: receiving is atomic.
                with trio.move_on_at(not_before):
                    return await self.receive()
            elif rested:
                return _WOKEN
            else:
                await trio.lowlevel.checkpoint()
            rested = True

    def close(self) -> None:
        """Let go of the link; never waits. Closing twice is fine.

        A task that is blocked here gets `EndClosedError`.
        """
        self.is_open = False
        self._channel.close()

    async def _receive(self) -> T | Mark:
        if self._end is not _End.AHEAD:
            return await self._tell_end()
        try:
            parcel = await self._channel.receive()
        except (trio.EndOfChannel, trio.ClosedResourceError) as error:
            raise to_actor_error(error) from None
        if isinstance(parcel, Last):
            self._end = _End.DUE
            return cast("T", parcel.value)
        if parcel is _FINISHED:
            self._end = _End.TOLD
        return parcel

    async def _tell_end(self) -> Literal[Mark.FINISHED]:
        if not self.is_open:
            raise EndClosedError(CLOSED)
        if self._end is _End.TOLD:
            # Who asks again and again must stay cancellable.
            await trio.lowlevel.checkpoint()
        self._end = _End.TOLD
        return _FINISHED

    def _ring(self) -> None:
        # Only a sleeper is woken. A receiver that has just been given a value is not asleep; with
        # a buffer, ringing for it would leave a stale wake-up there. It looks at the slot anyway.
        if self._bell.statistics().tasks_waiting_receive:
            self._bell.send_nowait(_WOKEN)


@final
class Link(Generic[T]):
    """A one-way road for values of type *T*, made of an `Outbox` and an `Inbox`.

    With the default *capacity* of zero, `send` returns when the receiver has taken the value, and
    nothing is ever buffered that could be lost. Ask for more only with a measurement.
    """

    __slots__ = ("inbox", "outbox")

    watch: ClassVar[Callable[[End], None] | None] = None
    """Told of every new end while `actors.testing` looks for leaks; None otherwise."""

    def __init__(self, *, capacity: int = 0) -> None:
        channels: tuple[
            trio.MemorySendChannel[T | Last | Mark],
            trio.MemoryReceiveChannel[T | Last | Mark],
        ] = trio.open_memory_channel(capacity)
        send, receive = channels
        self.outbox: Outbox[T] = Outbox(send)
        self.inbox: Inbox[T] = Inbox(receive, send)
        if Link.watch is not None:
            Link.watch(self.outbox)
            Link.watch(self.inbox)
