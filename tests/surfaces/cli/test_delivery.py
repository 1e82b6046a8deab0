import errno
import os
from pathlib import Path

import pytest
import trio
import trio.testing

from trio_agent.context.terminal import Terminal
from trio_agent.errors import ConsumerLeftError
from trio_agent.protocol.output import Output
from trio_agent.surfaces.cli.delivery import Delivery
from trio_agent.surfaces.cli.output_stream import WriteOrder
from trio_agent.surfaces.cli.streams import ByteStream, StandardStreams


def streams(stdout: int | None, stderr: int | None) -> StandardStreams:
    return StandardStreams(
        stdout=ByteStream(stdout, "standard output", encoding="utf-8", is_terminal=False),
        stderr=ByteStream(stderr, "standard error", encoding="utf-8", is_terminal=False),
        terminal=Terminal.pipes("cli"),
    )


async def test_a_pipe_and_a_file_get_all_of_it(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with (tmp_path / "f").open("wb") as file:
        delivery = Delivery(streams(writing, file.fileno()))
        await delivery.take(Output("stdout", "document ✓\n"))
        await delivery.take(Output("stderr", "complaint\n"))

    assert os.read(reading, 99) == "document ✓\n".encode()
    assert (tmp_path / "f").read_text(encoding="utf-8") == "complaint\n"
    os.close(reading)
    os.close(writing)


async def test_a_reader_that_left_is_a_consumer_that_left() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    delivery = Delivery(streams(writing, None))

    with pytest.raises(ConsumerLeftError):
        await delivery.take(Output("stdout", "x\n"))
    assert isinstance(delivery.failure, BrokenPipeError)
    os.close(writing)


async def test_a_full_disk_is_kept_for_one_clear_line() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    delivery = Delivery(streams(full, None))

    with pytest.raises(ConsumerLeftError):
        await delivery.take(Output("stdout", "x\n"))
    assert delivery.failure is not None
    assert delivery.failure.errno == errno.ENOSPC
    os.close(full)


async def test_standard_error_that_cannot_be_written_is_no_failure() -> None:
    delivery = Delivery(streams(None, None))

    await delivery.take(Output("stderr", "x\n"))
    assert delivery.failure is None


async def test_a_slow_reader_slows_the_writer_and_not_the_loop() -> None:
    reading, writing = os.pipe()
    data = b"x" * 1_000_000
    delivery = Delivery(streams(writing, None))
    delivered = trio.Event()

    async def write() -> None:
        await delivery.write(delivery._streams.stdout, data)
        delivered.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)
        for _ in range(20):
            await trio.sleep(0)
        assert not delivered.is_set()
        received = 0
        while received < len(data):
            received += len(await trio.to_thread.run_sync(os.read, reading, 65536))
        await delivered.wait()
    os.close(reading)
    os.close(writing)


async def test_a_stuck_write_can_be_cancelled() -> None:
    reading, writing = os.pipe()
    delivery = Delivery(streams(writing, None))
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(delivery.write, delivery._streams.stdout, b"x" * 1_000_000)
            await trio.sleep(0)
            scope.cancel()

    assert scope.cancelled_caught
    # The abandoned thread gives up when its reader leaves.
    os.close(reading)
    await trio.to_thread.run_sync(delivery._streams.stdout.write_last, b"", 5)
    os.close(writing)


async def test_a_write_does_not_overtake_one_that_was_left_to_its_thread() -> None:
    order, written = WriteOrder(), list[int]()
    first = order.enter(lambda: written.append(1))
    second = order.enter(lambda: written.append(2))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.to_thread.run_sync, second)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert written == []
        await trio.to_thread.run_sync(first)
    assert written == [1, 2]


async def test_a_write_that_fails_holds_up_none() -> None:
    order, written = WriteOrder(), list[int]()

    def fail() -> None:
        raise OSError("full")

    first = order.enter(fail)
    second = order.enter(lambda: written.append(2))
    with pytest.raises(OSError, match="full"):
        first()
    second()
    assert written == [2]


async def test_what_was_cancelled_before_it_began_is_not_waited_for() -> None:
    reading, writing = os.pipe()
    delivery = Delivery(streams(writing, None))
    with trio.CancelScope() as scope:
        scope.cancel()
        await delivery.take(Output("stdout", "never\n"))
    await delivery.take(Output("stdout", "written\n"))
    assert os.read(reading, 99) == b"written\n"
    os.close(reading)
    os.close(writing)
