"""One HTTP request and its answer, over ASGI: what every part of the HTTP side reads and writes.

Nothing here knows MCP, a JSON-RPC error without an id excepted.  Header names are lower case, as
ASGI wants them; values are Latin-1, as HTTP does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, cast, final

import trio

from trio_agent.surfaces.mcp.rpc import INVALID_REQUEST, RequestId, RpcError
from trio_agent.surfaces.mcp.wire.encoding import encode_error

AsgiMessage: TypeAlias = Mapping[str, object]
Receive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
Send: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]
Fields: TypeAlias = Sequence[tuple[str, str]]
"""Headers to send."""

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"

BODY_S: Final = 60.0
"""Seconds for a client to send the body of a request."""


@final
class HttpError(Exception):
    """The request is answered with this status, by a JSON-RPC error.

    Attributes:
        status: of HTTP.
        error: the body.
        id: of the request, if it is known.
        fields: headers besides.
    """

    def __init__(
        self,
        status: int,
        error: RpcError | str,
        *,
        id_: RequestId | None = None,
        fields: Fields = (),
    ) -> None:
        super().__init__(status, error)
        self.status: Final = status
        self.error: Final = RpcError(INVALID_REQUEST, error) if isinstance(error, str) else error
        self.id: Final = id_
        self.fields: Final = fields


@final
class ClientGoneError(Exception):
    """The client left before its request was read; nobody waits for an answer."""


@final
class Headers:
    """The header lines of a request, in their order."""

    __slots__ = ("lines",)

    def __init__(self, lines: Iterable[tuple[bytes, bytes]]) -> None:
        self.lines: Final = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in lines
        )

    def get(self, name: str) -> str | None:
        """The first value; None when there is none."""
        return next((value for key, value in self.lines if key == name), None)

    def all(self, name: str) -> list[str]:
        """Every value."""
        return [value for key, value in self.lines if key == name]

    def accepts(self, media_type: str) -> bool:
        """Whether `Accept` names the type, its family or everything."""
        family = media_type.partition("/")[0]
        wanted = {
            part.partition(";")[0].strip().lower()
            for value in self.all("accept")
            for part in value.split(",")
        }
        return not wanted.isdisjoint({media_type, f"{family}/*", "*/*"})


@final
class HttpRequest:
    """One request, and its answer.

    Args:
        scope: of ASGI, of type `http`.
        receive: of ASGI.
        send: of ASGI.

    Attributes:
        method: in capitals.
        path: decoded, without the query.
        headers: as sent.
        fields: headers of the answer, whatever it will be.
        has_begun: whether the answer has.
    """

    __slots__ = ("_receive", "_send", "fields", "has_begun", "headers", "method", "path")

    def __init__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        self.method: Final = str(scope["method"]).upper()
        self.path: Final = str(scope["path"])
        self.headers: Final = Headers(cast("Iterable[tuple[bytes, bytes]]", scope["headers"]))
        self.fields: Fields = ()
        self.has_begun: bool = False
        self._receive: Final = receive
        self._send: Final = send

    async def read_body(self, most: int) -> bytes:
        """The whole body.

        Raises:
            HttpError: it has more than *most* bytes, or takes too long.
            ClientGoneError: it never came to its end.
        """
        length = self.headers.get("content-length")
        if length is not None and length.isdecimal() and int(length[:20]) > most:
            raise _too_large(most)
        with trio.move_on_after(BODY_S):
            return await self._collect(most)
        raise HttpError(408, f"the body did not arrive within {BODY_S:g} seconds", fields=_CLOSE)

    async def _collect(self, most: int) -> bytes:
        body = bytearray()
        while True:
            message = await self._receive()
            if message["type"] != "http.request":
                raise ClientGoneError
            body += cast("bytes", message.get("body", b""))
            if len(body) > most:
                raise _too_large(most)
            if not message.get("more_body", False):
                return bytes(body)

    async def wait_gone(self) -> None:
        """Wait until the client has left.  After the body only."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def begin(self, status: int, fields: Fields) -> None:
        """Send the status and the headers."""
        lines = (*fields, *self.fields)
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in lines]
        self.has_begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def write(self, data: bytes, *, is_last: bool = False) -> None:
        """Send a part of the body; returns when the connection has taken it."""
        await self._send({"type": "http.response.body", "body": data, "more_body": not is_last})

    async def answer(
        self, status: int, body: bytes = b"", *, media_type: str = JSON, fields: Fields = ()
    ) -> None:
        """Send a whole answer."""
        typed = [("content-type", media_type)] if body else []
        await self.begin(status, [*typed, ("content-length", str(len(body))), *fields])
        await self.write(body, is_last=True)

    async def refuse(self, error: HttpError) -> None:
        """Answer with an error; an answer that has begun just stops."""
        if self.has_begun:
            return
        await self.answer(error.status, encode_error(error.id, error.error), fields=error.fields)


_CLOSE: Final = (("connection", "close"),)
"""What is left of the body must not be taken for the next request."""


def _too_large(most: int) -> HttpError:
    return HttpError(413, f"a request has at most {most} bytes", fields=_CLOSE)
