"""What joins a transport and the service: one request as its handler sees it.

    stdio ─► dispatcher ─┐
                         ├─► conversation ─► service
    HTTP  ─► session ────┘
                 `Call`           `Exchange`

A transport knows frames and tasks and nothing of tools; a conversation knows eras and who the
client is; the service knows tools and nothing of frames.  These are the protocols between them.

Guarantees that every implementation keeps: a cancelled request is cancelled as a Trio scope and
sends nothing afterwards; what a handler sends goes out in order and before its answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from actors import Actor
    from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId

Transport: TypeAlias = Literal["stdio", "http", "memory"]

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`; mcp 2.3.0 speaks the same."""

MODERN_VERSIONS: Final = ("2026-07-28",)
"""Revisions whose requests carry an envelope in `_meta` instead."""


@final
@attrs.frozen(kw_only=True)
class Client:
    """What the other end says of itself; nothing of it is proven.

    Attributes:
        version_spoken: the protocol revision, one of the constants of this module.
        name: `clientInfo.name`; None when it did not say.
        version: `clientInfo.version`.
        capabilities: as sent.
    """

    version_spoken: str
    name: str | None = None
    version: str | None = None
    capabilities: Mapping[str, object] = attrs.field(factory=dict[str, object])

    __repr__ = shown

    @property
    def is_modern(self) -> bool:
        """Whether each request stands for itself, with an envelope."""
        return self.version_spoken in MODERN_VERSIONS


class Call(Protocol):
    """The way back to the client while one request is answered; made by a transport."""

    @property
    def id(self) -> RequestId:
        """Of the request, exactly as it was sent."""
        ...

    async def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification that belongs to this request; returns when it is written.

        A client that has left is no error here: nobody is waiting for the answer either.
        """
        ...

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        """Ask the client something (`elicitation/create`, `sampling/createMessage`, ...).

        Cancelling it sends `notifications/cancelled` for it.

        Raises:
            RpcError: the client answered with an error, or is gone (`CONNECTION_CLOSED`).
        """
        ...

    def start(self, actor: Actor) -> None:
        """Let *actor* live beside this request and after it, under the server's supervisor.

        It is cancelled when the server ends.  A crash of it would end every call of the server.
        """
        ...


class Exchange(Call, Protocol):
    """One request with everything that the service asks about it."""

    @property
    def client(self) -> Client:
        """Who asks."""
        ...

    @property
    def transport(self) -> Transport:
        """How the request came."""
        ...

    @property
    def session_id(self) -> str | None:
        """The transport's session, where it has sessions."""
        ...

    @property
    def actor_id(self) -> str | None:
        """The authenticated client id; None where nobody is authenticated."""
        ...

    @property
    def meta(self) -> Mapping[str, object]:
        """The request's `_meta`."""
        ...

    @property
    def log_level(self) -> str | None:
        """The least severe log message that the client wants; None for none at all."""
        ...

    def set_log_level(self, level: str) -> None:
        """Remember the level for this connection (`logging/setLevel`)."""
        ...

    @property
    def audience(self) -> Audience | None:
        """The connection, to be told of changes; None where each request stands for itself."""
        ...

    async def end_stream(self) -> None:
        """Close the stream that carries this answer, so that the client polls; a no-op elsewhere."""
        ...


class Audience(Protocol):
    """A connection that can be told something outside of any request.  Compared by identity."""

    def tell(self, method: str, params: JsonObject) -> None:
        """Send a notification as soon as possible; never waits, never raises.

        It may be dropped when the client does not read: what it tells is a level, not an event.
        """
        ...


class Conversation(Protocol):
    """One connection, as a transport that has frames drives it.  One for each connection."""

    def admit(self, method: str, params: JsonObject) -> JsonObject | None:
        """Look at a request in the order of arrival, before anything after it is looked at.

        Returns:
            The result, when it needs no task (`initialize`, `ping`, `server/discover`); None
            when `answer` has to be awaited in a task of its own.

        Raises:
            RpcError: it is refused.
        """
        ...

    async def answer(self, method: str, params: JsonObject, call: Call) -> JsonObject:
        """Answer a request that `admit` let through; the result.

        Raises:
            RpcError: it is answered with an error.
        """
        ...

    def receive(self, method: str, params: JsonObject) -> None:
        """Take a notification, `notifications/cancelled` excepted; never raises, never waits."""
        ...
