"""Both ends of a connection, as plain objects, for tests that need no process."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import trio
import trio.testing

from actors import open_supervisor
from trio_agent.surfaces.mcp.exchange import Audience, Call
from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId, RpcError
from trio_agent.surfaces.mcp.wire.dispatcher import Dispatcher, Quota
from trio_agent.surfaces.mcp.wire.jsonrpc import Notification, Request

Handler: TypeAlias = Callable[[JsonObject, Call], Awaitable[JsonObject]]


class Talk:
    """A conversation that answers with the handlers it is given."""

    def __init__(self, **handlers: Handler) -> None:
        self.handlers = handlers
        self.admitted: list[tuple[str, JsonObject]] = []
        self.received: list[tuple[str, JsonObject]] = []
        self.audience: Audience | None = None

    def __call__(self, audience: Audience) -> Talk:
        self.audience = audience
        return self

    def admit(self, method: str, params: JsonObject) -> JsonObject | None:
        self.admitted.append((method, params))
        if method in {"initialize", "ping"} and method not in self.handlers:
            return {"pong": True}
        if method == "bug":
            raise ValueError("secret")
        if method == "unwritable":
            return {"a": {1, 2}}
        if method not in self.handlers:
            raise RpcError(-32601, "Method not found", method)
        return None

    async def answer(self, method: str, params: JsonObject, call: Call) -> JsonObject:
        return await self.handlers[method](params, call)

    def receive(self, method: str, params: JsonObject) -> None:
        self.received.append((method, params))
        if method == "bug":
            raise ValueError("secret")


class Lines:
    """Takes lines without asking twice, or does not as long as `gate` is closed."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.posted_bytes = 0
        self.waits = 0
        self.gate = trio.Event()
        self.gate.set()

    def post(self, line: bytes) -> None:
        self.lines.append(line)

    async def send(self, line: bytes) -> None:
        if not self.gate.is_set():
            await self.gate.wait()
        self.lines.append(line)
        await trio.lowlevel.checkpoint()

    async def wait_taken(self) -> None:
        await trio.lowlevel.checkpoint()
        self.waits += 1

    @property
    def messages(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]

    @property
    def answers(self) -> dict[object, Any]:
        """What each request was answered, by id; the last one counts."""
        return {
            message["id"]: message.get("result", message.get("error"))
            for message in self.messages
            if "method" not in message
        }


class Wire:
    """A drain with a little room, which the test empties."""

    def __init__(self, room: int = 1_000_000) -> None:
        self.room = room
        self.data = b""
        self.unread = 0
        self.error: OSError | None = None
        self.gone = trio.Event()
        self._changed = trio.Event()

    def write_nowait(self, data: bytes | memoryview) -> int:
        if self.error is not None:
            raise self.error
        taken = bytes(data[: self.room])
        self.data += taken
        self.room -= len(taken)
        return len(taken)

    async def write(self, take: Callable[[], bytes | memoryview]) -> int:
        await trio.lowlevel.checkpoint()
        while not self.room and self.error is None:
            await self._changed.wait()
        return self.write_nowait(take())

    def count_unread(self) -> int:
        return self.unread

    async def wait_gone(self) -> None:
        await self.gone.wait()

    def close(self) -> None:
        """There is nothing to close."""

    def change(self, *, room: int = 0, error: OSError | None = None) -> None:
        """Make room, or break."""
        self.room += room
        self.error = error
        self._changed.set()
        self._changed = trio.Event()

    @property
    def messages(self) -> list[Any]:
        return [json.loads(line) for line in self.data.splitlines()]


class Feed:
    """A source that gives what the test puts into it."""

    def __init__(self, *pieces: bytes, ends: bool = False) -> None:
        self._send, self._receive = trio.open_memory_channel[bytes](1000)
        for piece in pieces:
            self.put(piece)
        if ends:
            self.end()

    def put(self, piece: bytes) -> None:
        self._send.send_nowait(piece)

    def end(self) -> None:
        self._send.close()

    async def receive(self) -> bytes:
        try:
            return await self._receive.receive()
        except trio.EndOfChannel:
            return b""


async def forever(params: JsonObject, call: Call) -> JsonObject:
    """A handler that does not come to an end by itself."""
    await trio.sleep_forever()


async def echo(params: JsonObject, call: Call) -> JsonObject:
    """A handler that never waits."""
    return params


@asynccontextmanager
async def dispatching(
    talk: Talk, *, quota: Quota | None = None
) -> AsyncGenerator[tuple[Dispatcher, Lines], None]:
    lines = Lines()
    async with open_supervisor() as calls:
        yield Dispatcher(talk, lines, calls, quota), lines
        calls.stop()


def ask(
    dispatcher: Dispatcher, id_: RequestId, method: str = "echo", params: JsonObject | None = None
) -> None:
    dispatcher.receive(Request(id=id_, method=method, params=params or {}))


def cancel(dispatcher: Dispatcher, id_: object) -> None:
    params: JsonObject = {"requestId": id_, "reason": "bored"}
    dispatcher.receive(Notification(method="notifications/cancelled", params=params))


async def settle() -> None:
    await trio.testing.wait_all_tasks_blocked()
