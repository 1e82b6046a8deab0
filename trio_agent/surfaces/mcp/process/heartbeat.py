"""The heartbeat: lines that say that a server lives, for whoever reads its standard error.

One comes every five minutes, and one when the client does something, but of those at most one a
minute, and none in the first.  A line names the server, the reason, the process, and how long it
has been up and idle, in whole seconds.

Sans-I/O but for the actor that waits; the clock is Trio's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

INTERVAL_S: Final = 300.0
ACTIVITY_S: Final = 60.0
"""The reference runtime has both numbers."""

Reason: TypeAlias = Literal["interval", "activity"]


@final
class Heartbeat:
    """Says that a server lives: an actor.

    Args:
        name: of the server.
        write: takes a line; must not wait.
        now: Trio's time, at which it starts.
    """

    def __init__(self, name: str, write: Callable[[str], object], now: float) -> None:
        self._name: Final = name
        self._write: Final = write
        self._started: Final = now
        self._told = now
        self._active = now

    async def run(self) -> None:
        """Beat for ever."""
        while True:
            await trio.sleep(INTERVAL_S)
            self._say("interval", trio.current_time())

    def note_activity(self, now: float) -> None:
        """The client has done something at *now*."""
        if now - self._told >= ACTIVITY_S:
            self._say("activity", now)
            self._told = now
        self._active = now

    def _say(self, reason: Reason, now: float) -> None:
        self._write(
            f"trio-agent heartbeat server={self._name} reason={reason} pid={os.getpid()}"
            f" uptime_s={now - self._started:.0f} idle_s={now - self._active:.0f}\n"
        )
