import contextlib
import os
import select
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from trio_agent.context import lossy
from trio_agent.context.lossy import LossyWriter, open_lossy


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):  # a test may close its end
            os.close(end)


def test_what_has_a_reader_is_written_however_much_it_is(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    data = bytes(range(256)) * 1024
    read = bytearray()

    def consume() -> None:
        while len(read) < len(data):
            read.extend(os.read(reading, 65_536))

    thread = threading.Thread(target=consume)
    thread.start()
    writer = LossyWriter(writing)
    assert writer.write(data) == len(data)
    thread.join()
    assert (bytes(read), writer.lost_bytes) == (data, 0)


def test_what_nobody_reads_is_lost_counted_and_told_when_there_is_room_again(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lossy, "PATIENCE_S", 0.001)
    reading, writing = pipe
    writer = LossyWriter(writing)
    assert writer.write(b"x" * 300_000) == 300_000
    lost = writer.lost_bytes
    assert 0 < lost < 300_000
    for _ in range(1000):
        writer.write(b"y" * 100)
    assert writer.lost_bytes == lost + 100_000

    os.read(reading, 300_000)
    writer.write(b"back\n")
    told = os.read(reading, 300_000).decode()
    assert told == f"trio-agent: {lost + 100_000} bytes of standard error were lost\nback\n"
    writer.write(b"again\n")
    assert os.read(reading, 100) == b"again\n"
    assert writer.lost_bytes == lost + 100_000


def test_a_full_pipe_is_waited_for_once_and_not_at_every_line(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = list[float]()
    poll = select.poll

    class Poll:
        def __init__(self) -> None:
            self._poll = poll()

        def register(self, fd: int, mask: int) -> None:
            self._poll.register(fd, mask)

        def poll(self, patience_ms: float) -> list[tuple[int, int]]:
            waits.append(patience_ms)
            return self._poll.poll(0)

    monkeypatch.setattr(select, "poll", Poll)
    writer = LossyWriter(pipe[1])
    writer.write(b"x" * 100_000)
    writer.write(b"y")
    writer.write(b"z")

    waited = waits.index(0.0)
    assert set(waits[:waited]) == {100.0}
    assert waits[waited:] == [0.0] * 4


def test_a_closed_stream_and_a_full_disk_lose_everything_and_raise_nothing(
    pipe: tuple[int, int],
) -> None:
    os.close(pipe[0])
    closed = LossyWriter(pipe[1])
    closed.write(b"abc")
    os.close(pipe[1])
    closed.write(b"abc")
    assert closed.lost_bytes == 6
    if Path("/dev/full").exists():
        with Path("/dev/full").open("wb") as full:
            writer = LossyWriter(full.fileno())
            writer.write(b"abc")
            assert writer.lost_bytes == 3


def test_without_poll_it_writes_at_once(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(select, "poll")
    LossyWriter(pipe[1]).write(b"abc")

    assert os.read(pipe[0], 10) == b"abc"


def test_a_signal_handler_may_write_in_the_middle_of_a_write(pipe: tuple[int, int]) -> None:
    writer = LossyWriter(pipe[1])

    def handle(number: int, frame: FrameType | None) -> None:
        writer.write(b"from the handler\n")

    before = signal.signal(signal.SIGALRM, handle)
    try:
        with writer._turn:
            signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert os.read(pipe[0], 100) == b"from the handler\n"


def test_text_is_written_line_by_line_and_never_fails_to_be_encoded(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    with (
        os.fdopen(os.dup(writing), "w", encoding="ascii") as like,
        open_lossy(like, writing) as text,
    ):
        print("a line with é and \ud800", file=text)
        assert os.read(reading, 100) == b"a line with \\xe9 and \\ud800\n"
        assert text.fileno() == writing
        assert not text.isatty()
        assert text.encoding == "ascii"
    with open_lossy(None, writing) as text:
        print("é", file=text)
    assert os.read(reading, 100) == "é\n".encode()


def test_closing_it_closes_nothing(pipe: tuple[int, int]) -> None:
    text = open_lossy(None, pipe[1])
    text.close()
    print("still there", file=text)

    assert os.read(pipe[0], 100) == b"still there\n"


def test_a_slow_reader_may_be_waited_for(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lossy, "PATIENCE_S", 0.0)
    reading, writing = pipe
    writer = LossyWriter(writing, waits=True)
    thread = threading.Thread(target=writer.write, args=(b"x" * 300_000,))
    thread.start()
    read = 0
    while read < 300_000:
        read += len(os.read(reading, 65_536))
    thread.join()
    assert writer.lost_bytes == 0
