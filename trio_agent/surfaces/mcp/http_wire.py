"""What the SDK hands to a handler, in our own terms.

The SDK gives a handler typed helpers; the channel below them, which takes plain dicts, and the
connection, which outlives the request, are private in mcp 2.3.0.  They are taken here and nowhere
else, the version is pinned (`mcp~=2.3.0`), and a test says so if they move.

Below: the SDK's Streamable HTTP server.  Above: `http_exchange`, `http_server`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, cast, final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.shared.exceptions import MCPError

from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId, RpcError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AsyncExitStack

    from mcp.server.context import ServerRequestContext
    from starlette.requests import Request


class Channel(Protocol):
    """Where plain messages go: to the stream of one request, or to the connection's own."""

    async def notify(self, method: str, params: Mapping[str, object] | None) -> None:
        """Send a notification; one that cannot be delivered is dropped."""
        ...

    async def send_raw_request(
        self, method: str, params: Mapping[str, object] | None
    ) -> dict[str, object]:
        """Send a request and wait for the result."""
        ...


class Connection(Protocol):
    """One handshake session, or one request of the modern era."""

    @property
    def outbound(self) -> Channel:
        """The connection's own stream."""
        ...

    @property
    def protocol_version(self) -> str:
        """What is spoken; before the handshake, the newest one of it."""
        ...

    @property
    def session_id(self) -> str | None:
        """None in the modern era."""
        ...

    @property
    def state(self) -> dict[str, object]:
        """Whatever is remembered for as long as the connection lives."""
        ...

    @property
    def exit_stack(self) -> AsyncExitStack:
        """Unwound when the connection has ended."""
        ...


@final
class HttpCall:
    """One request over HTTP: an `exchange.Call`, and what the transport knows besides."""

    __slots__ = ("_channel", "_end_stream", "connection", "id", "method", "params", "user")

    def __init__(self, context: ServerRequestContext[None, Request]) -> None:
        session = context.session
        # The public way to either of them goes through a model of every message.
        self._channel = cast("Channel", session._request_outbound)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
        self.connection: Final = cast("Connection", session._connection)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
        self._end_stream = context.close_sse_stream
        self.method: Final = context.method
        self.params: Final[JsonObject] = dict(context.params or {})
        self.id: Final[RequestId] = 0 if context.request_id is None else context.request_id
        self.user: Final = _user_of(context.request)

    async def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification on the stream of this request: see `exchange.Call`."""
        await self._channel.notify(method, params)

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        """Ask the client on the stream of this request: see `exchange.Call`."""
        try:
            return await self._channel.send_raw_request(method, params)
        except MCPError as error:
            raise RpcError(error.code, error.message, cast("JsonObject", error.data)) from None

    async def end_stream(self) -> None:
        """Close the stream of this request; the client may come back for the rest."""
        if self._end_stream is not None:
            await self._end_stream()


def _user_of(request: Request | None) -> str | None:
    """The client id that a token was verified for."""
    user = None if request is None else request.scope.get("user")
    return user.access_token.client_id if isinstance(user, AuthenticatedUser) else None
