"""Signals while a command runs: the first cancels it, the second ends the process.

The first SIGINT or SIGTERM goes through Trio to a scope, so that components clean up.  The
second is handled right where it arrives, because what it is needed for is a cleanup, or a
component that blocks the loop, which does not come to an end.  A SIGINT that was ignored when
the process began, as in a background job of a script, stays ignored.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, cast, final

import trio

from trio_agent.surfaces.cli.complaint import signalled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator
    from types import FrameType


@final
class Interruption:
    """Which signal came, if any.

    Args:
        end: called with the exit code when a second signal comes, inside of its handler.

    Attributes:
        number: of the first signal; None as long as there was none.
    """

    __slots__ = ("_end", "number")

    def __init__(self, end: Callable[[int], object]) -> None:
        self._end: Final = end
        self.number: int | None = None

    @contextmanager
    def listening(self) -> Generator[AsyncIterator[int], None, None]:
        """Listen to signals for a block; gives the first ones as they come.  Main thread only."""
        numbers = [signal.SIGTERM]
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            numbers.append(signal.SIGINT)
        with trio.open_signal_receiver(*numbers) as received:
            # Trio has just put its own handler there.
            inner = cast("Callable[[int, FrameType | None], object]", signal.getsignal(numbers[0]))

            def handle(number: int, frame: FrameType | None) -> None:
                if self.number is not None:
                    self._end(signalled(number))
                    return
                self.number = number
                inner(number, frame)

            for number in numbers:
                signal.signal(number, handle)
            yield received


@final
class SignalWatch:
    """Cancels a scope when a signal comes: an actor."""

    __slots__ = ("_received", "_scope")

    def __init__(self, received: AsyncIterator[int], scope: trio.CancelScope) -> None:
        self._received: Final = received
        self._scope: Final = scope

    async def run(self) -> None:
        """Watch."""
        async for number in self._received:
            self._scope.cancel(signal.Signals(number).name)
