"""The ASGI app: one path for each server, and what is true for all of them.

    /mcp              the only server
    /mcp/<server>     each of several; then /mcp says which there are

    who may come in ─► token ─► path ─► era ─► `http_handshake` or `http_modern`

The revision in the headers says the era.  A request without it belongs to the handshake, unless
its body has an envelope: then it lacks the header.

Nothing of an exception reaches a client, and none ends the app, but `KeyboardInterrupt` and what
cancels it.  Above: `http_serving`, or a program of the author's.
"""

from __future__ import annotations

import math
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, final

import attrs
import trio
from attrs.validators import ge, gt, lt

from actors import open_supervisor
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.containment import log
from trio_agent.surfaces.mcp.envelope import has_envelope
from trio_agent.surfaces.mcp.exchange import HANDSHAKE_VERSIONS
from trio_agent.surfaces.mcp.http.calls import CallRoom
from trio_agent.surfaces.mcp.http.handshake import SESSION_HEADER, HandshakeEra
from trio_agent.surfaces.mcp.http.headers import VERSION_HEADER
from trio_agent.surfaces.mcp.http.message import (
    EVENTS,
    JSON,
    ClientGoneError,
    HttpError,
    HttpRequest,
)
from trio_agent.surfaces.mcp.http.modern import ModernEra
from trio_agent.surfaces.mcp.http.security import Visitors, cors_fields, preflight_fields
from trio_agent.surfaces.mcp.http.sessions import SessionTable
from trio_agent.surfaces.mcp.rpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    RpcError,
)
from trio_agent.surfaces.mcp.subscriptions import ChangeHub
from trio_agent.surfaces.mcp.wire.jsonrpc import Refusal, Request, parse

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from actors import Supervisor
    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.http.auth import BearerCheck, Principal
    from trio_agent.surfaces.mcp.http.message import AsgiMessage, Receive, Send

MOST_BODY_BYTES: Final = 16 * 1024 * 1024
"""Of one request: an argument as large as a frame may be, 10 MiB, and room around it."""

IDLE_S: Final = 1800.0
"""mcp 2.3.0 has the same."""

MOST_SESSIONS: Final = 10_000
"""mcp 2.3.0 has the same."""


@final
@attrs.frozen(kw_only=True)
class HttpSettings:
    """How servers are offered.

    Attributes:
        allowed_hosts: values of `Host` besides the loopback names; `name:*` is any port.
        allowed_origins: values of `Origin` besides those of the hosts.
        bearer: how tokens are checked; None when everybody may come in.
        max_body_bytes: of one request.
        idle_s: seconds after which a session that nobody uses ends.
        max_sessions: of one server, at a time.
        grace_s: seconds that calls get to end after a signal.

    Raises:
        ValueError: a number is out of its range.
    """

    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    bearer: BearerCheck | None = None
    max_body_bytes: int = attrs.field(default=MOST_BODY_BYTES, validator=ge(1))
    idle_s: float = attrs.field(default=IDLE_S, validator=[gt(0), lt(math.inf)])
    max_sessions: int = attrs.field(default=MOST_SESSIONS, validator=ge(1))
    grace_s: float = attrs.field(default=1.0, validator=[ge(0), lt(math.inf)])

    __repr__ = shown


@final
class _Endpoint:
    """One server."""

    def __init__(self, service: Answering, calls: Supervisor, settings: HttpSettings) -> None:
        self.service: Final = service
        self.sessions: Final = SessionTable(
            service, calls, idle_s=settings.idle_s, most=settings.max_sessions
        )
        self._handshake: Final = HandshakeEra(self.sessions)
        self._modern: Final = ModernEra(service, calls)
        self._max_body_bytes: Final = settings.max_body_bytes

    async def answer(self, request: HttpRequest, principal: Principal | None) -> None:
        """Answer one request.

        Raises:
            HttpError: it is refused.
            ClientGoneError: nobody waits for an answer.
        """
        version = request.headers.get(VERSION_HEADER)
        is_modern = version is not None and version not in HANDSHAKE_VERSIONS
        if request.method == "POST":
            await self._post(request, principal, is_modern=is_modern)
        elif is_modern or request.method not in {"GET", "DELETE"}:
            methods = "POST" if is_modern else "GET, POST, DELETE"
            raise HttpError(405, "Method Not Allowed", fields=[("allow", methods)])
        elif request.method == "GET":
            await self._handshake.get(request, principal)
        else:
            await self._handshake.delete(request, principal)

    async def _post(
        self, request: HttpRequest, principal: Principal | None, *, is_modern: bool
    ) -> None:
        headers = request.headers
        media_type = (headers.get("content-type") or "").partition(";")[0].strip().lower()
        if media_type != JSON:
            raise HttpError(415, f"Unsupported Media Type: the body is {JSON}")
        if not (headers.accepts(JSON) and headers.accepts(EVENTS)):
            raise HttpError(406, f"Not Acceptable: the answer is {JSON} or {EVENTS}")
        message = parse(await request.read_body(self._max_body_bytes))
        if isinstance(message, Refusal):
            raise HttpError(400, RpcError(message.code, message.message), id_=message.id)
        if isinstance(message, Request) and headers.get(SESSION_HEADER) is None:
            is_modern |= message.method != "initialize" and has_envelope(message.params)
        era = self._modern if is_modern else self._handshake
        await era.post(request, message, principal)


