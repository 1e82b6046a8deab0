"""Questions: the requests that we send to the client, and the answers that come back.

A question whose asker leaves before the answer is cancelled at the client, too.  Answers that come
late, twice or for nothing are ignored, as the protocol wants it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, Protocol, final

from actors import Reply
from trio_agent.surfaces.mcp.rpc import CONNECTION_CLOSED, JsonObject, RequestId, RpcError
from trio_agent.surfaces.mcp.wire.encoding import MAX_LINE_BYTES, encode_call
from trio_agent.surfaces.mcp.wire.jsonrpc import Response

if TYPE_CHECKING:
    from collections.abc import Iterator


class Outgoing(Protocol):
    """Where lines are handed in; `outlet.Outlet` says what is guaranteed."""

    @property
    def posted_bytes(self) -> int:
        """Bytes of the lines that were posted and are not written yet."""
        ...

    def post(self, line: bytes) -> None:
        """Write *line* as soon as possible; never waits, never raises."""
        ...

    async def send(self, line: bytes) -> None:
        """Write *line*, and wait until it is written or nobody reads any more."""
        ...

    async def wait_taken(self) -> None:
        """Wait until what is written has been read, if somebody reads and that can be known."""
        ...


@final
class Questions:
    """What one connection is asking its client.

    Args:
        outgoing: where the questions go.
        max_line_bytes: what each of them stays below.
        ids: where ids come from, when several of these ask one client.
    """

    def __init__(
        self,
        outgoing: Outgoing,
        max_line_bytes: int = MAX_LINE_BYTES,
        ids: Iterator[int] | None = None,
    ) -> None:
        self._outgoing: Final = outgoing
        self._max_line_bytes: Final = max_line_bytes
        self._open: Final[dict[RequestId, Reply[Response]]] = {}
        self._ids: Final = itertools.count(1) if ids is None else ids
        self._is_closed = False

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        """Ask, and wait for the answer.

        Raises:
            RpcError: the client answered with an error, or is gone, or the question does not fit
                into a frame.
        """
        if self._is_closed:
            raise _closed()
        id_, reply = next(self._ids), Reply[Response]()
        line = encode_call(method, params, id_=id_, max_bytes=self._max_line_bytes)
        self._open[id_] = reply
        try:
            await self._outgoing.send(line)
            response = await reply.take()
        finally:
            if self._open.pop(id_, None) is not None:
                self._withdraw(id_)
        if response.error is not None:
            raise response.error
        return response.result or {}

    def settle(self, response: Response) -> None:
        """Take an answer."""
        if response.id is not None and (reply := self._open.pop(response.id, None)) is not None:
            reply.give(response)

    def close(self) -> None:
        """No answer will come any more: what is open fails, and so does what is asked later."""
        self._is_closed = True
        for id_ in tuple(self._open):
            self.settle(Response(id=id_, error=_closed()))

    def _withdraw(self, id_: int) -> None:
        params: JsonObject = {"requestId": id_, "reason": "nobody waits for the answer any more"}
        self._outgoing.post(encode_call("notifications/cancelled", params))


def _closed() -> RpcError:
    return RpcError(CONNECTION_CLOSED, "Connection closed: the client cannot answer any more")
