"""The watchdog: makes sure that a process which is to end does.

Shutting down runs author code: cleanups that are shielded, exit handlers, threads that Python
waits for.  The watchdog is a thread that ends the process without any of that when the time is up.

It is armed from signal handlers, so it uses nothing that such a handler could find half done: no
`threading.Thread`, whose start takes locks, and no clock but the timeout of a bare lock.
"""

from __future__ import annotations

import _thread
import os
import threading
from typing import TYPE_CHECKING, Final, final

from trio_agent.context.children import CHILDREN
from trio_agent.context.lossy import LossyWriter

if TYPE_CHECKING:
    from collections.abc import Callable


_STDERR: Final = 2


def end_at_once(code: int) -> None:
    """End the process and its children without asking anybody, and say so on standard error."""
    CHILDREN.kill()
    # A writer of its own: whoever holds the turn of another one may be what does not end.
    LossyWriter(_STDERR).write(b"trio-agent: the process did not end in time, so it was ended\n")
    os._exit(code)


@final
class Watchdog:
    """Ends the process when the time is up.  One for each process.

    Args:
        end: called with the exit code, in the watchdog's thread.
        start: starts that thread.
    """

    def __init__(
        self,
        end: Callable[[int], object] = end_at_once,
        start: Callable[[Callable[[], object], tuple[()]], object] = _thread.start_new_thread,
    ) -> None:
        self._end: Final = end
        self._start: Final = start
        self._order = (0, threading.TIMEOUT_MAX)
        self._news: Final = threading.Lock()
        self._has_thread = False

    def arm(self, code: int, patience_s: float) -> None:
        """Let the process end with *code* in *patience_s*; takes the place of an earlier order."""
        self._give(code, patience_s)

    def disarm(self) -> None:
        """Forget the order."""
        if self._has_thread:
            self._give(0, threading.TIMEOUT_MAX)

    def _give(self, code: int, patience_s: float) -> None:
        self._order = (code, patience_s)
        if self._has_thread:
            # Held by the thread while it waits; a second release before it woke is no news.
            if self._news.locked():
                self._news.release()
        else:
            self._has_thread = True
            self._news.acquire()
            self._start(self._watch, ())

    def _watch(self) -> None:
        while True:
            code, patience_s = self._order
            if not self._news.acquire(timeout=patience_s):
                self._end(code)
                return
