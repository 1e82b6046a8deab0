"""What is remembered of one handshake session over HTTP, for as long as the SDK keeps it.

    conversation    who the client is and what was agreed
    gate            how much of it runs at once
    audience        the session's own stream, on which changes are told

Not here: ids, idle time, how many there may be; the SDK's session manager decides those.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.rpc import SERVER_BUSY, JsonObject, RpcError
from trio_agent.surfaces.mcp.subscriptions import ChangeHub

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from actors import Supervisor
    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.exchange import Call, Exchange
    from trio_agent.surfaces.mcp.http_wire import Channel

MOST_RUNNING: Final = 64
"""Requests that one session may have at work; the same on stdio."""

MOST_WAITING: Final = 256
"""Requests that wait for one of those to end; the next is refused."""

MOST_UNTOLD: Final = 1024
"""Changes that are kept for a session whose stream is blocked; later ones replace none."""

_log: Final = logging.getLogger(__name__)


@final
class Gate:
    """Lets so many through at once, lets so many wait, and refuses the rest."""

    def __init__(self, *, running: int = MOST_RUNNING, waiting: int = MOST_WAITING) -> None:
        self._limiter: Final = trio.CapacityLimiter(running)
        self._waiting: Final = waiting

    @asynccontextmanager
    async def passed(self) -> AsyncGenerator[None, None]:
        """Wait for a place and hold it for the block.

        Raises:
            RpcError: too many wait already (`SERVER_BUSY`).
        """
        line = self._limiter.statistics().tasks_waiting
        if line >= self._waiting:
            running = int(self._limiter.total_tokens)
            raise RpcError(SERVER_BUSY, f"server-busy: {running} requests run and {line} wait")
        async with self._limiter:
            yield


@final
class SessionAudience:
    """Tells a session of changes on its own stream: an `exchange.Audience`.

    A task lives only while something is untold.
    """

    def __init__(self, channel: Channel, supervisor: Supervisor) -> None:
        self._channel: Final = channel
        self._supervisor: Final = supervisor
        self._untold: Final[dict[tuple[str, object], JsonObject]] = {}
        self._is_telling = False

    def tell(self, method: str, params: JsonObject) -> None:
        """Send a notification as soon as possible: see `exchange.Audience`."""
        if len(self._untold) < MOST_UNTOLD:
            self._untold[method, params.get("uri")] = params
        if not self._is_telling:
            self._is_telling = True
            self._supervisor.call(self._tell_all, name="SessionAudience")

    async def _tell_all(self) -> None:
        try:
            while self._untold:
                (method, subject), params = next(iter(self._untold.items()))
                del self._untold[method, subject]
                await self._channel.notify(method, params)
        except Exception:  # noqa: BLE001  # boundary: the supervisor is everybody's
            _log.exception("a change could not be told to a session")
        finally:
            self._is_telling = False


@final
class HttpSession:
    """One handshake session.

    Args:
        service: answers its requests.
        channel: the session's own stream.
        supervisor: of the whole app.
        place: see `McpConversation`.
    """

    def __init__(
        self,
        service: Answering,
        *,
        channel: Channel,
        supervisor: Supervisor,
        place: Callable[[Exchange, Call], Exchange],
    ) -> None:
        audience = SessionAudience(channel, supervisor)
        self.conversation: Final = McpConversation(
            service, transport="http", audience=audience, place=place
        )
        self.gate: Final = Gate()
        changes = getattr(service, "changes", None)
        self._leave = changes.join(audience) if isinstance(changes, ChangeHub) else _do_nothing

    def end(self) -> None:
        """The session is gone: nobody is told of changes any more."""
        self._leave()


def _do_nothing() -> None:
    pass
