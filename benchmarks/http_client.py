"""The least of an HTTP client for MCP: one connection, one request at a time, on Trio.

Above: `http_sessions`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Self, final

import attrs
import h11
import trio

from benchmarks.harness import MeasurementError
from benchmarks.mcp_process import INITIALIZE, INITIALIZED

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHUNK: Final = 65_536


@final
@attrs.frozen
class Reply:
    """A response: its status, its fields by lower-case name, and its body."""

    status: int
    fields: Mapping[bytes, bytes]
    body: bytes = b""

    def answer(self) -> Mapping[str, object]:
        """The message in it, plain or as the last event of a stream.

        Raises:
            MeasurementError: there is none.
        """
        lines = [line.removeprefix(b"data:") for line in self.body.splitlines()]
        for line in reversed(lines):
            if line.strip().startswith(b"{"):
                message: dict[str, object] = json.loads(line)
                return message
        raise MeasurementError(f"{self.status} with {self.body!r:.200}, and no message")


@final
class HttpConnection:
    """One connection to a server.  Used as `async with await HttpConnection.open(port) as it:`."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream: Final = stream
        self._state: Final = h11.Connection(h11.CLIENT)
        self.session: str | None = None

    @classmethod
    async def open(cls, port: int) -> HttpConnection:
        """Connect to this machine."""
        return cls(await trio.open_tcp_stream("127.0.0.1", port))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        with trio.CancelScope(shield=True):
            await self._stream.aclose()

    async def begin_session(self) -> None:
        """Shake hands."""
        reply = await self.post(INITIALIZE)
        if b"mcp-session-id" not in reply.fields:
            raise MeasurementError(f"initialize was answered {reply.status} {reply.body!r:.200}")
        self.session = reply.fields[b"mcp-session-id"].decode()
        await self.post(INITIALIZED)

    async def listen(self, session: str) -> None:
        """Open the stream of a session, and leave it open."""
        self.session = session
        await self._ask("GET", b"")
        reply = await self._take_head()
        if reply.status != 200:
            raise MeasurementError(f"GET was answered {reply.status}")

    async def end_session(self) -> None:
        """Delete it."""
        reply = await self._request("DELETE", b"")
        if not 200 <= reply.status < 300:
            raise MeasurementError(f"DELETE was answered {reply.status} {reply.body!r:.200}")

    async def post(self, message: Mapping[str, object]) -> Reply:
        """Send a message."""
        return await self._request("POST", json.dumps(message).encode())

    async def _request(self, method: str, body: bytes) -> Reply:
        await self._ask(method, body)
        head = await self._take_head()
        parts: list[bytes] = []
        while True:
            event = await self._next()
            if isinstance(event, h11.Data):
                parts.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                break
        self._state.start_next_cycle()
        return attrs.evolve(head, body=b"".join(parts))

    async def _ask(self, method: str, body: bytes) -> None:
        fields = {
            "host": "127.0.0.1",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "content-length": str(len(body)),
        }
        if self.session is not None:
            fields |= {"mcp-session-id": self.session, "mcp-protocol-version": "2025-11-25"}
        request = h11.Request(method=method, target="/mcp", headers=list(fields.items()))
        events = (request, h11.Data(data=body), h11.EndOfMessage())
        await self._stream.send_all(b"".join(self._state.send(event) or b"" for event in events))

    async def _take_head(self) -> Reply:
        while True:
            event = await self._next()
            if isinstance(event, h11.Response):
                return Reply(event.status_code, dict(event.headers))

    async def _next(self) -> object:
        while True:
            event = self._state.next_event()
            if event is not h11.NEED_DATA:
                break
            self._state.receive_data(await self._stream.receive_some(_CHUNK))
        if isinstance(event, h11.ConnectionClosed):
            raise MeasurementError("the server closed the connection")
        return event
