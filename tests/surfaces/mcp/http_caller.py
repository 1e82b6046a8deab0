"""An HTTP client without a socket: it calls an ASGI app, so a test may use a clock of its own."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import attrs
import trio

from trio_agent.surfaces.mcp.http.app import HttpApp, HttpSettings, open_http_app
from trio_agent.surfaces.mcp.rpc import JsonObject

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.http.message import AsgiMessage

POSTED = {
    "host": "localhost:8000",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}
OPENING: JsonObject = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "caller", "version": "1"},
}
ENVELOPE: JsonObject = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(method: str, params: JsonObject | None = None, id_: object = 1) -> JsonObject:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}


def notification(method: str, params: JsonObject | None = None) -> JsonObject:
    return {"jsonrpc": "2.0", "method": method, "params": params or {}}


def call(name: str, id_: object = 1, **arguments: object) -> JsonObject:
    return request("tools/call", {"name": name, "arguments": arguments}, id_)


def modern(method: str, params: JsonObject | None = None, id_: object = 1) -> JsonObject:
    return request(method, {**(params or {}), "_meta": dict(ENVELOPE)}, id_)


def modern_headers(message: JsonObject) -> dict[str, str]:
    params = cast("JsonObject", message["params"])
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": str(message["method"])}
    name = params.get("name", params.get("uri", params.get("taskId")))
    return headers if name is None else {**headers, "mcp-name": str(name)}


@attrs.frozen
class SeenEvent:
    """One event of a stream; data without JSON is None."""

    id: str | None
    data: JsonObject | None


class Reading:
    """A response while it comes in."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.is_complete = False
        self.news = trio.Event()
        self.reading = trio.Event()
        self.reading.set()
        self.gone = trio.Event()

    async def send(self, message: AsgiMessage) -> None:
        await self.reading.wait()
        if message["type"] == "http.response.start":
            self.status = cast("int", message["status"])
            lines = cast("list[tuple[bytes, bytes]]", message["headers"])
            self.headers = {name.decode(): value.decode() for name, value in lines}
        else:
            self.body += cast("bytes", message.get("body", b""))
            self.is_complete = not message.get("more_body", False)
        self.news.set()
        self.news = trio.Event()

    @property
    def json(self) -> JsonObject:
        """The answer, which is an event where the machine was busy for 50 ms."""
        if self.headers["content-type"] == "text/event-stream":
            return self.last
        return cast("JsonObject", json.loads(self.body))

    @property
    def result(self) -> JsonObject:
        return cast("JsonObject", self.json["result"])

    @property
    def error(self) -> JsonObject:
        return cast("JsonObject", self.json["error"])

    @property
    def text(self) -> str:
        """The text of a tool's answer."""
        blocks = cast("list[JsonObject]", self.result["content"])
        return str(blocks[0]["text"])

    @property
    def last(self) -> JsonObject:
        data = self.events[-1].data
        assert data is not None
        return data

    @property
    def events(self) -> list[SeenEvent]:
        seen: list[SeenEvent] = []
        for block in self.body.decode().replace("\r\n", "\n").split("\n\n")[:-1]:
            fields = dict(
                line.split(": ", 1) for line in block.split("\n") if not line.startswith(":")
            )
            if fields:
                data = fields["data"]
                message = cast("JsonObject", json.loads(data)) if data else None
                seen.append(SeenEvent(fields.get("id"), message))
        return seen

    async def done(self) -> None:
        """Wait for the end."""
        while not self.is_complete:
            await self.news.wait()

    async def until(self, count: int) -> list[SeenEvent]:
        """Wait for so many events."""
        while not self.status or len(self.events) < count:
            await self.news.wait()
        return self.events


class Caller:
    """Sends requests to an app."""

    def __init__(self, app: HttpApp, nursery: trio.Nursery) -> None:
        self.app = app
        self.nursery = nursery
        self.headers: dict[str, str] = dict(POSTED)

    def start(
        self,
        message: JsonObject | bytes | None = None,
        *,
        method: str | None = "POST",
        path: str | None = "/mcp",
        **headers: str | None,
    ) -> Reading:
        """Begin a request; an underscore in the name of a header is a hyphen."""
        changes = {name.replace("_", "-"): value for name, value in headers.items()}
        lines = {**self.headers, **changes}
        scope: AsgiMessage = {
            "type": "http",
            "method": method,
            "path": path,
            "root_path": "",
            "query_string": b"",
            "headers": [
                (name.encode(), value.encode())
                for name, value in lines.items()
                if value is not None
            ],
        }
        body = message if isinstance(message, bytes) else b""
        if isinstance(message, dict):
            body = json.dumps(message).encode()
        reading = Reading()
        self.nursery.start_soon(self._run, scope, body, reading)
        return reading

    async def ask(
        self,
        message: JsonObject | bytes | None = None,
        *,
        method: str | None = "POST",
        path: str | None = "/mcp",
        **headers: str | None,
    ) -> Reading:
        """Send a request and wait for the whole answer."""
        reading = self.start(message, method=method, path=path, **headers)
        await reading.done()
        return reading

    async def ask_modern(self, message: JsonObject, **headers: str | None) -> Reading:
        """Send a modern request, with the headers that belong to it."""
        return await self.ask(message, **(modern_headers(message) | headers))

    async def open(self, version: str = "2025-11-25") -> Reading:
        """Begin a session; every later request belongs to it."""
        opened = await self.ask(request("initialize", {**OPENING, "protocolVersion": version}))
        self.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        self.headers["mcp-protocol-version"] = version
        await self.ask(notification("notifications/initialized"))
        return opened

    async def _run(self, scope: AsgiMessage, body: bytes, reading: Reading) -> None:
        unread: list[AsgiMessage] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> AsgiMessage:
            await trio.lowlevel.checkpoint()
            if unread:
                return unread.pop()
            await reading.gone.wait()
            return {"type": "http.disconnect"}

        await self.app(scope, receive, reading.send)


@asynccontextmanager
async def calling(
    service: Answering | Mapping[str, Answering],
    settings: HttpSettings | None = None,
    *,
    host: str = "127.0.0.1",
) -> AsyncGenerator[Caller, None]:
    """An app and somebody to call it, for a block."""
    services = service if isinstance(service, dict) else {"small": cast("Answering", service)}
    async with trio.open_nursery() as nursery, open_http_app(services, settings, host=host) as app:
        yield Caller(app, nursery)
        nursery.cancel_scope.cancel()
