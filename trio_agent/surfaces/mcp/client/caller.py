"""One connection as its client: who the server is, requests and their answers.

It begins with a handshake of 2025-11-25; a server that has none, and speaks 2026-07-28 only, is
asked again in that way.  One request at a time.  What the server asks is refused, as we say that
we can be asked nothing; progress and lines that are no messages are told to whoever cares.

Bytes come and go through a `Wire`.  Below: `jsonrpc`, `framing`, `encoding`.  Above: `run`.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol, cast, final

import attrs
import trio

from actors import Reply, open_supervisor
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.envelope import CAPABILITIES_KEY, CLIENT_KEY, SERVER_KEY, VERSION_KEY
from trio_agent.surfaces.mcp.exchange import HANDSHAKE_VERSIONS, MODERN_VERSIONS
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.surfaces.mcp.rpc import (
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
    JsonObject,
    RpcError,
)
from trio_agent.surfaces.mcp.stdio.framing import MAX_FRAME_BYTES, Oversized, Splitter
from trio_agent.surfaces.mcp.wire.encoding import encode_call, encode_error, encode_result
from trio_agent.surfaces.mcp.wire.jsonrpc import Notification, Refusal, Request, Response, parse
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.surfaces.mcp.stdio.framing import Frame
    from trio_agent.surfaces.mcp.wire.jsonrpc import Message

OPENING_S: Final = 30.0
"""For the answer to the first request; hosts give up after 5 to 30 s."""

MOST_PAGES: Final = 1000
"""Of one list; a server whose cursors never end is broken."""

_CLIENT: Final[JsonObject] = {"name": "trio-agent", "version": __version__}


class Wire(Protocol):
    """The way to a server."""

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        ...

    async def send(self, data: bytes) -> None:
        """Write all of *data*; a server that does not read any more is no error here."""
        ...

    async def receive(self) -> bytes:
        """What the server writes next; nothing when it will write no more."""
        ...


class UnansweredError(Exception):
    """The server gave no answer, or none that could be understood."""


@final
@attrs.frozen(kw_only=True)
class Introduction:
    """What a server says of itself.

    Attributes:
        version: of the protocol that is spoken.
        info: name, version and the like.
        capabilities: as it sent them.
    """

    version: str
    info: JsonObject
    capabilities: JsonObject

    __repr__ = shown


@final
class Caller:
    """The client of one server.

    Args:
        wire: the way to it.
        on_progress: told what the server reports of the request that is running.
        on_noise: told, once, of what the server writes that is no message.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        on_progress: Callable[[ProgressReport], object] | None = None,
        on_noise: Callable[[str], object] | None = None,
    ) -> None:
        self._wire: Final = wire
        self._on_progress: Final = on_progress
        self._on_noise = on_noise
        self._is_modern = False
        self._ids: Final = itertools.count(1)
        self._splitter: Final = Splitter()
        self._frames: Final[deque[Frame]] = deque()

    async def open(self) -> Introduction:
        """Shake hands, or find out that there are none to shake.

        Raises:
            UnansweredError: no answer came within 30 s, or none that makes sense.
            RpcError: it refuses us.
        """
        with trio.move_on_after(OPENING_S):
            return await self._open()
        raise UnansweredError(f"the server did not answer within {OPENING_S:g} s")

    async def _open(self) -> Introduction:
        wanted = HANDSHAKE_VERSIONS[-1]
        params: JsonObject = {"protocolVersion": wanted, "capabilities": {}, "clientInfo": _CLIENT}
        try:
            result = await self.ask("initialize", params)
        except RpcError as error:
            if error.code not in {UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND}:
                raise
            return await self._discover()
        version = result.get("protocolVersion")
        if not isinstance(version, str) or version not in HANDSHAKE_VERSIONS:
            raise UnansweredError(f"the server speaks {version!r:.80}, which nobody here does")
        await self._wire.send(encode_call("notifications/initialized", {}))
        return Introduction(
            version=version,
            info=_members(result, "serverInfo"),
            capabilities=_members(result, "capabilities"),
        )

    async def _discover(self) -> Introduction:
        self._is_modern = True
        result = await self.ask("server/discover", {})
        return Introduction(
            version=MODERN_VERSIONS[-1],
            info=_members(_members(result, "_meta"), SERVER_KEY),
            capabilities=_members(result, "capabilities"),
        )

    async def list_all(self, method: str, key: str) -> list[JsonObject]:
        """Every item of a list, page by page.

        Raises:
            RpcError, UnansweredError: see `ask`; or the list does not end.
        """
        items: list[JsonObject] = []
        params: JsonObject = {}
        for _ in range(MOST_PAGES):
            result = await self.ask(method, params)
            page = result.get(key)
            if isinstance(page, list):
                items += [_object(item) for item in cast("list[object]", page)]
            cursor = result.get("nextCursor")
            if cursor is None:
                return items
            params = {"cursor": cursor}
        raise UnansweredError(f"{method} has more than {MOST_PAGES} pages")

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        """Ask, and wait for the answer.

        Raises:
            RpcError: the server answered with an error.
            UnansweredError: it ended, or closed its output.
        """
        id_ = next(self._ids)
        line = encode_call(method, self._complete(params, id_), id_=id_, max_bytes=MAX_FRAME_BYTES)
        found: Reply[Response | None] = Reply()
        async with open_supervisor() as supervisor:
            # Beside the reading: a server may write a lot before it reads on.
            supervisor.call(self._wire.send, line)
            found.give(await self._find_answer(id_))
            supervisor.stop("the answer is there")
        response = found.take_nowait()
        if response is None:
            raise UnansweredError(f"the server {self._wire.ending} and did not answer {method}")
        if response.error is not None:
            raise response.error
        return response.result or {}

    def _complete(self, params: JsonObject, id_: int) -> JsonObject:
        meta: JsonObject = {}
        if self._on_progress is not None:
            meta["progressToken"] = id_
        if self._is_modern:
            meta |= {VERSION_KEY: MODERN_VERSIONS[-1], CAPABILITIES_KEY: {}, CLIENT_KEY: _CLIENT}
        return {**params, "_meta": meta} if meta else params

    async def _find_answer(self, id_: int) -> Response | None:
        """The answer to request *id_*; None when the server writes no more."""
        while True:
            while self._frames:
                message = self._to_message(self._frames.popleft())
                if isinstance(message, Response) and message.id == id_:
                    return message
                await self._take(message, id_)
            data = await self._wire.receive()
            if not data:
                return None
            self._frames.extend(self._splitter.feed(data))

    def _to_message(self, frame: Frame) -> Message:
        if isinstance(frame, Oversized):
            return Refusal(id=None, code=0, message=f"more than {frame.max_bytes} bytes in a line")
        return parse(frame)

    async def _take(self, message: Message, id_: int) -> None:
        match message:
            case Request(method="ping"):
                await self._wire.send(encode_result(message.id, {}))
            case Request():
                error = RpcError(METHOD_NOT_FOUND, "this client answers nothing", message.method)
                await self._wire.send(encode_error(message.id, error))
            case Notification(method="notifications/progress"):
                report = read_report(message.params, id_)
                if report is not None and self._on_progress is not None:
                    self._on_progress(report)
            case Refusal():
                if self._on_noise is not None:
                    self._on_noise(message.message)
                    self._on_noise = None
            case _:
                # A late answer, or news that nobody here waits for.
                pass


def read_report(params: JsonObject, token: int) -> ProgressReport | None:
    """What a progress notification says; None when it is another request's or makes no sense."""
    progress, total, message = (params.get(name) for name in ("progress", "total", "message"))
    if params.get("progressToken") != token or not _is_number(progress):
        return None
    return ProgressReport(
        cast("float", progress),
        cast("float", total) if _is_number(total) else None,
        message if isinstance(message, str) else None,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _members(value: JsonObject, name: str) -> JsonObject:
    return _object(value.get(name))


def _object(value: object) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}
