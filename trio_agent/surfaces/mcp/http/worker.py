"""Connections for an ASGI app: hypercorn's HTTP/1.1 and HTTP/2 on Trio, accepted and ended by us.

hypercorn shields every write, so one client that stops reading would keep a server from ending;
and a connection that its client has closed stays until it has been idle for long enough.  So it
gets a stream whose writes have a patience and can be aborted, and which says when it has ended.

Not here: signals and addresses (`http_serving`), and what is answered (`http_app`).
"""

from __future__ import annotations

import errno
import logging
from typing import TYPE_CHECKING, Final, cast, final

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import TrioSingleTask, WorkerContext
from hypercorn.typing import ConnectionState

from actors import open_supervisor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from hypercorn.typing import ASGIFramework, TaskGroup

    from actors import Supervisor

PATIENCE_S: Final = 60.0
"""Seconds for a client to take one write; then its connection is dropped."""

KEEP_ALIVE_S: Final = 75.0
"""Seconds that an idle connection stays: longer than clients keep one, so that they close it."""

_OUT_OF = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})

_log: Final = logging.getLogger("trio_agent.mcp")


def _config() -> Config:
    config = Config()
    config.accesslog = None
    config.errorlog = _log
    config.keep_alive_timeout = KEEP_ALIVE_S
    config.include_server_header = False
    return config


@final
class HttpWorker:
    """Serves the connections of some listeners.

    Args:
        app: the ASGI app; its lifespan is nobody's business here.
    """

    def __init__(self, app: ASGIFramework) -> None:
        self._app: Final = ASGIWrapper(app)
        self._config: Final = _config()
        self._context: Final = WorkerContext(None)
        self._streams: Final[set[PatientStream]] = set()

    async def run(
        self,
        listeners: Sequence[trio.SocketListener],
        shutdown: Callable[[], Awaitable[object]],
        drained: Callable[[], Awaitable[object]],
    ) -> None:
        """Accept until *shutdown* returns, wait until *drained* does, and end what is left.

        The listeners are closed.  Leaving early, by cancellation, ends everything at once.
        """
        async with open_supervisor() as connections:
            try:
                async with open_supervisor() as acceptors:
                    for listener in listeners:
                        acceptors.call(self._accept, listener, connections)
                    await shutdown()
                    acceptors.stop()
                await self._context.terminated.set()
                await drained()
            finally:
                for stream in list(self._streams):
                    stream.abort()
            connections.stop()

    async def _accept(self, listener: trio.SocketListener, connections: Supervisor) -> None:
        async with listener:
            while True:
                try:
                    stream = await listener.accept()
                except OSError as error:
                    if error.errno not in _OUT_OF:
                        raise
                    _log.error("no more connections: %s", error)
                    await trio.sleep(0.1)
                else:
                    connections.call(self._serve, stream)

    async def _serve(self, socket_stream: trio.SocketStream) -> None:
        stream = PatientStream(socket_stream)
        self._streams.add(stream)
        try:
            server = TCPServer(
                self._app,
                self._config,
                self._context,
                ConnectionState({}),
                # It asks for a TLS stream and takes any; the handshake is what tells them apart.
                cast("trio.SSLStream[trio.SocketStream]", stream),
            )
            server.idle_task = timer = _IdleTimer()
            stream.on_end = timer.end
            await server.run()
        except Exception:  # noqa: BLE001  # boundary: a connection must not cost the others
            _log.exception("a connection failed")
        finally:
            self._streams.discard(stream)
            socket_stream.socket.close()


@final
class _IdleTimer(TrioSingleTask):
    """What closes an idle connection; once the client has ended it, nobody has to."""

    def __init__(self) -> None:
        super().__init__()
        self._is_over = False

    async def restart(self, task_group: TaskGroup, action: Callable[[], Awaitable[None]]) -> None:
        """Begin to wait anew."""
        if not self._is_over:
            await super().restart(task_group, action)  # pyright: ignore[reportUnknownMemberType]  # partly typed there

    async def end(self) -> None:
        """Wait no more, whatever is answered yet."""
        self._is_over = True
        await self.stop()


@final
class PatientStream:
    """A socket stream whose writes do not last forever: what hypercorn needs of a stream.

    Attributes:
        on_end: called when the client sends nothing any more.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream: Final = stream
        self.on_end: Callable[[], Awaitable[None]] | None = None
        self._writing: trio.CancelScope | None = None
        self._is_aborted = False
        self.socket: Final = stream.socket

    def abort(self) -> None:
        """End the write that is going on, and refuse those to come."""
        self._is_aborted = True
        if self._writing is not None:
            self._writing.cancel()

    async def send_all(self, data: bytes) -> None:
        """Write; a client that does not read is gone."""
        if self._is_aborted:
            raise trio.BrokenResourceError
        try:
            with trio.move_on_after(PATIENCE_S) as self._writing:
                await self._stream.send_all(data)
        except trio.BusyResourceError:
            # Writers take turns, so it is `send_eof`: the connection is being closed.
            raise trio.BrokenResourceError from None
        if self._writing.cancelled_caught:
            self.socket.close()
            raise trio.BrokenResourceError
        self._writing = None

    async def receive_some(self, most: int) -> bytes:
        """Read; nothing at the end, and when the connection breaks."""
        try:
            data = bytes(await self._stream.receive_some(most))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            data = b""
        if not data and self.on_end is not None:
            await self.on_end()
        return data

    async def send_eof(self) -> None:
        """Say that nothing more will be written."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """Close."""
        await self._stream.aclose()
