"""The host behind one request: how a component asks it, and tells it things, over MCP.

    handshake   a question is a request to the client inside the live call
    modern      a question ends the call with `input_required`; the client calls again with the
                answers.  A call that goes on as a task waits for them, as in the handshake

What a client can be asked is what its capabilities say.  Log lines go out when they are severe
enough for this client; changes go through the `ChangeHub` to everybody who asked for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never, cast, final

from trio_agent.context.host import (
    ListChanged,
    LogNotice,
    ReplayChannel,
    ResourceUpdated,
    StreamEnd,
    unsupported,
)
from trio_agent.errors import RequestError
from trio_agent.surfaces.mcp.envelope import LOG_LEVELS
from trio_agent.surfaces.mcp.rpc import RpcError
from trio_agent.surfaces.mcp.subscriptions import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio_agent.context.host import Notice
    from trio_agent.context.question import Question, QuestionKind
    from trio_agent.surfaces.mcp.exchange import Client, Exchange
    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.surfaces.mcp.subscriptions import ChangeHub

CAPABILITIES: Final[dict[QuestionKind, str]] = {
    "elicit": "elicitation",
    "sample": "sampling",
    "roots": "roots",
}
"""What a client that can be asked has among its capabilities."""


def askable(client: Client) -> frozenset[QuestionKind]:
    """What a client says it can be asked."""
    return frozenset(kind for kind, name in CAPABILITIES.items() if name in client.capabilities)


def open_channel(
    exchange: Exchange,
    changes: ChangeHub,
    answers: Mapping[str, Mapping[str, object]],
    asks_live: Callable[[], bool] | None = None,
) -> McpChannel:
    """The channel for one invocation.

    Args:
        exchange: the request.
        changes: where news about lists and resources go.
        answers: of earlier rounds, by the keys of their questions; a modern client's only.
        asks_live: whether a question of a modern client's call may be put all the same, since the
            call goes on as a task; to be asked when there is one.
    """
    replayed = ReplayChannel(answers) if exchange.client.is_modern else None
    return McpChannel(exchange, changes, replayed, asks_live)


@final
class McpChannel:
    """A `HostChannel` for one request.

    Args:
        exchange: the request.
        changes: where news about lists and resources go.
        replayed: has the answers of earlier rounds; None asks while the call runs.
        asks_live: see `open_channel`.

    Attributes:
        refused: the capabilities that the client would have had to have.
    """

    def __init__(
        self,
        exchange: Exchange,
        changes: ChangeHub,
        replayed: ReplayChannel | None,
        asks_live: Callable[[], bool] | None = None,
    ) -> None:
        self._exchange: Final = exchange
        self._changes: Final = changes
        self._replayed: Final = replayed
        self._asks_live: Final = asks_live
        self._kinds: Final = askable(exchange.client)
        self.refused: Final[set[str]] = set()

    async def ask(self, key: str, question: Question) -> Mapping[str, object] | None:
        """See `HostChannel.ask`."""
        if question.kind not in self._kinds:
            self.refused.add(CAPABILITIES[question.kind])
            raise unsupported(question.kind)
        if self._replayed is not None:
            known = await self._replayed.ask(key, question)
            if known is not None or self._asks_live is None or not self._asks_live():
                return known
        wire = question.to_wire()
        method = str(wire["method"])
        try:
            return await self._exchange.request(method, cast("JsonObject", wire["params"]))
        except RpcError as error:
            raise RequestError(
                "host-refused", f"the host answered {method} with error {error.code}: {error}"
            ) from error

    async def tell(self, notice: Notice) -> None:
        """See `HostChannel.tell`."""
        match notice:
            case LogNotice():
                await self._log(notice)
            case ResourceUpdated():
                self._changes.publish(Change(notice.uri, is_list=False))
            case ListChanged():
                self._changes.publish(Change(notice.kind, is_list=True))
            case StreamEnd():
                await self._exchange.end_stream()
            case _:
                assert_never(notice)

    async def _log(self, notice: LogNotice) -> None:
        wanted = self._exchange.log_level
        if wanted is None or LOG_LEVELS.index(notice.level) < LOG_LEVELS.index(wanted):
            return
        params: JsonObject = {"level": notice.level, "data": notice.data.value}
        if notice.logger is not None:
            params["logger"] = notice.logger
        await self._exchange.notify("notifications/message", params)
