"""The handshake era over HTTP, up to 2025-11-25: sessions, and what clients do with them.

    POST     one message; a request is answered in the response, or on an event stream there
    GET      the session's own stream; with `Last-Event-ID`, what was lost of any of its streams
    DELETE   the end of the session

Below: `http_session`.  Above: `http_app`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

from trio_agent.surfaces.mcp.http.delivery import QUICK_S, Delivery
from trio_agent.surfaces.mcp.http.message import EVENTS, HttpError
from trio_agent.surfaces.mcp.wire.jsonrpc import Request, Response

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.http.auth import Principal
    from trio_agent.surfaces.mcp.http.message import Fields, HttpRequest
    from trio_agent.surfaces.mcp.http.session import HttpSession
    from trio_agent.surfaces.mcp.http.sessions import SessionTable
    from trio_agent.surfaces.mcp.http.stream import StreamReader
    from trio_agent.surfaces.mcp.wire.jsonrpc import Notification

SESSION_HEADER: Final = "mcp-session-id"
LAST_EVENT_HEADER: Final = "last-event-id"

_EVENT_ID: Final = re.compile(r"([0-9]{1,18})-([0-9]{1,18})", re.ASCII)


@final
class HandshakeEra:
    """Answers the requests of one server's sessions."""

    def __init__(self, sessions: SessionTable) -> None:
        self._sessions: Final = sessions

    async def post(
        self,
        request: HttpRequest,
        message: Request | Notification | Response,
        owner: Principal | None,
    ) -> None:
        """Take a message.

        Raises:
            HttpError: there is no such session, or none is named.
        """
        if isinstance(message, Request):
            await self._post_request(request, message, owner)
            return
        session = self._find(request, owner)
        session.receive(message)
        await request.answer(202, fields=_fields(session))

    async def get(self, request: HttpRequest, owner: Principal | None) -> None:
        """Read one of the session's streams.

        Raises:
            HttpError: it cannot be read.
        """
        if not request.headers.accepts(EVENTS):
            raise HttpError(406, f"Not Acceptable: the answer is {EVENTS}")
        session = self._find(request, owner)
        reader = _reader(session, request.headers.get(LAST_EVENT_HEADER))
        if reader is None:
            await request.answer(204, fields=_fields(session))
        else:
            await _deliver(request, session, reader, window_s=0)

    async def delete(self, request: HttpRequest, owner: Principal | None) -> None:
        """End the session.

        Raises:
            HttpError: there is none.
        """
        self._sessions.end(self._find(request, owner))
        await request.answer(204)

    async def _post_request(
        self, request: HttpRequest, message: Request, owner: Principal | None
    ) -> None:
        is_new = message.method == "initialize" and request.headers.get(SESSION_HEADER) is None
        session = self._sessions.make(owner) if is_new else self._find(request, owner, message)
        stream = session.make_stream()
        reader = stream.attach()
        session.take(message, stream)
        if is_new and session.version is None:
            # Nothing was agreed, so there is nothing to remember.
            session.end()
            await Delivery().run(request, reader)
            return
        if is_new:
            self._sessions.add(session)
        if not await _deliver(request, session, reader):
            session.forget(stream)

    def _find(
        self, request: HttpRequest, owner: Principal | None, message: Request | None = None
    ) -> HttpSession:
        id_ = request.headers.get(SESSION_HEADER)
        if id_ is None:
            why = f"Missing session ID: {SESSION_HEADER} is what initialize was answered with"
            raise HttpError(400, why, id_=None if message is None else message.id)
        return self._sessions.find(id_, owner)


def _reader(session: HttpSession, last_event: str | None) -> StreamReader | None:
    """A reader of the session's own stream, or of the one that *last_event* is of.

    None when nothing is left of it.  That is no error: a client that was answered with one, or has
    cancelled, comes back all the same, and would do so for ever if it got a stream that ends.
    """
    if last_event is None:
        if session.own.is_read:
            raise HttpError(409, "Conflict: the session's own stream is read already")
        return session.own.attach(session.own.last_number)
    found = _EVENT_ID.fullmatch(last_event)
    number = None if found is None else int(found[1])
    if found is None or number is None or not session.has_numbered(number):
        raise HttpError(400, f"{LAST_EVENT_HEADER} names no event of this session")
    stream = session.find_stream(number)
    if stream is None or (stream.is_ended and int(found[2]) >= stream.last_number):
        return None
    return stream.attach(int(found[2]))


async def _deliver(
    request: HttpRequest,
    session: HttpSession,
    reader: StreamReader,
    window_s: float = QUICK_S,
) -> bool:
    """Write what *reader* reads; whether it went out as events."""
    delivery = Delivery(fields=_fields(session), window_s=window_s, has_numbers=reader.stream.keeps)
    with session.held():
        return await delivery.run(request, reader)


def _fields(session: HttpSession) -> Fields:
    return [(SESSION_HEADER, session.id)]
