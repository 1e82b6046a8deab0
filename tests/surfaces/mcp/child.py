"""A server in a process of its own, seen from its client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId

if TYPE_CHECKING:
    from collections.abc import Generator

SERVER = Path(__file__).with_name("child_server.py")
PATIENCE_S = 30.0
"""Only a test that fails waits as long."""


class Child:
    """A running server."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.stdin = cast("IO[bytes]", process.stdin)
        self.stdout = cast("IO[bytes]", process.stdout)
        self.stderr = cast("IO[bytes]", process.stderr)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, to it alone."""
        self.process.send_signal(number)

    def write(self, *lines: bytes) -> None:
        """Write lines, each with an end."""
        self.stdin.write(b"".join(line + b"\n" for line in lines))
        self.stdin.flush()

    def send(self, method: str, params: JsonObject | None = None, id_: RequestId = 1) -> None:
        """Send a request."""
        self.write(request(method, params, id_))

    def read(self) -> Any:
        """The next message."""
        line = self.stdout.readline()
        assert line.endswith(b"\n"), f"no more lines, only {line!r}"
        return json.loads(line)

    def call(self, method: str, params: JsonObject | None = None, id_: RequestId = 1) -> Any:
        """Send a request; the result that comes next."""
        self.send(method, params, id_)
        answer = self.read()
        assert answer["id"] == id_, answer
        return answer["result"]

    def hear(self, text: bytes) -> bytes:
        """Read standard error until a line that holds *text*; that line."""
        for line in self.stderr:
            if text in line:
                return line
        raise AssertionError(f"never said {text!r}")

    def end(self) -> tuple[int, list[Any], str]:
        """Close its input, and wait: exit code, messages that were left, standard error."""
        self.stdin.close()
        return self.wait()

    def wait(self) -> tuple[int, list[Any], str]:
        """Wait for its end, its input open: the same."""
        code = self.process.wait(PATIENCE_S)
        lines = [json.loads(line) for line in self.stdout.read().splitlines()]
        return code, lines, "" if self.process.stderr is None else self.stderr.read().decode()


def request(method: str, params: JsonObject | None = None, id_: RequestId = 1) -> bytes:
    """The line of a request."""
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}
    return json.dumps(message).encode()


def notification(method: str, params: JsonObject) -> bytes:
    """The line of a notification."""
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


@contextmanager
def started(*words: str, **options: Any) -> Generator[Child, None, None]:
    """Start a server; it is gone afterwards in any case."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, str(SERVER), *words]
    with subprocess.Popen(command, **{**pipes, "start_new_session": True, **options}) as process:
        try:
            yield Child(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
