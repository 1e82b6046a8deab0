from __future__ import annotations

import logging

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from actors import open_supervisor
from tests.surfaces.mcp.talking import Wire
from trio_agent.surfaces.mcp.stdio.outlet import Outlet


async def settle() -> None:
    await trio.testing.wait_all_tasks_blocked()


async def test_where_there_is_room_a_line_is_written_without_waking_anybody() -> None:
    wire = Wire()
    outlet = Outlet(wire, lambda: None)
    outlet.post(b"a\n")
    await outlet.send(b"b\n")
    with trio.testing.assert_checkpoints():
        await outlet.flush()

    assert (wire.data, outlet.posted_bytes) == (b"a\nb\n", 0)


async def test_sending_waits_for_room_and_posting_does_not() -> None:
    wire, done = Wire(room=3), list[bytes]()
    outlet = Outlet(wire, lambda: None)

    async def send(line: bytes) -> None:
        await outlet.send(line)
        done.append(line)

    async with open_supervisor() as supervisor:
        supervisor.start(outlet)
        await settle()
        supervisor.call(send, b"first\n")
        await settle()
        supervisor.call(send, b"second\n")
        await settle()
        outlet.post(b"third\n")
        assert (wire.data, done, outlet.posted_bytes) == (b"fir", [], 6)
        wire.change(room=8)
        await settle()
        assert (wire.data, done) == (b"first\nsecon", [b"first\n"])
        wire.change(room=100)
        await outlet.flush()
        await settle()
        assert (wire.data, done) == (b"first\nsecond\nthird\n", [b"first\n", b"second\n"])
        assert outlet.posted_bytes == 0
        supervisor.stop()


async def test_a_line_whose_sender_left_is_written_whole_or_not_at_all() -> None:
    wire = Wire(room=2)
    outlet = Outlet(wire, lambda: None)
    begun, unbegun = trio.CancelScope(), trio.CancelScope()

    async def send(line: bytes, scope: trio.CancelScope) -> None:
        with scope:
            await outlet.send(line)

    async with open_supervisor() as supervisor:
        supervisor.start(outlet)
        supervisor.call(send, b"begun\n", begun)
        await settle()
        supervisor.call(send, b"unbegun\n", unbegun)
        await settle()
        begun.cancel()
        unbegun.cancel()
        await settle()
        outlet.post(b"last\n")
        wire.change(room=100)
        await outlet.flush()
        supervisor.stop()

    assert wire.data == b"begun\nlast\n"


async def test_the_first_line_can_be_withdrawn_while_the_writer_waits_for_room() -> None:
    wire = Wire(room=0)
    outlet = Outlet(wire, lambda: None)
    scope = trio.CancelScope()

    async def send() -> None:
        with scope:
            await outlet.send(b"never\n")

    async with open_supervisor() as supervisor:
        supervisor.start(outlet)
        supervisor.call(send)
        await settle()
        scope.cancel()
        await settle()
        wire.change(room=100)
        await settle()
        await outlet.send(b"next\n")
        supervisor.stop()

    assert wire.data == b"next\n"


async def test_a_cancelled_sender_writes_nothing() -> None:
    wire = Wire()
    outlet = Outlet(wire, lambda: None)
    with trio.CancelScope() as scope:
        scope.cancel()
        await outlet.send(b"never\n")

    assert (wire.data, scope.cancelled_caught) == (b"", True)


@pytest.mark.parametrize("notice", ["now", "writer", "watch"])
async def test_when_the_reader_has_left_everybody_is_let_go(notice: str) -> None:
    wire, calls = Wire(room=0), list[str]()
    outlet = Outlet(wire, lambda: calls.append("gone"))
    async with open_supervisor() as supervisor:
        if notice == "now":
            wire.error = BrokenPipeError()
            outlet.post(b"a\n")
        supervisor.start(outlet)
        supervisor.call(outlet.watch)
        supervisor.call(outlet.send, b"b\n")
        await settle()
        outlet.post(b"c\n")
        if notice == "writer":
            wire.change(error=BrokenPipeError())
        wire.gone.set()
        await settle()
        assert (outlet.is_gone, calls, outlet.posted_bytes) == (True, ["gone"], 0)
        outlet.post(b"d\n")
        await outlet.send(b"e\n")
        await outlet.flush()
        supervisor.stop()

    assert wire.data == b""


