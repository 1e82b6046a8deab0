"""A plugin that is really served: `python -P -m trio_agent.serve`, in a process of its own."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.surfaces.mcp.child import Child, notification, request

if TYPE_CHECKING:
    from collections.abc import Generator

    from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId

PLUGINS: Final = Path(__file__).with_name("plugins")
DEPOT: Final = str(PLUGINS / "depot")
TRIALS: Final = str(PLUGINS / "trials")
COMMAND: Final = (sys.executable, "-P", "-m", "trio_agent.serve")
PATIENCE_S: Final = 30.0
"""Only a test that fails waits as long."""


def opening(name: str = "test", version: str = "2025-11-25") -> JsonObject:
    """What a client says first."""
    return {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    }


def call(
    name: str, id_: RequestId = 1, arguments: JsonObject | None = None, **meta: object
) -> bytes:
    """The line of a call; *meta* goes into its `_meta`."""
    params: JsonObject = {"name": name, "arguments": arguments or {}}
    if meta:
        params["_meta"] = meta
    return request("tools/call", params, id_)


@contextmanager
def served(*words: str, **options: Any) -> Generator[Child, None, None]:
    """Start a server; it is gone afterwards in any case, and so is what it started."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [*COMMAND, *words, "--no-heartbeat"]
    with subprocess.Popen(command, **{**pipes, "start_new_session": True, **options}) as process:
        try:
            yield Child(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def opened(
    plugin: str = TRIALS, *, client: str = "test", version: str = "2025-11-25", **options: Any
) -> Generator[Child, None, None]:
    """Start a server, and begin a session."""
    with served(plugin, **options) as child:
        child.call("initialize", opening(client, version), id_=0)
        child.write(notification("notifications/initialized", {}))
        yield child


def use(child: Child, name: str, id_: RequestId = 1, **arguments: object) -> Any:
    """Call a tool; its result."""
    return child.call("tools/call", {"name": name, "arguments": arguments}, id_)


def arriving(child: Child, text: bytes) -> list[bytes]:
    """What the server writes, read by read, until a whole line holds *text*."""
    reads: list[bytes] = []
    end = time.perf_counter() + PATIENCE_S
    while not (reads and text in reads[-1] and reads[-1].endswith(b"\n")):
        left = end - time.perf_counter()
        assert left > 0, f"only {reads!r}"
        if select.select([child.stdout], [], [], left)[0]:
            reads.append(os.read(child.stdout.fileno(), 1 << 20))
            assert reads[-1], f"no more than {reads!r}"
    return reads
