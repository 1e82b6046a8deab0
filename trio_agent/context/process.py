"""Child processes that end with whatever waits for them.

A child is the first of a process group (on POSIX), and whoever is cancelled while it waits takes
the whole group along: the shell, what the shell started, and what that left behind.  First they
are asked, then they are killed, and it is over within `children.GRACE_S` and a little more,
whoever holds which pipe.

Rules:

* a child never has our standard input or output: one of them may be a protocol's;
* what it writes is collected, up to a limit, and nobody waits for ever for its end: a program
  that leaves a daemon behind with the pipe in its hand has ended when it has ended;
* a child that ended by itself is left in peace, and so is what it started and meant to stay;
* on Windows only the child itself is killed, at once.

Not here: terminals, talking to a running child, and any parsing of command lines.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast, final

import attrs
import trio

from actors import open_supervisor
from trio_agent.context.children import CHILDREN, GRACE_S
from trio_agent.errors import TrioAgentError, abridge
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trio.abc import ReceiveStream, SendStream

    from actors import Supervisor

Word: TypeAlias = "str | os.PathLike[str]"

DRAIN_S: Final = 1.0
"""How long output is still read when the child has ended and somebody else has the pipe."""

MOST_OUTPUT: Final = 16 * 1024 * 1024
"""Bytes of each stream by default; a document could not hold a tenth of it."""

_POLL_S: Final = 0.02
"""Between two looks at a group that has been asked to end."""

_REAP_S: Final = 0.3
"""Until a killed process is gone: longer only if the kernel itself is stuck in it."""

_CHUNK: Final = 65_536
_SHOWN: Final = 500
_IS_POSIX: Final = os.name == "posix"


@final
@attrs.frozen(kw_only=True)
class CompletedProcess:
    """A child that has ended by itself.

    Attributes:
        command: as it was given.
        returncode: its exit code; negative is the signal that ended it.
        stdout: what it wrote.
        stderr: likewise.
    """

    command: tuple[str, ...]
    returncode: int
    stdout: bytes = attrs.field(repr=False)
    stderr: bytes = attrs.field(repr=False)

    __repr__ = shown

    @property
    def text(self) -> str:
        """Standard output as UTF-8; what is none is replaced."""
        return self.stdout.decode(errors="replace")


@final
class ProcessError(TrioAgentError):
    """A child could not be started, failed, or wrote too much.

    Attributes:
        completed: what there is of it, if it ended by itself.
    """

    def __init__(self, message: str, completed: CompletedProcess | None = None) -> None:
        super().__init__("process-failed", message)
        self.completed: Final = completed


class RunsProcess(Protocol):
    """The type of `run_process`."""

    async def __call__(
        self,
        command: Sequence[Word],
        *,
        input: str | bytes | None = None,  # noqa: A002  # as everywhere else
        cwd: Word | None = None,
        env: Mapping[str, str] | None = None,
        check: bool = True,
        most_output: int = MOST_OUTPUT,
    ) -> CompletedProcess:
        """See `run_process`."""
        ...


async def run_process(
    command: Sequence[Word],
    *,
    input: str | bytes | None = None,  # noqa: A002  # as everywhere else
    cwd: Word | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = True,
    most_output: int = MOST_OUTPUT,
) -> CompletedProcess:
    """Run a program and wait for it.

    Args:
        command: the program and its arguments; no shell reads them.
        input: for its standard input, text as UTF-8; nothing if None.
        cwd: directory to run it in; ours if None.
        env: its whole environment; ours if None.
        check: whether a return code other than 0 is an error.
        most_output: bytes of each stream.

    Raises:
        ProcessError: it cannot be started, wrote more than that, or failed and *check* is true.
        Cancelled: nothing of its group is left.
    """
    words = _words_of(command)
    if words is None:
        raise ProcessError(
            f"a command is a list of words, such as ['git', 'status'], received {abridge(command)}"
        )
    data = input.encode() if isinstance(input, str) else input
    child = await _start(words, data, cwd=cwd, env=env, most_output=most_output)
    try:
        await child.attend()
    finally:
        with trio.move_on_after(GRACE_S + _REAP_S, shield=True):
            await child.end()
        CHILDREN.remove(child.pid)
        with trio.move_on_after(_REAP_S, shield=True):
            await child.close()
    return child.complete(check=check)


def _words_of(command: object) -> tuple[str, ...] | None:
    """The words of a command; None when it is none."""
    if not isinstance(command, (list, tuple)):
        return None
    words = cast("Sequence[object]", command)
    if not words or not all(isinstance(word, (str, os.PathLike)) for word in words):
        return None
    return tuple(os.fspath(cast("Word", word)) for word in words)


async def _start(
    words: tuple[str, ...],
    data: bytes | None,
    *,
    cwd: Word | None,
    env: Mapping[str, str] | None,
    most_output: int,
) -> _Child:
    try:
        process = await trio.lowlevel.open_process(  # noqa: TID251  # the one door to a process
            words,
            stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ProcessError(f"{words[0]} cannot be started: {reason}") from error
    CHILDREN.add(process.pid)
    return _Child(words, process, data or b"", most_output)


@final
class _Child:
    """A child that has been started, and has to be ended and closed."""

    def __init__(
        self, words: tuple[str, ...], process: trio.Process, data: bytes, most_output: int
    ) -> None:
        self._words: Final = words
        self._process: Final = process
        self._data: Final = data
        self._most: Final = most_output
        self._stdout: Final = bytearray()
        self._stderr: Final = bytearray()
        self._reading = 2
        self._is_drained: Final = trio.Event()
        self._overflow: str | None = None
        self._has_ended = False
        self.pid: Final = process.pid

    async def attend(self) -> None:
        """Feed it, listen to it, and wait until it has ended."""
        process = self._process
        async with open_supervisor() as supervisor:
            if process.stdin is not None:
                supervisor.call(self._feed, process.stdin)
            # Both are pipes: that is how it was started.
            stdout, stderr = (
                cast("ReceiveStream", stream) for stream in (process.stdout, process.stderr)
            )
            supervisor.call(self._read, stdout, self._stdout, supervisor)
            supervisor.call(self._read, stderr, self._stderr, supervisor)
            await process.wait()
            with trio.move_on_after(DRAIN_S):
                await self._is_drained.wait()
            supervisor.stop("the child has ended")
        self._has_ended = self._overflow is None

    async def _feed(self, stream: SendStream) -> None:
        # A program may well end without having read everything.
        with suppress(trio.BrokenResourceError):
            await stream.send_all(self._data)
        await stream.aclose()

    async def _read(
        self, stream: ReceiveStream, written: bytearray, supervisor: Supervisor
    ) -> None:
        while chunk := await stream.receive_some(_CHUNK):
            written += chunk
            if len(written) > self._most:
                self._overflow = "stdout" if written is self._stdout else "stderr"
                supervisor.stop("too much output")
        self._reading -= 1
        if not self._reading:
            self._is_drained.set()

    async def close(self) -> None:
        """Let go of the pipes."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                await trio.aclose_forcefully(stream)

    async def end(self) -> None:
        """End it with its group, unless it ended by itself."""
        if self._has_ended:
            return
        if _IS_POSIX:
            self._signal_group(signal.SIGTERM)
            give_up = trio.current_time() + CHILDREN.grace_s
            # No event: nothing in a system tells when the last of a group has ended.
            while self._is_group_alive() and trio.current_time() < give_up:  # noqa: ASYNC110  # see above
                await trio.sleep(_POLL_S)
            self._signal_group(signal.SIGKILL)
        else:
            self._process.kill()
        await self._process.wait()

    def _is_group_alive(self) -> bool:
        return self._process.returncode is None or self._signal_group(0)

    def _signal_group(self, number: int) -> bool:
        """Send a signal; False when there is nobody any more."""
        try:
            # Its id stays that of the group, and of nobody else, while one member is left.
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            # The second is what macOS says of a group of zombies.
            return False
        return True

    def complete(self, *, check: bool) -> CompletedProcess:
        """What came of it.

        Raises:
            ProcessError: see `run_process`.
        """
        name = self._words[0]
        if self._overflow is not None:
            raise ProcessError(
                f"{name} wrote more than {self._most} bytes to {self._overflow}, and was ended"
            )
        completed = CompletedProcess(
            command=self._words,
            returncode=cast("int", self._process.returncode),
            stdout=bytes(self._stdout),
            stderr=bytes(self._stderr),
        )
        if check and completed.returncode:
            raise ProcessError(f"{name} {_ending(completed)}", completed)
        return completed


def _ending(completed: CompletedProcess) -> str:
    """How it failed, and the last it had to say."""
    code = completed.returncode
    how = f"ended with {code}"
    if code < 0:
        with suppress(ValueError):
            how = f"was ended by {signal.Signals(-code).name}"
    lines = completed.stderr.decode(errors="replace").strip().splitlines()
    return f"{how}: {lines[-1][:_SHOWN]}" if lines else how
