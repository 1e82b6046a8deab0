"""The exchange of a call that has been answered and goes on: who asked, without the way back.

What the task says goes to the client's connection, where there is one; what it asks goes to whoever
comes to ask about the task.  Everything else is as it was in the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.surfaces.mcp.tasks.wire import related

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from actors import Actor
    from trio_agent.surfaces.mcp.exchange import Audience, Client, Exchange, Transport
    from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId


@final
class DetachedExchange:
    """An `exchange.Exchange` that outlives its request.

    Args:
        exchange: the request that asked for the task.
        task_id: of the task.
        ask: puts a question to whoever asks about the task.
    """

    __slots__ = ("_ask", "_exchange", "_task_id", "actor_id", "client", "id", "meta", "session_id")

    def __init__(
        self,
        exchange: Exchange,
        task_id: str,
        ask: Callable[[str, JsonObject], Awaitable[JsonObject]],
    ) -> None:
        self._exchange: Final = exchange
        self._task_id: Final = task_id
        self._ask: Final = ask
        self.id: RequestId = exchange.id
        self.client: Client = exchange.client
        self.session_id: str | None = exchange.session_id
        self.actor_id: str | None = exchange.actor_id
        self.meta: Mapping[str, object] = exchange.meta

    @property
    def transport(self) -> Transport:
        """See `Exchange.transport`."""
        return self._exchange.transport

    @property
    def log_level(self) -> str | None:
        """See `Exchange.log_level`."""
        return self._exchange.log_level

    def set_log_level(self, level: str) -> None:
        """See `Exchange.set_log_level`."""
        self._exchange.set_log_level(level)

    @property
    def audience(self) -> Audience | None:
        """See `Exchange.audience`; the modern era has none."""
        return None if self.client.is_modern else self._exchange.audience

    async def notify(self, method: str, params: JsonObject) -> None:
        """Tell the connection, if there is one; see `Call.notify`."""
        if self.audience is not None:
            self.audience.tell(method, related(params, self._task_id))
        await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        """Ask whoever asks about the task; see `Call.request`."""
        return await self._ask(method, params)

    def start(self, actor: Actor) -> None:
        """See `Call.start`."""
        self._exchange.start(actor)

    async def end_stream(self) -> None:
        """Do nothing: the stream of the request has had its answer."""
        await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
