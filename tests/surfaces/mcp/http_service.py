"""A service small enough to be read, and an app of it on a real socket."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import trio

from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.http.app import HttpSettings
from trio_agent.surfaces.mcp.http.serving import Address, open_listeners, run_http_server
from trio_agent.surfaces.mcp.rpc import INVALID_PARAMS, JsonObject, RpcError
from trio_agent.surfaces.mcp.subscriptions import ChangeHub

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

    from trio_agent.surfaces.mcp.conversation import Answering

    Tool = Callable[[JsonObject, Exchange], Awaitable[object]]

METHODS = frozenset(
    {"tools/list", "tools/call", "logging/setLevel", "resources/subscribe", "subscriptions/listen"}
)


def text(value: str) -> JsonObject:
    return {"content": [{"type": "text", "text": value}]}


class Service:
    """Tools are coroutine functions; what they return is the text of the answer."""

    methods = METHODS

    def __init__(self, **tools: Tool) -> None:
        self.tools = tools
        self.changes = ChangeHub()

    def introduction(self, version: str) -> JsonObject:
        return {
            "capabilities": {"logging": {}, "tools": {"listChanged": True}},
            "serverInfo": {"name": "small", "version": "1", "title": "Small"},
        }

    async def handle(self, method: str, params: JsonObject, exchange: Exchange) -> JsonObject:
        if method == "tools/list":
            schema = {"type": "object"}
            return {"tools": [{"name": name, "inputSchema": schema} for name in self.tools]}
        if method == "subscriptions/listen":
            return await self.changes.listen(params, exchange)
        if method == "resources/subscribe":
            self.changes.subscribe(str(params["uri"]), exchange)
            return {}
        tool = self.tools.get(str(params.get("name")))
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"no tool is named {params.get('name')!r}")
        result = await tool(cast("JsonObject", params.get("arguments", {})), exchange)
        return cast("JsonObject", result) if isinstance(result, dict) else text(str(result))


@asynccontextmanager
async def serving(
    service: Answering | Mapping[str, Answering], settings: HttpSettings | None = None
) -> AsyncGenerator[str, None]:
    """Serve on a free port for a block; gives the address."""
    listeners = await open_listeners(Address("127.0.0.1", 0))
    port = cast("int", listeners[0].socket.getsockname()[1])
    services = service if isinstance(service, dict) else {"small": cast("Answering", service)}
    done = trio.Event()

    async def serve() -> None:
        await run_http_server(
            services, listeners, shutdown=done.wait, settings=settings or HttpSettings()
        )

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        yield f"http://127.0.0.1:{port}"
        done.set()


async def add(arguments: JsonObject, exchange: Exchange) -> object:
    return sum(number for number in arguments.values() if isinstance(number, int))


class Slow:
    """A tool that waits until the test lets it go, and says what became of it."""

    def __init__(self) -> None:
        self.calls = 0
        self.started = trio.Event()
        self.release = trio.Event()
        self.cancelled = trio.Event()

    async def __call__(self, arguments: JsonObject, exchange: Exchange) -> object:
        self.calls += 1
        self.started.set()
        try:
            await self.release.wait()
        except trio.Cancelled:
            self.cancelled.set()
            raise
        return "done"


async def report(arguments: JsonObject, exchange: Exchange) -> object:
    for step in range(cast("int", arguments["steps"])):
        await exchange.notify("notifications/progress", {"progressToken": 1, "progress": step})
    return "reported"