async def test_a_full_disk_is_no_reader_that_has_left_and_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wire = Wire()
    wire.error = OSError(28, "No space left on device")
    outlet = Outlet(wire, lambda: None)
    outlet.post(b"a\n")

    assert outlet.is_gone
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.ERROR, "the output cannot be written: [Errno 28] No space left on device")
    ]


async def test_two_lines_can_be_kept_out_of_one_read(
    autojump_clock: trio.testing.MockClock,
) -> None:
    wire, begin = Wire(), trio.current_time()
    outlet = Outlet(wire, lambda: None)
    await outlet.send(b"progress\n")
    wire.unread = 9

    async def read_late() -> None:
        await trio.sleep(1)
        # Somebody else's line, which is not waited for.
        outlet.post(b"other\n")
        wire.unread = 6

    async with open_supervisor() as supervisor:
        supervisor.call(read_late)
        await outlet.wait_taken()
    assert begin + 1 <= trio.current_time() < begin + 1.1
    with trio.testing.assert_checkpoints():
        await Outlet(wire, lambda: None).wait_taken()


async def test_a_reader_that_reads_nothing_is_waited_for_five_seconds_or_until_it_leaves(
    autojump_clock: trio.testing.MockClock,
) -> None:
    wire, begin = Wire(), trio.current_time()
    outlet = Outlet(wire, lambda: None)
    await outlet.send(b"progress\n")
    wire.unread = 9
    await outlet.wait_taken()
    assert begin + 5 <= trio.current_time() < begin + 5.1

    async with open_supervisor() as supervisor:
        supervisor.call(outlet.watch)
        supervisor.call(outlet.wait_taken)
        await trio.sleep(1)
        wire.gone.set()
    assert trio.current_time() < begin + 6.2


@given(
    schedule=st.random_module(),
    first_room=st.integers(0, 40),
    rooms=st.lists(st.integers(1, 40), max_size=30),
    tasks=st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=5), max_size=6),
    cancelled=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), max_size=4),
)
async def test_lines_are_whole_and_those_of_a_task_are_in_order(
    schedule: object,
    first_room: int,
    rooms: list[int],
    tasks: list[list[int]],
    cancelled: list[tuple[int, int]],
) -> None:
    wire, scopes = Wire(first_room), [trio.CancelScope() for _ in tasks]
    outlet = Outlet(wire, lambda: None)
    sent = set[bytes]()

    async def send(task: int) -> None:
        with scopes[task]:
            for number, size in enumerate(tasks[task]):
                line = b"%d:%d:%s\n" % (task, number, b"x" * size)
                if size % 5 == 0:
                    outlet.post(line)
                else:
                    await outlet.send(line)
                sent.add(line)

    async with open_supervisor() as supervisor:
        supervisor.start(outlet)
        for task in range(len(tasks)):
            supervisor.call(send, task)
        for step, room in enumerate(rooms):
            for task, when in cancelled:
                if when == step and task < len(tasks):
                    scopes[task].cancel()
            await trio.lowlevel.checkpoint()
            wire.change(room=room)
        wire.change(room=10_000)
        await settle()
        await outlet.flush()
        supervisor.stop()

    assert outlet.posted_bytes == 0
    check_lines(wire.data.splitlines(keepends=True), sent, tasks)


def check_lines(lines: list[bytes], sent: set[bytes], tasks: list[list[int]]) -> None:
    assert sent <= set(lines)
    assert len(lines) == len(set(lines))
    for task, sizes in enumerate(tasks):
        own = [line for line in lines if line.startswith(b"%d:" % task)]
        whole = [b"%d:%d:%s\n" % (task, i, b"x" * size) for i, size in enumerate(sizes)]
        assert own == whole[: len(own)]
