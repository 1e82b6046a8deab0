from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.surfaces.cli.plugins import need_pseudo_terminals
from trio_agent.surfaces.mcp.stdio.descriptors import (
    FileDrain,
    FileSource,
    PolledDrain,
    PolledSource,
    ThreadedDrain,
    ThreadedSource,
    open_drain,
    open_source,
)

need_pseudo_terminals()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):  # a test may close its end
            os.close(end)


async def test_a_pipe_is_read_as_it_comes_until_its_end(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    source = open_source(reading)
    assert isinstance(source, PolledSource)

    os.write(writing, b"abc")
    assert await source.receive() == b"abc"
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def _() -> None:
            assert await source.receive() == b"def"

        await trio.testing.wait_all_tasks_blocked()
        os.write(writing, b"def")
    assert os.get_blocking(reading)
    os.close(writing)
    assert await source.receive() == b""
    assert await source.receive() == b""


async def test_somebody_else_may_make_the_pipe_non_blocking_and_read_it(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = pipe
    os.set_blocking(reading, False)
    os.write(writing, b"abc")
    waits = iter([None, None])

    async def hurry(fd: int) -> None:
        await trio.lowlevel.checkpoint()
        if next(waits, 0) == 0:
            os.write(writing, b"def")

    monkeypatch.setattr(trio.lowlevel, "wait_readable", hurry)
    source = PolledSource(reading)
    assert await source.receive() == b"abc"
    assert await source.receive() == b"def"


async def test_a_socket_that_was_reset_has_ended() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        ours.send(b"unread")
        theirs.close()
        assert await open_source(ours.fileno()).receive() == b""


async def test_a_pipe_takes_what_it_has_room_for_and_is_left_as_it_was(
    pipe: tuple[int, int],
) -> None:
    reading, writing = pipe
    drain = open_drain(writing)
    assert isinstance(drain, PolledDrain)
    asked = list[str]()

    def take() -> bytes:
        asked.append("take")
        return b"more"

    while drain.write_nowait(b"x" * 4096):
        pass
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def _() -> None:
            assert await drain.write(take) == 4

        await trio.testing.wait_all_tasks_blocked()
        assert asked == []
        os.read(reading, 65_536)
    assert asked == ["take"]
    assert not os.get_blocking(writing)
    drain.close()
    assert os.get_blocking(writing)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody may be able to tell")
async def test_pipes_and_sockets_tell_what_was_not_read(pipe: tuple[int, int]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for reading, writing in (pipe, (theirs.fileno(), ours.fileno())):
            drain = open_drain(writing)
            assert drain.count_unread() == 0
            drain.write_nowait(b"x" * 100)
            assert drain.count_unread() >= 100
            os.read(reading, 100)
            assert drain.count_unread() == 0
            drain.close()


async def test_where_nobody_can_tell_everything_counts_as_read(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def refuse(*arguments: object) -> None:
        raise OSError(25, "Inappropriate ioctl for device")

    monkeypatch.setattr(fcntl, "ioctl", refuse)
    drain = open_drain(pipe[1])
    drain.write_nowait(b"x")
    assert drain.count_unread() == 0


async def test_a_pipe_notices_that_its_reader_leaves(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    drain = open_drain(writing)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(drain.wait_gone)
        await trio.testing.wait_all_tasks_blocked()
        assert nursery.child_tasks
        os.close(reading)
    with pytest.raises(BrokenPipeError):
        drain.write_nowait(b"x")


async def test_a_socket_notices_too_and_is_not_mistaken_when_something_is_sent_to_it() -> None:
    for chatty in (False, True):
        ours, theirs = socket.socketpair()
        with ours:
            drain = open_drain(ours.fileno())
            async with trio.open_nursery() as nursery:
                nursery.start_soon(drain.wait_gone)
                await trio.testing.wait_all_tasks_blocked()
                if chatty:
                    theirs.send(b"?")
                    await trio.testing.wait_all_tasks_blocked(0.01)
                    assert nursery.child_tasks
                    nursery.cancel_scope.cancel()
                theirs.close()


async def test_where_nobody_can_wait_for_the_reader_to_leave_it_goes_unnoticed(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(fd: int) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(trio.lowlevel, "wait_readable", refuse)
    with trio.move_on_after(0) as scope:
        await open_drain(pipe[1]).wait_gone()
    assert scope.cancelled_caught


async def test_a_file_is_read_and_written_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"abc")
    with (tmp_path / "in").open("rb") as input_, (tmp_path / "out").open("wb") as output:
        source, drain = open_source(input_.fileno()), open_drain(output.fileno())
        assert isinstance(source, FileSource)
        assert isinstance(drain, FileDrain)
        with trio.testing.assert_checkpoints():
            assert await source.receive() == b"abc"
        assert await source.receive() == b""
        assert drain.write_nowait(b"def") == 3
        assert drain.count_unread() == 0
        with trio.testing.assert_checkpoints():
            assert await drain.write(lambda: b"ghi") == 3
        with trio.move_on_after(0) as scope:
            await drain.wait_gone()
        assert scope.cancelled_caught
        drain.close()
    assert (tmp_path / "out").read_bytes() == b"defghi"


async def test_a_terminal_is_read_and_written_in_threads() -> None:
    import pty

    outside, inside = pty.openpty()
    source, drain = open_source(inside), open_drain(inside)
    assert isinstance(source, ThreadedSource)
    assert isinstance(drain, ThreadedDrain)
    try:
        os.write(outside, b"typed\n")
        assert await source.receive() == b"typed\n"
        os.read(outside, 100)
        assert (drain.write_nowait(b"x"), drain.count_unread()) == (0, 0)
        assert await drain.write(lambda: b"shown") == 5
        assert os.read(outside, 100) == b"shown"
        with trio.move_on_after(0):
            await drain.wait_gone()
        drain.close()
        # Whoever stops waiting leaves the thread behind.
        with trio.move_on_after(0.01) as scope:
            await source.receive()
        assert scope.cancelled_caught
        os.write(outside, b"for the thread\n")
    finally:
        os.close(outside)
    assert await source.receive() == b""
    os.close(inside)


async def test_a_terminal_that_was_hung_up_has_ended() -> None:
    import pty

    outside, inside = pty.openpty()
    os.close(inside)
    assert await ThreadedSource(outside).receive() == b""
    os.close(outside)


async def test_the_null_device_has_ended() -> None:
    with Path(os.devnull).open("rb") as null:
        assert await open_source(null.fileno()).receive() == b""
