"""A server in a process of its own, from its start to its end, which is certain.

How it is ended, and with it everything that it started:

    its input is closed   and it has 2 s, as official clients give it
    SIGTERM               to its group, and it has 1 s more; at once when we are interrupted
    SIGKILL               to its group

Its standard error is ours.  What is said over its pipes is `caller`'s.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, cast, final

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from trio.abc import ReceiveStream, SendStream

    from trio_agent.surfaces.mcp.client.launch import Launch

PATIENCE_S: Final = 2.0
"""After its input was closed."""

GRACE_S: Final = 1.0
"""After SIGTERM."""

_REAP_S: Final = 1.0
"""Until a killed process is gone: longer only if the kernel itself is stuck in it."""

_CHUNK: Final = 65_536
_IS_POSIX: Final = os.name == "posix"


class LaunchError(Exception):
    """The process cannot be started; one line for the person who typed it."""


@final
class ServerProcess:
    """The pipes of a server that runs.  Made by `open_server_process`."""

    def __init__(self, process: trio.Process) -> None:
        self._process: Final = process
        # Both are pipes: that is how it was started.
        self._stdin: Final = cast("SendStream", process.stdin)
        self._stdout: Final = cast("ReceiveStream", process.stdout)

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        code = self._process.poll()
        if code is None:
            return "closed its output"
        if code >= 0:
            return f"ended with {code}"
        return f"was ended by signal {-code}"

    async def send(self, data: bytes) -> None:
        """Write all of *data*; a server that does not read any more is no error here."""
        try:
            await self._stdin.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint

    async def receive(self) -> bytes:
        """What it writes next; nothing when it will write no more."""
        data = bytes(await self._stdout.receive_some(_CHUNK))
        if not data:
            # Only to be able to say how it ended.
            with trio.move_on_after(_REAP_S):
                await self._process.wait()
        return data

    async def end(self) -> None:
        """End it, politely at first."""
        await trio.aclose_forcefully(self._stdin)
        with trio.move_on_after(PATIENCE_S):
            await self._process.wait()
        await self.stop()

    async def stop(self) -> None:
        """End it and its group now."""
        await trio.aclose_forcefully(self._stdin)
        self._signal("SIGTERM")
        with trio.move_on_after(GRACE_S):
            await self._process.wait()
        self._signal("SIGKILL")
        with trio.move_on_after(_REAP_S):
            await self._process.wait()
        await trio.aclose_forcefully(self._stdout)

    def _signal(self, name: str) -> None:
        if not _IS_POSIX:
            self._process.kill()
            return
        try:
            # Its id stays that of the group, and of nobody else, while one member is left.
            os.killpg(self._process.pid, signal.Signals[name])
        except (ProcessLookupError, PermissionError):
            # The second is what macOS says of a group of zombies.
            return


@asynccontextmanager
async def open_server_process(launch: Launch) -> AsyncGenerator[ServerProcess, None]:
    """Start a server for a block; nothing of it is left afterwards.

    Raises:
        LaunchError: it cannot be started.
    """
    try:
        process = await trio.lowlevel.open_process(  # noqa: TID251  # the one door to a process
            launch.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=launch.cwd,
            env={**os.environ, **launch.env},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise LaunchError(f"{launch.words[0]} cannot be started: {reason}") from error
    server = ServerProcess(process)
    ended = False
    try:
        yield server
        with trio.move_on_after(PATIENCE_S + GRACE_S + _REAP_S, shield=True):
            await server.end()
            ended = True
    finally:
        if not ended:
            with trio.move_on_after(GRACE_S + _REAP_S, shield=True):
                await server.stop()
