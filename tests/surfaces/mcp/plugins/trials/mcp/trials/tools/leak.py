"""Fails with a text that nobody outside should see, or with one that was written for the reader."""

from trio_agent import AgentError, tool

SECRET = "postgres://ops:hunter2@db.internal/prod: no such file /srv/keys/master.pem"


@tool()
async def leak(meant: bool = False) -> str:
    """Fail."""
    if meant:
        raise AgentError("E_CLOSED", "the depot is closed on Sundays")
    raise ConnectionError(SECRET)
