"""The SDK's low-level server, of which every request goes to one of our services.

    the SDK's transport ─► middleware ─► conversation ─► service

The SDK owns the wire: HTTP, sessions, streams, the headers of the modern era.  A middleware
answers before the SDK looks at parameters, so what is refused is refused in our words, results go
out as the service made them, and each session has one conversation, as a connection on stdio has.

Nothing that a handler raises ends a session or reaches a client, `RpcError` excepted.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, cast, final

import trio
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import InitializeRequestParams, RequestParams
from pydantic import ValidationError

from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.exchange import MODERN_VERSIONS
from trio_agent.surfaces.mcp.http_exchange import placed
from trio_agent.surfaces.mcp.http_sessions import Gate, HttpSession
from trio_agent.surfaces.mcp.http_wire import HttpCall
from trio_agent.surfaces.mcp.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    JsonObject,
    RpcError,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from starlette.requests import Request

    from actors import Supervisor
    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.http_wire import Connection

_SESSION: Final = "trio-agent"

_UNLIMITED: Final = frozenset({"subscriptions/listen"})
"""What stays open for hours; the service bounds how many."""

_log: Final = logging.getLogger(__name__)


def build_server(service: Answering, supervisor: Supervisor) -> Server[None]:
    """The SDK's server for *service*.

    Args:
        service: answers everything.
        supervisor: outlives every session of the server.
    """
    info = cast("JsonObject", service.introduction(MODERN_VERSIONS[-1])["serverInfo"])
    server = Server[None](str(info["name"]), version=str(info["version"]), lifespan=_nothing)
    # Without tracing, which costs a tenth; with us instead of anything else.
    server.middleware[:] = [ServiceMiddleware(service, supervisor)]
    if "tools/list" in service.methods:
        # The SDK looks for the headers that a tool's schema asks for only if it is there.
        server.add_request_handler("tools/list", RequestParams, _never)
    return server


@final
class ServiceMiddleware:
    """Answers every request of one server."""

    def __init__(self, service: Answering, supervisor: Supervisor) -> None:
        self._service: Final = service
        self._supervisor: Final = supervisor
        self._gate: Final = Gate(running=256, waiting=1024)

    async def __call__(
        self, ctx: ServerRequestContext[None, Request], call_next: CallNext
    ) -> HandlerResult:
        """Answer, or let the SDK take a notification."""
        if ctx.request_id is None:
            return await call_next(ctx)
        try:
            return await self._contained(HttpCall(ctx))
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from None

    async def _contained(self, call: HttpCall) -> JsonObject:
        try:
            return await self._answer(call)
        except RpcError:
            raise
        except (Exception, SystemExit):  # noqa: BLE001  # boundary: see the module
            _log.exception("%s could not be answered", call.method)
        except BaseExceptionGroup as group:
            passing, rest = group.split((trio.Cancelled, KeyboardInterrupt))
            if passing is not None:
                raise passing from None
            _log.error("%s could not be answered", call.method, exc_info=rest)
        raise RpcError(INTERNAL_ERROR, "Internal error")

    async def _answer(self, call: HttpCall) -> JsonObject:
        if call.connection.protocol_version in MODERN_VERSIONS:
            if call.method == "initialize":
                # A connection of frames would begin with it; here the header says otherwise.
                raise RpcError(METHOD_NOT_FOUND, "Method not found", call.method)
            conversation = McpConversation(self._service, transport="http", place=placed)
            gate = self._gate
        else:
            session = self._session_of(call.connection)
            conversation, gate = session.conversation, session.gate
        result = conversation.admit(call.method, call.params)
        if result is not None:
            if call.method == "initialize":
                _check_initialize(call.params)
            return result
        if call.method in _UNLIMITED:
            return await conversation.answer(call.method, call.params, call)
        async with gate.passed():
            return await conversation.answer(call.method, call.params, call)

    def _session_of(self, connection: Connection) -> HttpSession:
        session = connection.state.get(_SESSION)
        if isinstance(session, HttpSession):
            return session
        session = HttpSession(
            self._service,
            channel=connection.outbound,
            supervisor=self._supervisor,
            place=placed,
        )
        connection.state[_SESSION] = session
        connection.exit_stack.callback(session.end)
        return session


def _check_initialize(params: JsonObject) -> None:
    """Refuse what the SDK would refuse when it commits the handshake, but say where."""
    try:
        InitializeRequestParams.model_validate(params, by_name=False)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"])
        raise RpcError(INVALID_PARAMS, f"initialize: {place} is misshapen") from None


@asynccontextmanager
async def _nothing(_: Server[None]) -> AsyncGenerator[None, None]:
    yield


async def _never(_: ServerRequestContext[None, Request], __: RequestParams) -> None:
    raise AssertionError("the middleware answers first")
