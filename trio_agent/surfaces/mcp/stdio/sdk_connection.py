"""One connection of a hand-written server of the official SDK, in the same shell as all others.

    Source ─► Splitter ─► parse ─► SDK server ─► Outlet ─► Drain

The SDK's own transport hangs on Ctrl-C until a line comes in, drops frames it cannot parse, and
forgets running calls at the end of the input.  This one does for it what `connection` does for
ours: strict frames, answers to broken ones, a grace period at the end of the input, and an end by
`stop`.  What happens to a request is the SDK's affair.

This is the one module outside of HTTP and testing that imports the SDK; `stdio` imports it only
for such a server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, cast, final

import anyio
import trio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter

from actors import Reply, open_supervisor
from trio_agent.surfaces.mcp.rpc import INVALID_REQUEST, RpcError
from trio_agent.surfaces.mcp.stdio.connection import Terms, to_message
from trio_agent.surfaces.mcp.stdio.framing import Splitter
from trio_agent.surfaces.mcp.stdio.outlet import Outlet
from trio_agent.surfaces.mcp.wire.encoding import encode_error
from trio_agent.surfaces.mcp.wire.jsonrpc import Refusal, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from trio_agent.surfaces.mcp.process.heartbeat import Heartbeat
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
        terms: see there.
        heartbeat: told when something is read, and run; None for silence.
        on_ending: called once, as soon as the end begins.
    """

    def __init__(
        self,
        source: Source,
        drain: Drain,
        server: SdkServer,
        *,
        terms: Terms | None = None,
        heartbeat: Heartbeat | None = None,
        on_ending: Callable[[], object] = lambda: None,
    ) -> None:
        self._source: Final = source
        self._server: Final = server
        self._terms: Final = Terms() if terms is None else terms
        self._heartbeat: Final = heartbeat
        self._on_ending: Final = on_ending
        self._serving: Final = trio.CancelScope()
        self._outlet: Final = Outlet(drain, self._serving.cancel)
        self._splitter: Final = Splitter(self._terms.max_frame_bytes)
        self._open: Final[set[RequestId]] = set()
        self._idle: Reply[None] | None = None

    def stop(self) -> None:
        """Let it end now; never waits.  In the Trio thread only."""
        self._serving.cancel("the server was told to end")

    async def run(self) -> None:
        """Serve until the end."""
        async with open_supervisor() as supervisor:
            supervisor.start(self._outlet)
            supervisor.call(self._outlet.watch)
            if self._heartbeat is not None:
                supervisor.start(self._heartbeat)
            await self._serve()
            with trio.move_on_after(self._terms.flush_s):
                await self._outlet.flush()
            supervisor.stop("the connection has ended")

    async def _serve(self) -> None:
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
        async with open_supervisor() as tasks:
            tasks.call(self._write, from_server)
            options = self._server.create_initialization_options()
            tasks.call(self._server.run, incoming, outgoing, options)
            with to_server, self._serving:
                try:
                    await self._read(to_server)
                finally:
                    self._on_ending()
                with trio.move_on_after(self._terms.grace_s):
                    await self._wait_idle()
            tasks.stop("the connection ends")

    async def _read(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        while data := await self._source.receive():
            if self._heartbeat is not None:
                self._heartbeat.note_activity(trio.current_time())
            await self._take(self._splitter.feed(data), to_server)
        await self._take(self._splitter.finish(), to_server)

    async def _take(
        self,
        frames: list[Frame],
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
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
        self._outlet.post(encode_error(request_id, error))

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        with from_server:
            async for sent in from_server:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._outlet.send(text.encode() + b"\n")
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
