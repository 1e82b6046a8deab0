"""The ASGI app: one path for each server, and what is true for all of them.

    /mcp              the only server
    /mcp/<server>     each of several; then /mcp names them

It answers what is no business of any server (paths, hosts, bodies) and hands the rest to the SDK's
session managers.  Below: `http_server`.  Above: `http_serving`, or a program of the author's.
"""

from __future__ import annotations

import json
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final, cast, final

import attrs
import trio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from actors import open_supervisor
from trio_agent.surfaces.mcp.http_server import build_server
from trio_agent.surfaces.mcp.rpc import INVALID_REQUEST, JsonObject

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from starlette.types import Receive, Scope, Send

    from trio_agent.surfaces.mcp.conversation import Answering

MOST_BODY_BYTES: Final = 16 * 1024 * 1024
"""Of one request: an argument of the size of the largest frame, with room around it."""

IDLE_S: Final = 1800.0
MOST_SESSIONS: Final = 10_000


@final
@attrs.frozen(kw_only=True)
class HttpSettings:
    """How servers are offered.

    Attributes:
        allowed_hosts: values of `Host`; `name:*` is any port.
        allowed_origins: values of `Origin`.
        most_body_bytes: of one request.
        idle_s: seconds after which a session that nobody uses ends.
        most_sessions: of one server, at a time.
    """

    allowed_hosts: Sequence[str] = ("127.0.0.1:*", "localhost:*", "[::1]:*")
    allowed_origins: Sequence[str] = (
        "http://127.0.0.1:*",
        "http://localhost:*",
        "http://[::1]:*",
    )
    most_body_bytes: int = MOST_BODY_BYTES
    idle_s: float = IDLE_S
    most_sessions: int = MOST_SESSIONS


@final
class HttpApp:
    """An ASGI app.  Made by `open_http_app` only."""

    def __init__(self, managers: Mapping[str, StreamableHTTPSessionManager]) -> None:
        self._answering = 0
        self._quiet = trio.Event()
        self._paths: Final = {f"/mcp/{name}": manager for name, manager in managers.items()}
        if len(managers) == 1:
            self._paths["/mcp"] = next(iter(managers.values()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        else:
            await self._answer(scope, receive, send)

    async def quiet(self) -> None:
        """Wait until no call is being answered; streams that only wait do not count."""
        while self._answering:
            self._quiet = trio.Event()
            await self._quiet.wait()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = self._paths.get(cast("str", scope["path"]).rstrip("/"))
        if manager is None:
            paths = sorted(self._paths)
            await refuse(send, 404, INVALID_REQUEST, f"nothing here; see {', '.join(paths)}")
            return
        is_call = scope["method"] == "POST"
        self._answering += is_call
        try:
            await manager.handle_request(scope, receive, send)
        finally:
            self._answering -= is_call
            if not self._answering:
                self._quiet.set()


@asynccontextmanager
async def open_http_app(
    services: Mapping[str, Answering], settings: HttpSettings
) -> AsyncGenerator[HttpApp, None]:
    """Offer *services* for a block; leaving it ends every session."""
    security = TransportSecuritySettings(
        allowed_hosts=list(settings.allowed_hosts), allowed_origins=list(settings.allowed_origins)
    )
    async with open_supervisor() as supervisor, AsyncExitStack() as running:
        managers: dict[str, StreamableHTTPSessionManager] = {}
        for name, service in services.items():
            managers[name] = StreamableHTTPSessionManager(
                build_server(service, supervisor),
                security_settings=security,
                session_idle_timeout=settings.idle_s,
                max_request_body_size=settings.most_body_bytes,
                max_sessions=settings.most_sessions,
            )
            await running.enter_async_context(managers[name].run())
        yield HttpApp(managers)
        supervisor.stop()


async def refuse(send: Send, status: int, code: int, message: str) -> None:
    """Answer a request that reached no server with a JSON-RPC error without an id."""
    error: JsonObject = {"code": code, "message": message}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _live(receive: Receive, send: Send) -> None:
    """The app is running before anybody asks; it says so."""
    while (await receive())["type"] != "lifespan.shutdown":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})
