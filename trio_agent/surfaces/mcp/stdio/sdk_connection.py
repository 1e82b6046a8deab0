"""One connection of a hand-written server of the official SDK, in the same shell as all others.

    Source ─► Splitter ─► parse ─► SDK server ─► Outlet ─► Drain

The SDK's own transport hangs on Ctrl-C until a line comes in, drops frames it cannot parse, and
forgets running calls at the end of the input.  This one does for it what `connection` does for
ours: strict frames, answers to broken ones, a grace period at the end of the input, and an end by
`stop`.  What happens to a request is the SDK's affair.

This is the one module outside of testing that imports the SDK; `serving` imports it only for such
a server.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, Unpack, cast, final

import anyio
import trio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter

from actors import Reply, open_supervisor
from trio_agent.surfaces.mcp.rpc import INVALID_REQUEST, RpcError
from trio_agent.surfaces.mcp.stdio.lines import LineOptions, Lines, to_message
from trio_agent.surfaces.mcp.wire.encoding import encode_error
from trio_agent.surfaces.mcp.wire.jsonrpc import Refusal, Request

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from trio_agent.surfaces.mcp.rpc import RequestId
    from trio_agent.surfaces.mcp.stdio.descriptors import Drain, Source
    from trio_agent.surfaces.mcp.stdio.framing import Frame


class SdkServer(Protocol):
    """`mcp.server.lowlevel.Server`, as far as it is used."""

    def create_initialization_options(self) -> object:
        """What `run` wants."""
        ...

    async def run(self, read_stream: object, write_stream: object, options: object, /) -> None:
        """Serve until the read stream ends."""
        ...


@final
class SdkConnection:
    """Serves one client with a server of the SDK: an actor.

    Args:
        source: what the client writes.
        drain: what it reads.
        server: serves.
        **options: see `lines.LineOptions`.
    """

    def __init__(
        self, source: Source, drain: Drain, server: SdkServer, **options: Unpack[LineOptions]
    ) -> None:
        self._server: Final = server
        self._lines: Final = Lines(source, drain, options)
        self._open: Final[set[RequestId]] = set()
        self._idle: Reply[None] | None = None

    def stop(self) -> None:
        """Let it end now; never waits.  In the Trio thread only."""
        self._lines.stop()

    async def run(self) -> None:
        """Serve until the end."""
        await self._lines.run(self._serve)

    async def _serve(self) -> None:
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
        async with open_supervisor() as tasks:
            tasks.call(self._write, from_server)
            options = self._server.create_initialization_options()
            tasks.call(self._server.run, incoming, outgoing, options)
            with to_server, self._lines.serving:
                await self._lines.read(partial(self._take, to_server))
                with trio.move_on_after(self._lines.terms.grace_s):
                    await self._wait_idle()
            tasks.stop("the connection ends")

    async def _take(
        self,
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        frames: list[Frame],
    ) -> None:
        for frame in frames:
            message = to_message(frame)
            if isinstance(message, Refusal):
                self._refuse(message.id, RpcError(message.code, message.message))
                continue
            try:
                wire = jsonrpc_message_adapter.validate_json(cast("bytes", frame))
            except ValueError:
                # Such as half of a surrogate pair, which the SDK cannot carry.
                id_ = message.id if isinstance(message, Request) else None
                self._refuse(id_, RpcError(INVALID_REQUEST, "Invalid Request: no MCP message"))
                continue
            if isinstance(message, Request):
                self._open.add(message.id)
            await to_server.send(SessionMessage(wire))

    def _refuse(self, request_id: RequestId | None, error: RpcError) -> None:
        self._lines.outlet.post(encode_error(request_id, error))

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        with from_server:
            async for sent in from_server:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._lines.outlet.send(text.encode() + b"\n")
                if isinstance(sent.message, JSONRPCResponse | JSONRPCError):
                    self._close(sent.message.id)

    def _close(self, request_id: object) -> None:
        self._open.discard(cast("RequestId", request_id))
        if self._idle is not None and not self._open and not self._idle.is_given:
            self._idle.give(None)

    async def _wait_idle(self) -> None:
        if self._open:
            self._idle = Reply()
            await self._idle.take()
