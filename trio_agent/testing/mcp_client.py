"""The SDK's client, with one end of a connection in its hands and the other in ours.

    MemoryEnds ─► streams of the SDK ─► mcp.Client ─► the test
                  └ every notification is kept, in the order in which it came

This module is imported when a server is opened and not before: importing the SDK takes over a
second.  Below: `memory`.  Above: `mcp`.
"""

from __future__ import annotations

import inspect
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, cast, final

import anyio
import mcp_types
from mcp import Client
from mcp.shared.message import SessionMessage

from actors import EndClosedError, LinkTruncatedError, Mark, PeerGoneError
from trio_agent.surfaces.mcp.stdio.framing import Splitter
from trio_agent.testing.mcp_log import ServerNotification
from trio_agent.testing.mcp_options import CLIENT_NAME, DEFAULT_VERSION
from trio_agent.testing.memory import open_memory_connection
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from types import TracebackType

    from mcp.client import ClientRequestContext
    from pydantic import BaseModel

    from actors import Inbox, Outbox
    from trio_agent.surfaces.mcp.wire.dispatcher import MakeConversation
    from trio_agent.testing.mcp_options import AnswerQuestion, McpOptions


@asynccontextmanager
async def open_client(
    make_conversation: MakeConversation, options: McpOptions, log: list[ServerNotification]
) -> AsyncGenerator[Client, None]:
    """A client that has shaken hands.

    Args:
        make_conversation: the server's end.
        options: see there.
        log: every notification is added to it as it comes.

    Raises:
        MCPError: the server refused the client.
        BaseExceptionGroup: of what the block raised.
    """
    version = options.get("version", DEFAULT_VERSION)
    elicit, sample, roots = options.get("elicit"), options.get("sample"), options.get("roots")
    level = options.get("log_level")
    client = Client(
        _connect(make_conversation, log),
        # With a revision's own name the client would not ask what the server can do.
        mode="auto" if version == "2026-07-28" else "legacy",
        client_info=mcp_types.Implementation(
            name=options.get("client_name", CLIENT_NAME), version=__version__
        ),
        elicitation_callback=None if elicit is None else _Elicitation(elicit),
        sampling_callback=None if sample is None else _Sampling(sample),
        list_roots_callback=None if roots is None else _Roots(roots),
        log_level=level,
    )
    async with client:
        if client.protocol_version != version:
            raise RuntimeError(f"{version} was asked for, and {client.protocol_version} is spoken")
        if level is not None and client.protocol_version != "2026-07-28":
            request = mcp_types.SetLevelRequest(params=mcp_types.SetLevelRequestParams(level=level))
            await client.session.send_request(request, mcp_types.EmptyResult)
        yield client


@asynccontextmanager
async def _connect(
    make_conversation: MakeConversation, log: list[ServerNotification]
) -> AsyncGenerator[tuple[_Answers, _Requests], None]:
    async with open_memory_connection(make_conversation) as ends:
        yield _Answers(ends.answers, log), _Requests(ends.requests)


class _Stream:
    """What the two streams of a client share: they are closed when a block is left."""

    def __init__(self, end: Inbox[bytes] | Outbox[bytes]) -> None:
        self._closing: Final = end

    async def aclose(self) -> None:
        """Close this end."""
        self._closing.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


@final
class _Requests(_Stream):
    """The SDK's stream of what the client sends."""

    def __init__(self, lines: Outbox[bytes]) -> None:
        super().__init__(lines)
        self._lines: Final = lines

    async def send(self, item: SessionMessage, /) -> None:
        """Send one message."""
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._lines.send(text.encode() + b"\n")
        except PeerGoneError:
            raise anyio.BrokenResourceError from None
        except EndClosedError:
            raise anyio.ClosedResourceError from None


@final
class _Answers(_Stream):
    """The SDK's stream of what comes from the server."""

    def __init__(self, lines: Inbox[bytes], log: list[ServerNotification]) -> None:
        super().__init__(lines)
        self._lines: Final = lines
        self._log: Final = log
        self._splitter: Final = Splitter()
        self._ready: Final[list[SessionMessage]] = []

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage | Exception:
        """The next message.

        Raises:
            anyio.EndOfStream: there will be none.
        """
        while not self._ready:
            try:
                data = await self._lines.receive()
            except LinkTruncatedError:
                data = Mark.FINISHED
            if data is Mark.FINISHED:
                raise anyio.EndOfStream
            self._ready.extend(map(self._read, self._splitter.feed(data)))
        return self._ready.pop(0)

    def _read(self, line: object) -> SessionMessage:
        # Ours are never oversized, and not being one is for the test to see.
        message = mcp_types.jsonrpc_message_adapter.validate_json(cast("bytes", line))
        if isinstance(message, mcp_types.JSONRPCNotification):
            self._log.append(ServerNotification(message.method, message.params or {}))
        return SessionMessage(message)


async def _ask(answer: AnswerQuestion, params: BaseModel) -> object:
    """What the test answers to one question."""
    given = answer(params.model_dump(mode="json", by_alias=True, exclude_none=True))
    return await given if inspect.isawaitable(given) else given


@final
class _Elicitation:
    """Answers `elicitation/create`."""

    def __init__(self, answer: AnswerQuestion) -> None:
        self._answer: Final = answer

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  # by the SDK's protocol
        params: mcp_types.ElicitRequestParams,
    ) -> mcp_types.ElicitResult:
        return mcp_types.ElicitResult.model_validate(await _ask(self._answer, params))


@final
class _Sampling:
    """Answers `sampling/createMessage`."""

    def __init__(self, answer: AnswerQuestion) -> None:
        self._answer: Final = answer

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  # by the SDK's protocol
        params: mcp_types.CreateMessageRequestParams,
    ) -> mcp_types.CreateMessageResult:
        return mcp_types.CreateMessageResult.model_validate(await _ask(self._answer, params))


@final
class _Roots:
    """Answers `roots/list`."""

    def __init__(self, roots: Sequence[str | Path]) -> None:
        uris = [str(one) if "://" in str(one) else Path(one).absolute().as_uri() for one in roots]
        self._result: Final = mcp_types.ListRootsResult.model_validate(
            {"roots": [{"uri": uri} for uri in uris]}
        )

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  # by the SDK's protocol
    ) -> mcp_types.ListRootsResult:
        return self._result
