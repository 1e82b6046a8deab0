"""Whose a task is, and who may see it.

    era         where          owner
    handshake   HTTP           the session, with the client id of its token
    handshake   stdio          the process
    modern      with a token   the client id
    modern      without        nobody: whoever has the id may have the task

What belonged to a process that is gone may be fetched by its id, from the process that comes
after it; an id is 128 random bits.  It is listed to nobody.  What belonged to a session that is
gone is lost to everybody, since nobody can prove that the session was theirs.

For who may not see it, a task does not exist.  Sans-I/O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.exchange import Exchange
    from trio_agent.surfaces.mcp.tasks.record import TaskRecord

ANYONE: Final = "anyone"
"""The owner of what belongs to whoever has its id.  All of it together has one owner's share."""

_PROCESS: Final = "process:"


def owner_of(exchange: Exchange, worker: str) -> str:
    """Whose a task is that is asked for now.

    Args:
        exchange: the request.
        worker: the name of this process.
    """
    if exchange.client.is_modern:
        return ANYONE if exchange.actor_id is None else f"client:{exchange.actor_id}"
    if exchange.session_id is not None:
        return session_owner(exchange.session_id, exchange.actor_id)
    return _PROCESS + worker


def session_owner(session_id: str, actor_id: str | None) -> str:
    """The owner of what is asked for in a session over HTTP."""
    # No session id has a colon, so no two pairs are one owner.
    return f"session:{session_id}:{'' if actor_id is None else actor_id}"


def may_see(record: TaskRecord, exchange: Exchange, worker: str) -> bool:
    """Whether the one who sent a request may see, read and cancel a task that it has the id of."""
    if record.owner in {ANYONE, owner_of(exchange, worker)}:
        return True
    is_inherited = record.is_orphan and record.owner.startswith(_PROCESS)
    return is_inherited and exchange.transport != "http"
