import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.surfaces.mcp.child import started
from trio_agent.context.lossy import LossyWriter
from trio_agent.surfaces.mcp.process.guard import STDERR, StandardIO, redirect_stdout, unblocked


@contextmanager
def guarded() -> Iterator[StandardIO]:
    standard_io = redirect_stdout()
    try:
        yield standard_io
    finally:
        standard_io.release()


def test_nobody_but_the_protocol_writes_to_standard_output(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with os.fdopen(1, "w", encoding="utf-8", closefd=False) as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        print("printed before, still in the buffer")
        with guarded() as standard_io:
            print("printed")
            os.write(1, b"by a program\n")
            os.write(standard_io.drain_fd, b"frame\n")
            assert os.read(0, 10) == b""
        print("after")

    assert capfd.readouterr() == (
        "frame\nafter\n",
        "printed before, still in the buffer\nprinted\nby a program\n",
    )


def test_it_is_done_once_for_the_process(capfd: pytest.CaptureFixture[str]) -> None:
    with guarded() as standard_io:
        assert redirect_stdout() is standard_io


def test_a_wrapper_over_standard_output_is_dropped_with_one_warning(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with guarded() as standard_io:
        assert not standard_io.drop_wrapper()
        sys.stdout = io.StringIO()
        assert standard_io.drop_wrapper()
        assert not standard_io.drop_wrapper()
        assert sys.stdout is standard_io.stderr

    assert capfd.readouterr().err == (
        "trio-agent: sys.stdout was replaced by a _io.StringIO; that is undone, since standard"
        " output belongs to the protocol\n"
    )


@pytest.mark.parametrize("closed", [(0,), (2,), (0, 1, 2)])
def test_a_standard_stream_may_be_closed(closed: tuple[int, ...]) -> None:
    def close() -> None:
        for fd in closed:
            os.close(fd)

    with started("print", preexec_fn=close) as child:
        if 0 not in closed:
            assert child.call("print") == {"stdin": ""}
        code, left, _ = child.end()

    assert (code, left) == (0, [])


def test_streams_of_the_process_are_unblocked_for_a_while_and_those_of_others_left_alone(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with open(STDERR, "w", encoding="utf-8", closefd=False) as own:
        monkeypatch.setattr(sys, "stderr", own)
        monkeypatch.setattr(sys, "stdout", other := io.StringIO())
        with unblocked():
            assert sys.stdout is other
            assert isinstance(sys.stderr.buffer, LossyWriter)
            print("told", file=sys.stderr)
        assert sys.stderr is own
    assert capfd.readouterr().err == "told\n"


def test_a_stream_that_was_closed_before_python_began_stays_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with unblocked():
        assert sys.stdout is None
