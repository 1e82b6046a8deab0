"""The modern era over HTTP, 2026-07-28: each POST is a request of its own, and knows no session.

The envelope in the body and the headers are compared before anything runs.  A client cancels by
leaving: its connection is the only thing that it has in common with its request.  A notification is
accepted and dropped, for there is none that it could send.

Below: `http_headers`.  Above: `http_app`.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, cast, final

import trio

from trio_agent.surfaces.mcp.containment import log
from trio_agent.surfaces.mcp.conversation import McpConversation
from trio_agent.surfaces.mcp.envelope import meta_of, read_envelope, unsupported
from trio_agent.surfaces.mcp.exchange import MODERN_VERSIONS
from trio_agent.surfaces.mcp.http.delivery import PING_S, Delivery
from trio_agent.surfaces.mcp.http.exchange import HttpDesk, HttpPlace
from trio_agent.surfaces.mcp.http.headers import (
    HEADER_MISMATCH,
    PARAM_PREFIX,
    VERSION_HEADER,
    check_params,
    check_routing,
    read_declarations,
)
from trio_agent.surfaces.mcp.http.message import HttpError
from trio_agent.surfaces.mcp.http.stream import EventStream
from trio_agent.surfaces.mcp.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY,
    PARSE_ERROR,
    SERVER_BUSY,
    UNSUPPORTED_PROTOCOL_VERSION,
    JsonObject,
    RpcError,
)
from trio_agent.surfaces.mcp.wire.call import LiveCall
from trio_agent.surfaces.mcp.wire.encoding import encode_result
from trio_agent.surfaces.mcp.wire.jsonrpc import Notification, Request, Response

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from actors import Supervisor
    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.http.auth import Principal
    from trio_agent.surfaces.mcp.http.headers import ParamHeader
    from trio_agent.surfaces.mcp.http.message import HttpRequest

MOST_RUNNING: Final = 256
"""Requests of one server that run at a time; there are no sessions to count them by."""

MOST_WAITING: Final = 1024
"""Requests that wait for one of those to end."""

_STATUS: Final = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CLIENT_CAPABILITY: 400,
    UNSUPPORTED_PROTOCOL_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}

_ENDLESS: Final = "subscriptions/listen"
"""Open for hours; the service bounds how many."""


@final
class ModernEra:
    """Answers the modern requests of one server.

    Args:
        service: answers.
        calls: under which requests are answered.
    """

    def __init__(self, service: Answering, calls: Supervisor) -> None:
        self._service: Final = service
        self._calls: Final = calls
        self._limiter: Final = trio.CapacityLimiter(MOST_RUNNING)
        self._declared: Final[dict[str, tuple[object, Sequence[ParamHeader]]]] = {}

    async def post(
        self,
        request: HttpRequest,
        message: Request | Notification | Response,
        actor: Principal | None,
    ) -> None:
        """Take a message.

        Raises:
            HttpError: it is refused.
        """
        if isinstance(message, Notification):
            version = request.headers.get(VERSION_HEADER)
            if version not in MODERN_VERSIONS:
                error = unsupported(version, "the protocol revision is not supported")
                raise HttpError(400, error)
            await request.answer(202)
        elif isinstance(message, Response):
            raise HttpError(400, "Invalid Request: this revision asks clients nothing")
        else:
            try:
                await self._post_request(request, message, actor)
            except RpcError as error:
                raise HttpError(status_of(error.code), error, id_=message.id) from None

    async def _post_request(
        self, request: HttpRequest, message: Request, actor: Principal | None
    ) -> None:
        check_routing(request.headers, message)
        read_envelope(message.params)
        if message.method == "initialize":
            raise RpcError(METHOD_NOT_FOUND, "Method not found", message.method)
        stream = EventStream()
        place = HttpPlace(
            session_id=None,
            actor_id=None if actor is None else actor.client_id,
            find_stream=lambda _: None,
        )
        conversation = McpConversation(self._service, transport="http", place=place.locate)
        result = conversation.admit(message.method, message.params)
        if result is not None:
            await request.answer(200, encode_result(message.id, result))
            return
        ids = itertools.count(1)
        desk = HttpDesk(conversation, stream, calls=self._calls, ids=ids, on_leave=lambda _: None)
        call = LiveCall(message, desk)
        await self._check_params(request, message, conversation, call)
        if message.method == _ENDLESS:
            await self._run(request, call, stream)
            return
        waiting = self._limiter.statistics().tasks_waiting
        if waiting >= MOST_WAITING:
            why = f"server-busy: {MOST_RUNNING} requests run and {waiting} wait; try again later"
            raise RpcError(SERVER_BUSY, why)
        async with self._limiter:
            await self._run(request, call, stream)

    async def _run(self, request: HttpRequest, call: LiveCall, stream: EventStream) -> None:
        delivery = Delivery(window_s=PING_S, status=lambda: status_of(call.error_code))
        reader = stream.attach()
        self._calls.start(call)
        try:
            await delivery.run(request, reader)
        finally:
            if not stream.is_ended:
                call.cancel("the client has left")

    async def _check_params(
        self, request: HttpRequest, message: Request, conversation: McpConversation, call: LiveCall
    ) -> None:
        name, arguments = message.params.get("name"), message.params.get("arguments")
        if message.method != "tools/call" or "tools/list" not in self._service.methods:
            return
        if not isinstance(name, str) or not isinstance(arguments, dict | None):
            # What is wrong with them is the service's business.
            return
        known = cast("JsonObject", arguments or {})
        if known or any(header.startswith(PARAM_PREFIX) for header, _ in request.headers.lines):
            meta = meta_of(message.params)
            check_params(
                await self._find_declared(name, meta, conversation, call), known, request.headers
            )

    async def _find_declared(
        self, name: str, meta: Mapping[str, object], conversation: McpConversation, call: LiveCall
    ) -> Sequence[ParamHeader]:
        """The arguments of a tool that come as headers, as this client sees the tool."""
        try:
            listing = await conversation.answer("tools/list", {"_meta": dict(meta)}, call)
        except Exception:  # noqa: BLE001  # boundary: the call itself says what is wrong
            log.exception("the headers of a call were not compared: the tools cannot be listed")
            return ()
        tools = cast("list[JsonObject]", listing.get("tools", []))
        schema = next((tool.get("inputSchema") for tool in tools if tool.get("name") == name), None)
        if schema is None:
            return ()
        remembered = self._declared.get(name)
        if remembered is None or remembered[0] is not schema:
            remembered = self._declared[name] = (schema, read_declarations(schema))
        return remembered[1]


def status_of(code: int | None) -> int:
    """The HTTP status of an answer: of an error with that code, or of a result."""
    return 200 if code is None else _STATUS.get(code, 200)
