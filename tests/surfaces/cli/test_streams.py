import contextlib
import os
import select
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from trio_agent.protocol.output import Output
from trio_agent.surfaces.cli.streams import ByteStream, hold_standard_streams


def stream(fd: int | None) -> ByteStream:
    return ByteStream(fd, "standard output", encoding="utf-8", is_terminal=False)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):  # a test may close its end
            os.close(end)


def fill(fd: int) -> int:
    """Fill a pipe; how many bytes that took."""
    os.set_blocking(fd, False)
    size = 0
    try:
        while True:
            size += os.write(fd, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(fd, True)
    return size


def drain(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += os.read(fd, size - len(data))
    return data


def test_a_write_is_whole_however_often_the_system_takes_a_piece(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.set_blocking(writing, False)
    data = bytes(range(256)) * 2000
    thread = threading.Thread(target=stream(writing).write, args=(data,))
    thread.start()

    assert drain(reading, len(data)) == data
    thread.join()


def test_two_writes_do_not_mix(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    shared = stream(writing)
    threads = [
        threading.Thread(target=shared.write, args=(letter * 200_000,)) for letter in (b"a", b"b")
    ]
    for thread in threads:
        thread.start()

    data = drain(reading, 400_000)
    assert data in (b"a" * 200_000 + b"b" * 200_000, b"b" * 200_000 + b"a" * 200_000)
    for thread in threads:
        thread.join()


def test_a_closed_stream_says_so() -> None:
    with pytest.raises(OSError, match="it is closed"):
        stream(None).write(b"x")
    stream(None).write(b"")
    assert not stream(None).write_last(b"x")


def test_a_reader_that_left_is_a_broken_pipe(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.close(reading)

    with pytest.raises(BrokenPipeError):
        stream(writing).write(b"x")
    assert not stream(writing).write_last(b"x")


def test_last_words_are_said_where_there_is_room(pipe: tuple[int, int], tmp_path: Path) -> None:
    reading, writing = pipe
    assert stream(writing).write_last(b"bye")
    assert os.read(reading, 9) == b"bye"

    with (tmp_path / "f").open("wb") as file:
        assert stream(file.fileno()).write_last(b"bye")
        assert stream(file.fileno()).is_file
    assert (tmp_path / "f").read_bytes() == b"bye"


def test_last_words_do_not_wait_for_a_reader_that_does_not_read(pipe: tuple[int, int]) -> None:
    fill(pipe[1])

    assert not stream(pipe[1]).write_last(b"bye", 0.01)


def test_last_words_do_not_wait_for_a_write_that_is_stuck(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    size = fill(writing)
    stuck = stream(writing)
    thread = threading.Thread(target=stuck.write, args=(b"stuck",))
    thread.start()
    # Whether the thread has begun or not: there is no room.
    assert not stuck.write_last(b"bye", 0.01)
    assert drain(reading, size + 5).endswith(b"xstuck")
    thread.join()


def test_without_poll_there_is_always_room(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(select, "poll")

    assert stream(pipe[1]).write_last(b"x")


def test_while_they_are_held_nobody_else_writes_to_standard_output(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with hold_standard_streams() as streams:
        print("printed")
        os.write(1, b"by a program\n")
        streams.write(Output("stdout", "document\n"))
        streams.write(Output("stderr", "complaint\n"))
        assert streams.of("stdout") is streams.stdout
    print("after")
    sys.stdout.flush()

    out, err = capfd.readouterr()
    assert out == "document\nafter\n"
    assert "by a program\n" in err
    assert "complaint\n" in err
