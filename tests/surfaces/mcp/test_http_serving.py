"""A server process over HTTP: where it listens, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import pytest

from tests.surfaces.mcp.http_caller import OPENING, POSTED, call, modern, modern_headers, request
from trio_agent.surfaces.mcp.http.serving import Address, AddressError
from trio_agent.surfaces.mcp.rpc import CONNECTION_CLOSED, JsonObject

if TYPE_CHECKING:
    from collections.abc import Generator

SERVER = Path(__file__).with_name("http_child_server.py")
PATIENCE_S = 30.0
"""Only a test that fails waits as long."""


class Server:
    """A running server, seen from a client."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.stderr = cast("IO[bytes]", process.stderr)
        self.url = self.hear(b"serving").split()[-1].decode()
        self.port = int(self.url.split(":")[-1].partition("/")[0])

    def hear(self, text: bytes) -> bytes:
        """Read standard error until a line that holds *text*; that line."""
        for line in self.stderr:
            if text in line:
                return line
        raise AssertionError(f"never said {text!r}")

    @contextmanager
    def asking(
        self, message: JsonObject, **headers: str
    ) -> Generator[http.client.HTTPConnection, None, None]:
        """Send a request and leave the answer to the block."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request("POST", "/mcp", json.dumps(message), {**POSTED, **headers})
            yield connection
        finally:
            connection.close()

    def open(self) -> dict[str, str]:
        """Begin a session: the headers of its requests."""
        with self.asking(request("initialize", OPENING)) as connection:
            answer = connection.getresponse()
            answer.read()
            return {"mcp-session-id": str(answer.headers["mcp-session-id"])}

    def end(self, number: signal.Signals) -> int:
        """Send a signal: the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@contextmanager
def started(*words: str) -> Generator[Server, None, None]:
    """Start a server; it is gone afterwards in any case."""
    command = [sys.executable, str(SERVER), *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            yield Server(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


# --------------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:8080", "127.0.0.1", 8080),
        ("localhost:0", "localhost", 0),
        ("[::1]:65535", "::1", 65535),
    ],
)
def test_an_address_is_read_and_written(text: str, host: str, port: int) -> None:
    address = Address.read(text)

    assert (address.host, address.port) == (host, port)
    assert str(address) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "8080", ":8080", "localhost", "localhost:", "localhost:http", "localhost:65536"),
        *("::1:8080", "[::1]", "[::1:8080", "[localhost]:80", "[]:80"),
        *("h:-1", "h:\u0661", "h:1_0"),
    ],
)
def test_what_is_no_address_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(AddressError, match=r"^expected HOST:PORT, such as .*, received ") as caught:
        Address.read(text)

    assert "\n" not in str(caught.value)
    assert repr(text) in str(caught.value)


def run(*words: str) -> tuple[int, str]:
    command = [sys.executable, str(SERVER), *words]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)
    assert done.stdout == b""
    return done.returncode, done.stderr.decode()


def test_a_port_that_is_taken_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = run(f"127.0.0.1:{port}")

    assert code == 1
    assert said == f"cannot listen at 127.0.0.1:{port}: Address already in use\n"


def test_a_host_that_is_not_ours_is_one_clear_line() -> None:
    code, said = run("192.0.2.1:8080")

    assert code == 1
    assert said.startswith("cannot listen at 192.0.2.1:8080: ")
    assert said.count("\n") == 1


def test_a_host_that_does_not_exist_is_one_clear_line() -> None:
    code, said = run("host.invalid:8080")

    assert code == 1
    assert said.startswith("host.invalid:8080: no such host: ")
    assert said.count("\n") == 1


# ------------------------------------------------------------------------------- ending


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_an_idle_server_at_once(number: signal.Signals, code: int) -> None:
    with started("127.0.0.1:0", "600") as server:
        assert server.url == f"http://127.0.0.1:{server.port}/mcp"
        headers = server.open()
        # A connection that is kept, and a stream that is read, are no reasons to wait.
        with server.asking(request("ping"), **headers) as kept:
            kept.getresponse().read()
            own = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
            own.request("GET", "/mcp", headers={**POSTED, **headers})
            stream = own.getresponse()
            assert server.end(number) == code
            # Its last chunk is there, so it ended and was not cut off.
            assert stream.read().startswith(b"id: 0-0\n")
            own.close()
        assert server.stderr.read() == b""
        assert cast("IO[bytes]", server.process.stdout).read() == b""


def test_of_several_servers_each_is_said() -> None:
    with started("127.0.0.1:0", "1", "two") as server:
        assert server.url.endswith("/mcp/one")
        assert server.hear(b"serving").rstrip().endswith(b"/mcp/two")
        assert server.end(signal.SIGTERM) == 143


def test_with_a_verifier_nobody_comes_in_without_a_token() -> None:
    with started("127.0.0.1:0", "1", "token") as server:
        message = modern("server/discover")
        for token, status in (("bad", 401), ("good", 200)):
            headers = modern_headers(message) | {"authorization": f"Bearer {token}"}
            with server.asking(message, **headers) as connection:
                assert connection.getresponse().status == status


def test_a_call_has_its_grace() -> None:
    with started("127.0.0.1:0", "20") as server:
        headers = server.open()
        with server.asking(call("sleep", 2, s=0.5), **headers) as connection:
            server.hear(b"asleep")
            server.process.send_signal(signal.SIGTERM)
            answer = connection.getresponse()
            assert b'"slept"' in answer.read()
        assert server.process.wait(PATIENCE_S) == 143


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_after_the_grace_who_waits_is_told_and_the_call_cleans_up(era: str) -> None:
    with started("127.0.0.1:0", "0.1") as server:
        message, headers = call("sleep", 2, s=600), server.open()
        if era == "modern":
            message = modern("tools/call", {"name": "sleep", "arguments": {"s": 600}})
            headers = modern_headers(message)
        with server.asking(message, **headers) as connection:
            server.hear(b"asleep")
            server.process.send_signal(signal.SIGTERM)
            assert f'"code":{CONNECTION_CLOSED}'.encode() in connection.getresponse().read()
        assert server.process.wait(PATIENCE_S) == 143
        assert b"cleaned up" in server.stderr.read()


def test_a_client_that_does_not_read_does_not_hold_up_the_end() -> None:
    with started("127.0.0.1:0", "0.1") as server:
        headers = server.open()
        with server.asking(call("flood", 2), **headers):
            server.hear(b"flooding")
            assert server.end(signal.SIGTERM) == 143
        assert b"did not end in time" not in server.stderr.read()


def test_no_new_connection_is_accepted_while_it_ends() -> None:
    with started("127.0.0.1:0", "20") as server:
        headers = server.open()
        with server.asking(call("sleep", 2, s=1), **headers) as connection:
            server.hear(b"asleep")
            server.process.send_signal(signal.SIGTERM)
            while True:
                try:
                    socket.create_connection(("127.0.0.1", server.port)).close()
                except ConnectionError:
                    break
            connection.getresponse().read()
        assert server.process.wait(PATIENCE_S) == 143
