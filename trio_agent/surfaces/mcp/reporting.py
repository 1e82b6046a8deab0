"""Progress on its way to the client: an actor beside the invocation.

The sink of an invocation puts a report into a slot and goes on; this actor sends what is in the
slot, so a client that reads slowly slows down nothing but its own progress.  What comes while it
is busy replaces what waits.  What may be sent at all is decided by `progress.ProgressRule`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol, Self, final

import trio

from actors import Latest, Link, Mark
from trio_agent.surfaces.mcp.results.progress import INTERVAL_S, RESULT_GRACE_S

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.results.progress import ProgressReport
    from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId


class Notifying(Protocol):
    """The part of an exchange that progress needs."""

    async def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        ...


@final
class ProgressWriter:
    """Sends the reports of one request.  Used as `with writer:` around its life.

    Args:
        exchange: the way to the client.
        token: the client's.
    """

    def __init__(self, exchange: Notifying, token: RequestId) -> None:
        self._exchange: Final = exchange
        self._token: Final = token
        self._slot: Final[Latest[ProgressReport]] = Latest()
        self._link: Final[Link[None]] = Link()
        self._written_at = -math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._link.outbox.close()

    @property
    def result_not_before(self) -> float:
        """A time of Trio's clock."""
        return self._written_at + RESULT_GRACE_S

    async def offer(self, report: ProgressReport) -> None:
        """Take a report; never waits."""
        self._slot.put(report)

    async def end(self) -> None:
        """Drop what waits; return when nothing is being sent any more."""
        if self._slot.is_full:
            self._slot.take()
        await self._link.outbox.finish()

    async def run(self) -> None:
        """Send, until `end`."""
        with self._link.inbox as inbox:
            while True:
                due = self._written_at + INTERVAL_S
                if await inbox.receive_or(self._slot, not_before=due) is not Mark.WOKEN:
                    return
                await self._exchange.notify(
                    "notifications/progress",
                    self._slot.take().to_wire(self._token),
                )
                self._written_at = trio.current_time()
