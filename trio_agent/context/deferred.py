"""Deferreds: values that are being worked out beside the rendering.

`defer(fn, *args)` gives one.  A component awaits it, or a `def` component `use`s it; any number
may, and each gets the value, or the failure with the traceback of where it happened.  Work that
was cancelled answers that it was cancelled: nobody hangs.

The work itself runs in `pipeline.work`; `use` is in `context.suspension`.  A `Deferred` is not a
node: pass it to the component that needs the value.
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Final,
    Generic,
    Protocol,
    TypeAlias,
    TypeVar,
    TypeVarTuple,
    final,
)

import attrs

from actors import Reply
from trio_agent.errors import InvocationCancelledError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from types import TracebackType

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


@final
@attrs.frozen(eq=False)
class Done(Generic[T]):
    """The work ended with a value."""

    value: T

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class Failed:
    """The work raised; the traceback is kept, since raising again would grow it."""

    error: Exception
    traceback: TracebackType | None

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class Stopped:
    """The work was cancelled."""

    __repr__ = shown


Settlement: TypeAlias = Done[T] | Failed | Stopped


@final
class Deferred(Generic[T]):
    """A value that will be there.  Made by `defer`; await it, or `use` it in a `def` component.

    Attributes:
        name: qualified name of the function that works it out.
        is_received: whether somebody got the failure, so that it is not lost.
    """

    __slots__ = ("_reply", "is_received", "name")

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self.is_received: bool = False
        self._reply: Final[Reply[Settlement[T]]] = Reply()

    def __repr__(self) -> str:
        return f"<Deferred {self.name}, {'settled' if self.is_settled else 'pending'}>"

    @property
    def is_settled(self) -> bool:
        """Whether the value, the failure or the cancellation is there."""
        return self._reply.is_given

    def __await__(self) -> Generator[object, None, T]:
        """Wait for the value; a checkpoint, also when it is there.

        Raises:
            InvocationCancelledError: the work was cancelled.
            Exception: what the work raised.
        """
        return self._receive().__await__()

    async def wait_settled(self) -> None:
        """Wait until it is settled, however; receives nothing."""
        await self._reply.take()

    def settle(self, settlement: Settlement[T]) -> None:
        """Called by the work, once."""
        self._reply.give(settlement)

    def receive_nowait(self) -> T:
        """The value, which must be there."""
        settlement = self._reply.take_nowait()
        if isinstance(settlement, Done):
            return settlement.value
        if isinstance(settlement, Failed):
            self.is_received = True
            raise settlement.error.with_traceback(settlement.traceback)
        raise InvocationCancelledError(f"{self.name} was cancelled before it was done")

    async def _receive(self) -> T:
        await self._reply.take()
        return self.receive_nowait()


class Starter(Protocol):
    """Starts deferred work under the invocation's supervisor."""

    def start(
        self,
        function: Callable[[*Ts], Awaitable[T]],
        args: tuple[*Ts],
        *,
        name: str | None = None,
    ) -> Deferred[T]:
        """Start it now.

        Args:
            function: a coroutine function.
            args: what it is called with.
            name: what errors call it; its qualified name if None.
        """
        ...
