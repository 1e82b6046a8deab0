"""The handshake sessions of one server: opened, found, ended.

A session ends when its client deletes it, or when nothing ran and nobody read for a while.  An id
that is not known any more is answered 404, upon which clients begin anew.  A session belongs to
who opened it; to everybody else it does not exist.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.surfaces.mcp.http.message import HttpError
from trio_agent.surfaces.mcp.http.session import HttpSession
from trio_agent.surfaces.mcp.rpc import SERVER_BUSY, RpcError

if TYPE_CHECKING:
    from actors import Supervisor
    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.http.auth import Principal


@final
class SessionTable:
    """The sessions of one server: an actor, which ends those that nobody uses.

    Args:
        service: answers.
        calls: under which requests are answered.
        idle_s: seconds without anything until a session ends.
        most: how many there may be.
    """

    def __init__(self, service: Answering, calls: Supervisor, *, idle_s: float, most: int) -> None:
        self._service: Final = service
        self._calls: Final = calls
        self._idle_s: Final = idle_s
        self._most: Final = most
        self._sessions: Final[dict[str, HttpSession]] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def make(self, owner: Principal | None) -> HttpSession:
        """A session that is not in the table yet.

        Raises:
            HttpError: there are too many (503).
        """
        if len(self._sessions) >= self._most:
            why = f"server-busy: {self._most} sessions are open; try again later"
            raise HttpError(503, RpcError(SERVER_BUSY, why), fields=[("retry-after", "60")])
        return HttpSession(secrets.token_hex(16), owner, self._service, self._calls)

    def add(self, session: HttpSession) -> None:
        """Let *session* be found."""
        self._sessions[session.id] = session

    def find(self, id_: str, owner: Principal | None) -> HttpSession:
        """The session of that id.

        Raises:
            HttpError: there is none, or it is somebody else's (404).
        """
        session = self._sessions.get(id_)
        if session is None or session.owner != owner:
            raise HttpError(404, "Session not found: begin again with initialize")
        return session

    def end(self, session: HttpSession) -> None:
        """End *session*; its id is unknown from now on."""
        self._sessions.pop(session.id, None)
        session.end()

    def hush(self) -> None:
        """End the sessions' own streams: there will be no more news."""
        for session in self._sessions.values():
            session.own.end()

    async def run(self) -> None:
        """End the sessions that nobody uses, as they fall due."""
        while True:
            now = trio.current_time()
            due = now + self._idle_s
            for session in list(self._sessions.values()):
                if session.is_busy:
                    continue
                if session.idle_since + self._idle_s <= now:
                    self.end(session)
                else:
                    due = min(due, session.idle_since + self._idle_s)
            await trio.sleep_until(due)
