"""An MCP server in a process of its own, and the least of a client that can measure it.

The client is bytes over pipes and blocks: whatever it did besides would be measured too.  Its
answers are read as JSON only when somebody looks at them.

Above: `mcp_stdio`, `mcp_start`, `ts_client`, `http_sessions`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, final

from benchmarks.harness import MeasurementError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

ROOT: Final = Path(__file__).parents[1]
PEERS: Final = Path(__file__).parent / "peers"
TYPESCRIPT: Final = Path(__file__).parent / "typescript"

ADD: Final = '''"""A trivial tool."""

from trio_agent import tool


@tool(description="Add two numbers.")
async def add(a: int, b: int) -> str:
    """Add them."""
    return str(a + b)
'''

_PATIENCE_S: Final = 120.0
"""After which a server that says nothing is killed, so that a measurement ends."""

INITIALIZE: Final[Mapping[str, object]] = {
    "jsonrpc": "2.0",
    "id": "first",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}
INITIALIZED: Final[Mapping[str, object]] = {
    "jsonrpc": "2.0",
    "method": "notifications/initialized",
}
LIST: Final[Mapping[str, object]] = {
    "jsonrpc": "2.0",
    "id": "list",
    "method": "tools/list",
    "params": {},
}


def call_of(id_: int) -> dict[str, object]:
    """A call of the trivial tool; its answer is the id and 2 more."""
    params = {"name": "add", "arguments": {"a": id_, "b": 2}}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


def check_call(answer: Mapping[str, object]) -> None:
    """See that a call was answered with the sum, as one block of text.

    Raises:
        MeasurementError: it was not.
    """
    id_, result = answer.get("id"), answer.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    expected = [{"type": "text", "text": str(id_ + 2)}] if isinstance(id_, int) else None
    if content is None or content != expected:
        raise MeasurementError(f"a call was answered with {answer!r:.200}")


def encode(message: Mapping[str, object]) -> bytes:
    """The frame of a message."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def write_plugin(folder: Path, more: Mapping[str, str] | None = None) -> Path:
    """A plugin below *folder* with one server and the trivial tool.

    Args:
        folder: exists.
        more: the code of other tools, by name.
    """
    tools = folder / "bench" / "mcp" / "bench" / "tools"
    tools.mkdir(parents=True)
    for name, code in {"add": ADD, **(more or {})}.items():
        (tools / f"{name}.py").write_text(code, encoding="utf-8")
    return folder / "bench"


def serve_command(plugin: Path) -> list[str]:
    """How a host starts a plugin's server."""
    return [sys.executable, "-P", "-m", "trio_agent.serve", str(plugin)]


def peer_command(name: str, *arguments: str) -> list[str]:
    """How one of the servers in `peers` is started."""
    return [sys.executable, "-P", str(PEERS / f"{name}.py"), *arguments]


def make_environment() -> dict[str, str]:
    """That of this process, in which a child finds this checkout."""
    # With PYTHONDONTWRITEBYTECODE, what is not compiled yet would be compiled at every start.
    kept = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH"))))
    return {**kept, "PYTHONPATH": path}


def read_resident_kib(pid: int) -> int:
    """Resident memory of a process.

    Raises:
        MeasurementError: this system does not tell.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError as error:
        raise MeasurementError(f"resident memory is read as on Linux: {error}") from None
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1])


@final
class McpProcess:
    """A server, and its only client.  Used as `with McpProcess(...) as server:`.

    Args:
        argv: what to start.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv: Final = argv
        self._process: Final = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=make_environment(),
        )
        self._guard: Final = threading.Timer(_PATIENCE_S, self._process.kill)
        self._guard.daemon = True
        self._guard.start()
        self._ids: Final[Iterator[int]] = iter(range(1, 1 << 40))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        self._guard.cancel()

    def send(self, data: bytes) -> None:
        """Write frames."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def receive(self) -> bytes:
        """The next frame.

        Raises:
            MeasurementError: the server has ended.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise MeasurementError(f"{' '.join(self._argv)} ended without an answer")
        return line

    def initialize(self) -> None:
        """Shake hands."""
        self.send(encode(INITIALIZE))
        answer = json.loads(self.receive())
        if "result" not in answer:
            raise MeasurementError(f"initialize was answered with {answer!r:.200}")
        self.send(encode(INITIALIZED))

    def call(self, count: int, in_flight: int = 1) -> list[float]:
        """Call the trivial tool, some calls at a time, and check every answer afterwards.

        Args:
            count: of calls, a multiple of *in_flight*.
            in_flight: how many are sent at once and then waited for.

        Returns:
            Elapsed seconds of each group.
        """
        groups = [
            b"".join(encode(call_of(next(self._ids))) for _ in range(in_flight))
            for _ in range(count // in_flight)
        ]
        seconds: list[float] = []
        answers: list[bytes] = []
        for group in groups:
            started = time.perf_counter()
            self.send(group)
            answers += [self.receive() for _ in range(in_flight)]
            seconds.append(time.perf_counter() - started)
        for answer in answers:
            check_call(json.loads(answer))
        return seconds

    def cpu_seconds(self) -> float:
        """Processor time of the process so far, all its threads.

        Raises:
            MeasurementError: this system does not tell.
        """
        # The clock of another process, as the C library's clock_getcpuclockid numbers it on Linux:
        # nanoseconds, where /proc has hundredths of a second.
        clock = (~self._process.pid << 3) | 2
        try:
            return time.clock_gettime(clock)
        except (AttributeError, OSError) as error:
            raise MeasurementError(f"processor time is read as on Linux: {error}") from None

    def resident_kib(self) -> int:
        """Resident memory.

        Raises:
            MeasurementError: this system does not tell.
        """
        return read_resident_kib(self._process.pid)
