"""Where the calls of an app run: a supervisor that ends before the app does.

Calls outlive the connections that they came by, so they do not run under those; and when a server
ends, calls are cancelled while there still are connections on which to say so.
"""

from __future__ import annotations

from typing import Final, final

from actors import Reply, Supervisor, open_supervisor


@final
class CallRoom:
    """Holds a supervisor open: an actor.

    Attributes:
        supervisor: given as soon as calls may be started under it.
    """

    def __init__(self) -> None:
        self.supervisor: Final = Reply[Supervisor]()
        self._closing: Final = Reply[None]()

    def close(self) -> None:
        """Cancel every call; never waits.  None may be started afterwards."""
        if not self._closing.is_given:
            self._closing.give(None)

    async def run(self) -> None:
        """Hold the supervisor open until `close`."""
        async with open_supervisor() as calls:
            self.supervisor.give(calls)
            await self._closing.take()
            calls.stop("the server has ended")
