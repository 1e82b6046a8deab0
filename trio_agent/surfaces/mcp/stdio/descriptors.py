"""Descriptors: the two ends of a connection, as the operating system has them.

Pipes and sockets are waited for by the event loop.  Regular files are always ready.  Terminals,
other devices, and pipes on Windows are read and written in threads, which are abandoned when we
leave.

Rules:

* the input is read when it is ready, so its descriptor need not be made non-blocking;
* the output is made non-blocking, because one must be able to try; how it was before is restored
  by `close`, for others may share it;
* a descriptor belongs to whoever opened it, and is not closed here: an abandoned thread may still
  use its number.

Not here: frames, and in which order they are written (`outlet`).
"""

from __future__ import annotations

import array
import contextlib
import os
import select
import stat
from typing import TYPE_CHECKING, Final, Protocol, final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK: Final = 65_536
"""Bytes of one read: what a pipe holds on Linux."""


class Source(Protocol):
    """Where bytes come from."""

    async def receive(self) -> bytes:
        """Wait for some bytes; none at all means the end, for good."""
        ...


class Drain(Protocol):
    """Where bytes go."""

    def write_nowait(self, data: bytes | memoryview) -> int:
        """Write as much of *data* as there is room for; how much that was.  Never waits.

        Raises:
            OSError: it cannot be written; `BrokenPipeError` when nobody reads any more.
        """
        ...

    async def write(self, take: Callable[[], bytes | memoryview]) -> int:
        """Write some of what *take* gives; how much that was.

        It is asked once there is room, as late as can be, and may then give nothing.

        Raises:
            OSError: as above.
        """
        ...

    def count_unread(self) -> int:
        """How many bytes were written that the reader has not taken yet; rather too many.

        0 also where nobody can tell.
        """
        ...

    async def wait_gone(self) -> None:
        """Wait until nobody reads any more; for ever where nobody can tell."""
        ...

    def close(self) -> None:
        """Leave the descriptor as it was, and open."""
        ...


def open_source(fd: int) -> Source:
    """A source that reads *fd*."""
    mode = os.fstat(fd).st_mode
    if _is_pollable(mode):
        return PolledSource(fd)
    return FileSource(fd) if stat.S_ISREG(mode) else ThreadedSource(fd)


def open_drain(fd: int) -> Drain:
    """A drain that writes to *fd*; it has to be closed."""
    mode = os.fstat(fd).st_mode
    if _is_pollable(mode):
        return PolledDrain(fd)
    return FileDrain(fd) if stat.S_ISREG(mode) else ThreadedDrain(fd)


def _is_pollable(mode: int) -> bool:
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


@final
class PolledSource:
    """A pipe or a socket that is read."""

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd

    async def receive(self) -> bytes:
        """See `Source.receive`."""
        while True:
            # Not an `FdStream`: that makes the descriptor non-blocking for whoever shares it.
            await trio.lowlevel.wait_readable(self._fd)  # noqa: TID251  # the only way to wait for it
            try:
                return os.read(self._fd, CHUNK)
            except BlockingIOError:  # somebody else made it non-blocking, and reads it
                continue
            except OSError:  # a socket whose other end was reset
                return b""


@final
class PolledDrain:
    """A pipe or a socket that is written to."""

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd
        self._is_socket: Final = stat.S_ISSOCK(os.fstat(fd).st_mode)
        self._was_blocking: Final = os.get_blocking(fd)
        os.set_blocking(fd, False)

    def write_nowait(self, data: bytes | memoryview) -> int:
        """See `Drain.write_nowait`."""
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0

    async def write(self, take: Callable[[], bytes | memoryview]) -> int:
        """See `Drain.write`."""
        await trio.lowlevel.wait_writable(self._fd)  # noqa: TID251  # the only way to wait for it
        return self.write_nowait(take())

    def count_unread(self) -> int:
        """See `Drain.count_unread`."""
        # lazy: Windows has neither.
        import fcntl  # noqa: PLC0415
        import termios  # noqa: PLC0415

        # Of a pipe Linux tells the bytes in it, at either end; of a socket what they take up.
        number = termios.TIOCOUTQ if self._is_socket else termios.FIONREAD
        count = array.array("i", [0])
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._fd, number, count)
        return count[0]

    async def wait_gone(self) -> None:
        """See `Drain.wait_gone`."""
        # A pipe whose reader has left is "readable"; a socket also when its reader sends something.
        with contextlib.suppress(OSError):  # not every system waits for that end of a pipe
            await trio.lowlevel.wait_readable(self._fd)  # noqa: TID251  # the only way to wait for it
        if not _has_hung_up(self._fd):
            await trio.sleep_forever()

    def close(self) -> None:
        """See `Drain.close`."""
        os.set_blocking(self._fd, self._was_blocking)


def _has_hung_up(fd: int) -> bool:
    poll = select.poll()
    poll.register(fd, 0)
    return bool(poll.poll(0))


@final
class FileSource:
    """A regular file that is read."""

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd

    async def receive(self) -> bytes:
        """See `Source.receive`."""
        await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
        return os.read(self._fd, CHUNK)


@final
class FileDrain:
    """A regular file that is written to."""

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd

    def write_nowait(self, data: bytes | memoryview) -> int:
        """See `Drain.write_nowait`."""
        return os.write(self._fd, data)

    async def write(self, take: Callable[[], bytes | memoryview]) -> int:
        """See `Drain.write`; only for what a full disk has cut."""
        await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
        return os.write(self._fd, take())

    def count_unread(self) -> int:
        """See `Drain.count_unread`."""
        return 0

    async def wait_gone(self) -> None:
        """See `Drain.wait_gone`."""
        await trio.sleep_forever()

    def close(self) -> None:
        """See `Drain.close`."""


@final
class ThreadedSource:
    """A terminal, a device, or a pipe on Windows, that is read."""

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd
        # Its own, since the thread stays in there for as long as nothing comes.
        self._limiter: Final = trio.CapacityLimiter(1)

    async def receive(self) -> bytes:
        """See `Source.receive`."""
        try:
            return await trio.to_thread.run_sync(
                os.read, self._fd, CHUNK, abandon_on_cancel=True, limiter=self._limiter
            )
        except OSError:  # a terminal that was hung up
            return b""


@final
class ThreadedDrain:
    """A terminal, a device, or a pipe on Windows, that is written to."""

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd
        self._limiter: Final = trio.CapacityLimiter(1)

    def write_nowait(self, data: bytes | memoryview) -> int:
        """See `Drain.write_nowait`: nobody can know whether there is room."""
        del data
        return 0

    async def write(self, take: Callable[[], bytes | memoryview]) -> int:
        """See `Drain.write`."""
        return await trio.to_thread.run_sync(
            os.write, self._fd, take(), abandon_on_cancel=True, limiter=self._limiter
        )

    def count_unread(self) -> int:
        """See `Drain.count_unread`."""
        return 0

    async def wait_gone(self) -> None:
        """See `Drain.wait_gone`."""
        await trio.sleep_forever()

    def close(self) -> None:
        """See `Drain.close`."""