@final
class HttpApp:
    """An ASGI app.  Made by `open_http_app` only."""

    def __init__(
        self,
        services: Mapping[str, Answering],
        calls: Supervisor,
        settings: HttpSettings,
        visitors: Visitors,
        on_end: Callable[[], object],
    ) -> None:
        self._on_end: Final = on_end
        self._is_ending = False
        self._bearer: Final = settings.bearer
        self._visitors: Final = visitors
        self._endpoints: Final = {
            name: _Endpoint(service, calls, settings) for name, service in services.items()
        }
        self._paths: Final = {f"/mcp/{name}": item for name, item in self._endpoints.items()}
        if len(services) == 1:
            self._paths["/mcp"] = next(iter(self._endpoints.values()))
        self._answering = 0
        self._quiet = trio.Event()

    @property
    def tables(self) -> list[SessionTable]:
        """The handshake sessions of each server."""
        return [endpoint.sessions for endpoint in self._endpoints.values()]

    async def __call__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        elif scope["type"] == "http":
            await self._answer(HttpRequest(scope, receive, send))
        else:
            raise TypeError(f"the app answers HTTP, and runs before it does: {scope['type']}")

    def wind_down(self) -> None:
        """Take nothing more, and end what only waits for news; calls go on."""
        self._is_ending = True
        for endpoint in self._endpoints.values():
            endpoint.sessions.hush()
            changes: object = getattr(endpoint.service, "changes", None)
            if isinstance(changes, ChangeHub):
                changes.close()

    def end(self) -> None:
        """Cancel what runs, and answer so; never waits."""
        self.wind_down()
        self._on_end()

    async def wait_quiet(self) -> None:
        """Wait until no request is being answered."""
        while self._answering:
            self._quiet = trio.Event()
            await self._quiet.wait()

    async def _answer(self, request: HttpRequest) -> None:
        self._answering += 1
        try:
            await self._contained(request)
        except ClientGoneError:
            pass
        except HttpError as error:
            await request.refuse(error)
        finally:
            self._answering -= 1
            if not self._answering:
                self._quiet.set()

    async def _contained(self, request: HttpRequest) -> None:
        try:
            await self._admit(request)
        except (HttpError, ClientGoneError):
            raise
        except (Exception, SystemExit):  # noqa: BLE001  # boundary: see the module
            log.exception("%s %s could not be answered", request.method, request.path)
        except BaseExceptionGroup as group:
            failure, pressing = group.split((Exception, SystemExit))
            if failure is not None:
                what = (request.method, request.path)
                log.error("%s %s could not be answered", *what, exc_info=failure)
            if pressing is not None:
                raise pressing from None
        else:
            return
        raise HttpError(500, RpcError(INTERNAL_ERROR, "Internal server error"))

    async def _admit(self, request: HttpRequest) -> None:
        if self._is_ending:
            raise HttpError(503, RpcError(CONNECTION_CLOSED, "the server is ending"))
        headers = request.headers
        refusal = self._visitors.refusal(headers.get("host"), headers.get("origin"))
        if refusal is not None:
            raise HttpError(*refusal)
        request.fields = cors_fields(headers.get("origin"))
        if request.method == "OPTIONS" and headers.get("access-control-request-method"):
            wanted = headers.get("access-control-request-headers")
            await request.answer(204, fields=preflight_fields(wanted))
            return
        principal = None if self._bearer is None else await self._bearer.identify(headers)
        endpoint = self._paths.get(request.path.rstrip("/"))
        if endpoint is None:
            paths = sorted(f"/mcp/{name}" for name in self._endpoints)
            if len(paths) == 1:
                paths = ["/mcp"]
            why = f"Not Found: MCP is served at {', '.join(paths)}"
            raise HttpError(404, RpcError(INVALID_REQUEST, why, {"paths": paths}))
        await endpoint.answer(request, principal)


@asynccontextmanager
async def open_http_app(
    services: Mapping[str, Answering],
    settings: HttpSettings | None = None,
    *,
    host: str = "127.0.0.1",
) -> AsyncGenerator[HttpApp, None]:
    """Offer *services* for a block; leaving it ends every session and cancels every call.

    Args:
        services: by the names of their servers.
        settings: see there.
        host: where the app is reached; on loopback, only its names are let in.
    """
    settings = HttpSettings() if settings is None else settings
    visitors = Visitors.of(host, settings.allowed_hosts, settings.allowed_origins)
    async with open_supervisor() as supervisor:
        room = CallRoom()
        supervisor.start(room)
        calls = await room.supervisor.take()
        app = HttpApp(services, calls, settings, visitors, room.close)
        for sessions in app.tables:
            supervisor.start(sessions)
        yield app
        supervisor.stop("the app has ended")
