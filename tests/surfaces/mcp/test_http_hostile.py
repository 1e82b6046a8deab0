"""Bytes that no client should send: each gets what it deserves, and the server goes on serving."""

from __future__ import annotations

import json
import logging
import socket
import struct
from typing import cast

import pytest
import trio

from tests.surfaces.mcp.http_caller import OPENING, call, modern, modern_headers, request
from tests.surfaces.mcp.http_service import Service, add, serving
from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.rpc import JsonObject

USUAL = (
    "Host: localhost\r\nContent-Type: application/json\r\n"
    "Accept: application/json, text/event-stream\r\n"
)


async def talk(exchange: Exchange) -> None:
    params: JsonObject = {"progressToken": 1, "progress": 1, "message": "x" * 10_000}
    while True:
        await exchange.notify("notifications/progress", params)


async def flood(arguments: JsonObject, exchange: Exchange) -> object:
    await talk(exchange)
    return None


def post(message: JsonObject, *lines: str, version: str = "HTTP/1.1") -> bytes:
    body = json.dumps(message).encode()
    head = f"POST /mcp {version}\r\n{USUAL}" + "".join(f"{line}\r\n" for line in lines)
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def good(*lines: str, version: str = "HTTP/1.1") -> bytes:
    message = modern("tools/call", {"name": "add", "arguments": {"a": 41, "b": 1}})
    headers = [f"{name}: {value}" for name, value in modern_headers(message).items()]
    return post(message, *headers, *lines, version=version)


def chunked(*chunks: bytes) -> bytes:
    message = modern("tools/list")
    lines = "".join(f"{name}: {value}\r\n" for name, value in modern_headers(message).items())
    head = f"POST /mcp HTTP/1.1\r\n{USUAL}{lines}Transfer-Encoding: chunked\r\n\r\n".encode()
    return head + b"".join(chunks)


LISTED = json.dumps(modern("tools/list")).encode()
TLS = bytes.fromhex("1603010200010001fc0303") + bytes(200)
HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
UPGRADE = (
    b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)

HOSTILE: dict[str, tuple[bytes, bytes]] = {
    "nothing": (b"", b""),
    "noise": (bytes(range(256)) * 4, b"HTTP/1.1 400 "),
    "a TLS hello": (TLS, b"HTTP/1.1 400 "),
    "half a request line": (b"POST /m", b""),
    "half the headers": (b"POST /mcp HTTP/1.1\r\nHost: loc", b""),
    "headers without an end": (b"GET / HTTP/1.1\r\nA: " + b"x" * 100_000, b"HTTP/1.1 431 "),
    "half a body": (good()[:-10], b""),
    "no host": (b"GET /mcp HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
    "two hosts": (b"GET /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"HTTP/1.1 400 "),
    "no length": (b"POST /mcp HTTP/1.1\r\n" + USUAL.encode() + b"\r\n", b"HTTP/1.1 400 "),
    "a length in words": (
        b"POST /mcp HTTP/1.1\r\n" + USUAL.encode() + b"Content-Length: ten\r\n\r\n",
        b"HTTP/1.1 400 ",
    ),
    "two lengths": (good("Content-Length: 3"), b"HTTP/1.1 400 "),
    "a huge length": (
        b"POST /mcp HTTP/1.1\r\n" + USUAL.encode() + b"Content-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 413 ",
    ),
    "chunks": (chunked(b"%x\r\n%s\r\n" % (len(LISTED), LISTED), b"0\r\n\r\n"), b"HTTP/1.1 200 "),
    "a chunk that is none": (chunked(b"zz\r\n"), b""),
    "an old protocol": (good(version="HTTP/1.0"), b"HTTP/1.1 200 "),
    "another protocol": (b"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", b"HTTP/1.1 404 "),
    "the next protocol": (HTTP2, b""),
    "a promise to wait": (good("Expect: 100-continue"), b"HTTP/1.1 "),
    "a web socket": (UPGRADE, b"HTTP/1.1 403 "),
    "a path of noise": (
        b"GET /%zz%ff%00/../mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"HTTP/1.1 404 ",
    ),
    "a whole address": (
        b"GET http://localhost/other HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"HTTP/1.1 404 ",
    ),
    "an asterisk": (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", b"HTTP/1.1 404 "),
}


async def connect(base: str) -> trio.SocketStream:
    return await trio.open_tcp_stream("127.0.0.1", int(base.rpartition(":")[2]))


async def read(stream: trio.SocketStream, text: bytes, count: int = 1) -> bytes:
    """What is answered until *text* has come so often; only a test that fails waits for long."""
    answer = b""
    with trio.fail_after(30):
        while answer.count(text) < count:
            data = await stream.receive_some()
            assert data, f"no more than {answer!r}"
            answer += data
    return answer


async def ask(base: str) -> None:
    """Ask something usual."""
    stream = await connect(base)
    await stream.send_all(good())
    await read(stream, b'"text":"42"')
    await stream.aclose()


@pytest.mark.parametrize("name", HOSTILE)
async def test_the_server_answers_and_goes_on(name: str, caplog: pytest.LogCaptureFixture) -> None:
    sent, expected = HOSTILE[name]
    async with serving(Service(add=add)) as base:
        stream = await connect(base)
        if sent:
            await stream.send_all(sent)
        assert not expected or (await read(stream, expected)).startswith(expected)
        await stream.aclose()
        await ask(base)

    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_requests_in_one_write_are_answered_one_after_the_other() -> None:
    async with serving(Service(add=add)) as base:
        stream = await connect(base)
        await stream.send_all(good() * 3)
        answers = await read(stream, b'"text":"42"', count=3)
        await stream.aclose()

    assert answers.count(b"HTTP/1.1 200 ") == 3


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_a_connection_that_is_reset_in_the_middle_costs_nothing(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(Service(flood=flood, add=add)) as base:
        lines: list[str] = []
        message = modern("tools/call", {"name": "flood"})
        if era == "handshake":
            opening = await connect(base)
            await opening.send_all(post(request("initialize", OPENING)))
            head = (await read(opening, b"\r\n\r\n")).decode().lower()
            session = head.partition("mcp-session-id: ")[2].partition("\r\n")[0]
            lines = [f"mcp-session-id: {session}"]
            message = call("flood", 2)
            await opening.aclose()
        else:
            lines = [f"{name}: {value}" for name, value in modern_headers(message).items()]
        stream = await connect(base)
        await stream.send_all(post(message, *lines))
        await read(stream, b"text/event-stream")
        linger = struct.pack("ii", 1, 0)
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        await stream.aclose()
        await ask(base)

    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_the_messages_are_what_they_seem() -> None:
    body = good().partition(b"\r\n\r\n")[2]
    assert cast("JsonObject", json.loads(body))["method"] == "tools/call"
