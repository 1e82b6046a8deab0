"""Signals while a server loads and serves.

The first one interrupts the loading, by an exception, or ends the serving, by way of the event
loop, so that everybody can clean up; the watchdog sees to it that this takes no longer than it
may.  The second one leaves less time for it, for it often is the same Ctrl-C on another way: from
the terminal and from the host.  The third ends the process.

A signal that was ignored when the process began stays ignored, as in a background job of a script
or under `nohup`.  Windows has no SIGHUP.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.surfaces.mcp.process.watchdog import Watchdog, end_at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType

CLEANUP_S: Final = 1.0
"""Between the first signal and the forced end."""

HURRY_S: Final = 0.25
"""Between the second one and the forced end."""

SIGNALS: Final = tuple(
    signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@final
class Interrupted(KeyboardInterrupt):
    """A signal came while a server was loading.  No author code catches a `KeyboardInterrupt`."""


@final
class Interruption:
    """Which signals came.

    Args:
        watchdog: armed by them.
        end: called with the exit code by the third one, inside of its handler.
        cleanup_s: between the first signal and the forced end.

    Attributes:
        exit_code: 128 and the number of the first one; None as long as there was none.
    """

    def __init__(
        self,
        watchdog: Watchdog,
        end: Callable[[int], object] = end_at_once,
        *,
        cleanup_s: float = CLEANUP_S,
    ) -> None:
        self._watchdog: Final = watchdog
        self._cleanup_s: Final = cleanup_s
        self._end: Final = end
        self._count = 0
        self._is_loading = False
        self._wake: Callable[[], object] | None = None
        self.exit_code: int | None = None

    @contextmanager
    def listening(self) -> Generator[None, None, None]:
        """Listen to signals for a block.  Main thread only."""
        before = {number: signal.getsignal(number) for number in SIGNALS}
        heard = [number for number in SIGNALS if before[number] is not signal.SIG_IGN]
        try:
            for number in heard:
                signal.signal(number, self._handle)
            yield
        finally:
            for number in heard:
                signal.signal(number, before[number])

    @contextmanager
    def loading(self) -> Generator[None, None, None]:
        """Let the first signal in this block raise `Interrupted`."""
        self._is_loading = True
        try:
            yield
        finally:
            self._is_loading = False

    @contextmanager
    def stopping(self, stop: Callable[[], object]) -> Generator[None, None, None]:
        """Let the first signal call *stop*, in the Trio thread; at once if it has come already."""
        token = trio.lowlevel.current_trio_token()  # noqa: TID251  # the only way from a handler to a task
        self._wake = lambda: token.run_sync_soon(stop)
        if self.exit_code is not None:
            stop()
        try:
            yield
        finally:
            self._wake = None

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._count += 1
        if self._count == 1:
            self._interrupt(128 + number)
        elif self._count == 2:
            self._watchdog.arm(128 + number, HURRY_S)
        else:
            self._end(128 + number)

    def _interrupt(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self._watchdog.arm(exit_code, self._cleanup_s)
        if self._is_loading:
            raise Interrupted
        if self._wake is not None:
            self._wake()
