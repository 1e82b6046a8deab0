import os
import sys
from collections.abc import Iterator

import pytest

from trio_agent.surfaces.cli.aside import MOST_HELD, Aside, printing_aside
from trio_agent.surfaces.cli.streams import ByteStream


@pytest.fixture
def pipe() -> Iterator[tuple[int, ByteStream]]:
    reading, writing = os.pipe()
    yield reading, ByteStream(writing, "standard error", encoding="utf-8", is_terminal=False)
    os.close(reading)
    os.close(writing)


def test_without_a_picture_what_is_printed_goes_straight_through(
    pipe: tuple[int, ByteStream],
) -> None:
    reading, stderr = pipe
    with printing_aside(stderr):
        print("to stdout")
        print("to stderr ✓\udc80", file=sys.stderr)
        sys.stdout.buffer.write(b"bytes\n")

    assert os.read(reading, 99) == "to stdout\nto stderr ✓\\udc80\nbytes\n".encode()


def test_with_a_picture_whole_lines_are_taken_and_the_rest_waits(
    pipe: tuple[int, ByteStream],
) -> None:
    aside = Aside(pipe[1])
    aside.hold()
    aside.hold()
    aside.write(b"one\ntwo\nthr")

    assert aside.take_lines() == b"one\ntwo\n"
    assert aside.take_lines() == b""
    aside.write(b"ee")
    assert aside.release() == b"three\n"
    assert aside.release() == b""


def test_after_the_picture_it_goes_straight_through_again(pipe: tuple[int, ByteStream]) -> None:
    reading, stderr = pipe
    aside = Aside(stderr)
    aside.hold()
    aside.write(b"held\n")
    assert aside.release() == b"held\n"
    assert aside.take_lines() == b""
    aside.write(b"late\n")

    assert os.read(reading, 99) == b"late\n"


def test_what_waits_for_a_stuck_terminal_is_bounded(pipe: tuple[int, ByteStream]) -> None:
    aside = Aside(pipe[1])
    aside.hold()
    aside.write(b"x" * MOST_HELD)
    aside.write(b"last")

    held = aside.release()
    assert len(held) == MOST_HELD + 1
    assert held.endswith(b"xlast\n")


def test_it_is_no_terminal_but_has_the_number_of_standard_error(
    pipe: tuple[int, ByteStream],
) -> None:
    with printing_aside(pipe[1]):
        assert not sys.stdout.isatty()
        assert sys.stdout.fileno() == 2
        assert not sys.stdout.readable()
        assert not sys.stdout.seekable()
        assert sys.stdout is sys.stderr


def test_the_old_streams_come_back_after_an_error(pipe: tuple[int, ByteStream]) -> None:
    before = sys.stdout, sys.stderr
    with pytest.raises(ZeroDivisionError), printing_aside(pipe[1]):
        _ = 1 / 0

    assert (sys.stdout, sys.stderr) == before
