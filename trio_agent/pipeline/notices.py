"""Notices on their way to the host: told in any thread, sent one at a time and in order.

Whoever tells never waits.  What waits here is bounded: a host that reads too slowly misses what
comes after that, and our own log says how much.  The task that sends exists only while there is
something to send, and the invocation ends after it, so what was told before the end arrives
before the result.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol, final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trio_agent.context.host import HostChannel, Notice

MOST_WAITING: Final = 1000
"""Notices that wait for a slow host."""

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of what they say to its log, likewise; a quarter of it is more than anybody reads."""

_log: Final = logging.getLogger("trio_agent")


class Stagehands(Protocol):
    """Who does the work: both are of the invocation."""

    def wake(self, function: Callable[[], None]) -> None:
        """Call *function* in the Trio thread, now or soon; once for any number of calls."""
        ...

    def call(self, function: Callable[[], Awaitable[object]]) -> bool:
        """Run *function* in a task; False when the invocation is over."""
        ...


@final
class Notices:
    """What one invocation still has to tell its host."""

    __slots__ = ("_dropped", "_hands", "_host", "_is_sending", "_lock", "_size", "_waiting")

    def __init__(self, host: HostChannel, hands: Stagehands) -> None:
        self._host: Final = host
        self._hands: Final = hands
        self._waiting: Final[deque[Notice]] = deque()
        self._size = 0
        self._dropped = 0
        self._is_sending = False
        self._lock: Final = threading.Lock()

    def accept(self, notice: Notice) -> None:
        """Take a notice, in any thread."""
        size = notice.size
        with self._lock:
            if len(self._waiting) >= MOST_WAITING or self._size + size > MOST_BYTES:
                self._dropped += 1
                return
            self._waiting.append(notice)
            self._size += size
        self._hands.wake(self._begin)

    def _begin(self) -> None:
        if not self._is_sending:
            self._is_sending = self._hands.call(self._send)

    async def _send(self) -> None:
        try:
            while self._waiting:
                notice = self._waiting.popleft()
                with self._lock:
                    self._size -= notice.size
                await self._send_one(notice)
        finally:
            self._is_sending = False
        if self._dropped:
            _log.warning("a host reads too slowly: %d notices were dropped", self._dropped)
            self._dropped = 0

    async def _send_one(self, notice: Notice) -> None:
        try:
            await self._host.tell(notice)
        except Exception:  # noqa: BLE001  # boundary: nobody who told it waits for what becomes of it
            _log.debug("a notice could not be sent", exc_info=True)
