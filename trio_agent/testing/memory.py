"""A connection in memory: the two ends that a server sees, and the two that its client has.

    the client ─► MemorySource ─► Connection ─► MemoryDrain ─► the client

Bytes all the way, so that framing, parsing, encoding and back-pressure are those of a pipe.
Below: `surfaces.mcp.connection`.  Which client is at the other end is `mcp`'s business.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, final

import attrs
import trio

from actors import (
    EndClosedError,
    Inbox,
    Link,
    LinkTruncatedError,
    Mark,
    Outbox,
    PeerGoneError,
    open_supervisor,
)
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.stdio.connection import Connection
from trio_agent.surfaces.mcp.stdio.lines import Terms

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from trio_agent.surfaces.mcp.wire.dispatcher import MakeConversation

_TERMS: Final = Terms(grace_s=0)
"""When a test leaves, nobody waits for what is still running."""


@final
@attrs.frozen
class MemoryEnds:
    """What a client has of a connection.

    Attributes:
        requests: takes lines.
        answers: gives lines.
    """

    requests: Outbox[bytes]
    answers: Inbox[bytes]

    __repr__ = shown


@final
class MemorySource:
    """A `Source`: what the client has sent."""

    def __init__(self, lines: Inbox[bytes]) -> None:
        self._lines: Final = lines

    async def receive(self) -> bytes:
        """See `descriptors.Source.receive`."""
        try:
            line = await self._lines.receive()
        except LinkTruncatedError:
            line = Mark.FINISHED
        return b"" if line is Mark.FINISHED else line


@final
class MemoryDrain:
    """A `Drain`: the client takes one line at a time, whenever it is ready."""

    def __init__(self, lines: Outbox[bytes]) -> None:
        self._lines: Final = lines

    def write_nowait(self, data: bytes | memoryview) -> int:
        """See `descriptors.Drain.write_nowait`: there is no room but the client's hand."""
        del data
        return 0

    async def write(self, take: Callable[[], bytes | memoryview]) -> int:
        """See `descriptors.Drain.write`."""
        data = bytes(take())
        try:
            # Nothing at all is a line that was withdrawn; the client sees no difference.
            await self._lines.send(data)
        except (PeerGoneError, EndClosedError):
            raise BrokenPipeError("the client has left") from None
        return len(data)

    def count_unread(self) -> int:
        """See `descriptors.Drain.count_unread`: what was written has been taken."""
        return 0

    async def wait_gone(self) -> None:
        """See `descriptors.Drain.wait_gone`: a client leaves by closing its other end."""
        await trio.sleep_forever()

    def close(self) -> None:
        """See `descriptors.Drain.close`."""


@asynccontextmanager
async def open_memory_connection(
    make_conversation: MakeConversation,
) -> AsyncGenerator[MemoryEnds, None]:
    """Serve one connection for a block; leaving the block ends it.

    Raises:
        BaseExceptionGroup: of what the block raised; the server's own errors never leave it.
    """
    requests, answers = Link[bytes](), Link[bytes]()
    async with open_supervisor() as supervisor:
        supervisor.call(_serve, make_conversation, requests.inbox, answers.outbox)
        with requests.outbox, answers.inbox:
            yield MemoryEnds(requests.outbox, answers.inbox)


async def _serve(
    make_conversation: MakeConversation, requests: Inbox[bytes], answers: Outbox[bytes]
) -> None:
    with requests, answers:
        source, drain = MemorySource(requests), MemoryDrain(answers)
        await Connection(source, drain, make_conversation, terms=_TERMS).run()
