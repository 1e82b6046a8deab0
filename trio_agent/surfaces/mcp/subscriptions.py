"""Who wants to know what has changed: resources that were updated, lists that are not the same.

A change is a level, not an event: "fetch again if you care".  So what a listener has not taken
yet is kept once, however often it changed.

    handshake   `resources/subscribe` names URIs; list changes go to every connection
    modern      one `subscriptions/listen` request is one stream, with a filter of its own

Publishing is synchronous and never waits for a listener.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs
import trio

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.rpc import INVALID_PARAMS, SERVER_BUSY, JsonObject, RpcError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.surfaces.mcp.exchange import Audience, Exchange
    from trio_agent.surfaces.mcp.rpc import RequestId

MOST_STREAMS: Final = 1024
"""Open `subscriptions/listen` streams; mcp 2.3.0 has the same limit."""

SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"

_LISTS: Final = {
    "tools": "toolsListChanged",
    "prompts": "promptsListChanged",
    "resources": "resourcesListChanged",
}


@final
@attrs.frozen
class Change:
    """Something is not as it was.

    Attributes:
        subject: `tools`, `prompts` or `resources` for a list, otherwise the URI of a resource.
        is_list: which of the two.
    """

    subject: str
    is_list: bool

    __repr__ = shown

    @property
    def method(self) -> str:
        """Of the notification."""
        if self.is_list:
            return f"notifications/{self.subject}/list_changed"
        return "notifications/resources/updated"

    @property
    def params(self) -> JsonObject:
        """Of the notification."""
        return {} if self.is_list else {"uri": self.subject}


@final
class ChangeHub:
    """Carries changes from whoever makes them to whoever asked."""

    def __init__(self) -> None:
        self._streams: Final[set[_Stream]] = set()
        self._audiences: Final[dict[Audience, set[str]]] = {}

    def publish(self, change: Change) -> None:
        """Tell everybody who asked.  In the Trio thread only."""
        for stream in self._streams:
            stream.offer(change)
        for audience, uris in list(self._audiences.items()):
            if change.is_list or change.subject in uris:
                audience.tell(change.method, change.params)

    def join(self, audience: Audience) -> Callable[[], None]:
        """Let a connection hear of lists; call what is returned when it has ended."""
        self._audiences.setdefault(audience, set())
        return lambda: _forget(self._audiences, audience)

    def subscribe(self, uri: str, exchange: Exchange) -> None:
        """Let the connection of *exchange* hear of a resource."""
        audience = exchange.audience
        if audience is not None:
            self._audiences.setdefault(audience, set()).add(uri)

    def unsubscribe(self, uri: str, exchange: Exchange) -> None:
        """No longer; a URI that was never subscribed is fine."""
        audience = exchange.audience
        if audience is not None:
            self._audiences.get(audience, set()).discard(uri)

    async def listen(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        """Answer `subscriptions/listen`: acknowledge, then tell until the client leaves.

        Raises:
            RpcError: the filter is misshapen, or there are too many streams.
        """
        stream = _Stream(_honored(params))
        if len(self._streams) >= MOST_STREAMS:
            raise RpcError(SERVER_BUSY, f"at most {MOST_STREAMS} subscriptions are served at once")
        self._streams.add(stream)
        try:
            await stream.run(exchange)
        finally:
            self._streams.discard(stream)
        return {"_meta": {SUBSCRIPTION_KEY: exchange.id}}

    def close(self) -> None:
        """End every stream of `listen` with its result."""
        for stream in self._streams:
            stream.end()


@final
class _Stream:
    """One `subscriptions/listen` request."""

    def __init__(self, honored: JsonObject) -> None:
        self._honored: Final = honored
        self._uris: Final = frozenset(cast("list[str]", honored.get("resourceSubscriptions", [])))
        self._pending: Final[dict[Change, None]] = {}
        self._bell = trio.Event()
        self._ended = False

    def offer(self, change: Change) -> None:
        wanted = (
            _LISTS[change.subject] in self._honored
            if change.is_list
            else change.subject in self._uris
        )
        if wanted:
            self._pending[change] = None
            self._bell.set()

    def end(self) -> None:
        self._ended = True
        self._bell.set()

    async def run(self, exchange: Exchange) -> None:
        await exchange.notify(
            "notifications/subscriptions/acknowledged",
            {"notifications": self._honored, "_meta": _meta(exchange.id)},
        )
        while True:
            while self._pending:
                change = next(iter(self._pending))
                del self._pending[change]
                await exchange.notify(change.method, {**change.params, "_meta": _meta(exchange.id)})
            if self._ended:
                return
            self._bell = trio.Event()
            await self._bell.wait()


def _meta(request_id: RequestId) -> JsonObject:
    return {SUBSCRIPTION_KEY: request_id}


def _honored(params: JsonObject) -> JsonObject:
    """What of the filter is served: everything that is asked for and not empty."""
    wanted = params.get("notifications")
    if not isinstance(wanted, dict):
        raise RpcError(INVALID_PARAMS, "notifications is an object")
    members = cast("JsonObject", wanted)
    honored: JsonObject = {key: True for key in _LISTS.values() if members.get(key) is True}
    uris = members.get("resourceSubscriptions")
    if uris is None:
        return honored
    if not isinstance(uris, list) or not all(
        isinstance(uri, str) for uri in cast("list[object]", uris)
    ):
        raise RpcError(INVALID_PARAMS, "notifications.resourceSubscriptions is a list of URIs")
    if uris:
        honored["resourceSubscriptions"] = list(cast("list[str]", uris))
    return honored


def _forget(audiences: dict[Audience, set[str]], audience: Audience) -> None:
    audiences.pop(audience, None)
