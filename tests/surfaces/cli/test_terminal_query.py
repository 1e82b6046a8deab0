"""The question to the terminal: a real pseudo terminal whose other end answers, or does not."""

import fcntl
import os
import struct
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.cli.plugins import need_pseudo_terminals
from trio_agent.surfaces.cli.terminal import query as asking
from trio_agent.surfaces.cli.terminal.graphics import QUESTION
from trio_agent.surfaces.cli.terminal.query import Question, cell_pixels, is_one_terminal

need_pseudo_terminals()

ANSWER = b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"


class Terminal:
    """One pseudo terminal, both of its ends."""

    def __init__(self) -> None:
        self.outer, self.inner = os.openpty()
        self.asked = b""

    def answering(self, *answers: bytes) -> "Terminal":
        self.answers = answers
        return self

    def write(self, data: bytes) -> None:
        self.asked += data
        for answer in self.answers:
            os.write(self.outer, answer)

    @property
    def is_sane(self) -> bool:
        flags: int = termios.tcgetattr(self.inner)[3]
        return flags & termios.ECHO != 0 and flags & termios.ICANON != 0

    @property
    def unread(self) -> int:
        (count,) = struct.unpack("i", fcntl.ioctl(self.inner, termios.FIONREAD, bytes(4)))
        return int(count)

    def take_echo(self) -> bytes:
        os.set_blocking(self.outer, False)
        try:
            return os.read(self.outer, 4096)
        except BlockingIOError:
            return b""


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    os.close(terminal.outer)
    os.close(terminal.inner)


def test_an_answer_is_read_whole_and_the_terminal_is_as_it_was(terminal: Terminal) -> None:
    question = Question(terminal.inner)

    assert question.put(terminal.answering(ANSWER).write) == ANSWER
    assert terminal.asked.startswith(QUESTION)
    assert terminal.is_sane
    assert terminal.unread == 0
    assert terminal.take_echo() == b""
    question.give_back()
    assert terminal.is_sane


def test_an_answer_may_come_in_pieces(terminal: Terminal) -> None:
    pieces = [ANSWER[:9], ANSWER[9:20], ANSWER[20:]]

    assert Question(terminal.inner).put(terminal.answering(*pieces).write) == ANSWER


def test_while_it_is_asked_nothing_is_echoed_and_ctrl_c_stays_ctrl_c(terminal: Terminal) -> None:
    seen: list[int] = []

    def write(data: bytes) -> None:
        seen.append(termios.tcgetattr(terminal.inner)[3])
        os.write(terminal.outer, ANSWER)

    Question(terminal.inner).put(write)

    assert not seen[0] & (termios.ECHO | termios.ICANON)
    assert seen[0] & termios.ISIG


def test_what_was_typed_ahead_is_left_and_nothing_is_asked(terminal: Terminal) -> None:
    os.write(terminal.outer, b"ls\n")

    assert Question(terminal.inner).put(terminal.answering(ANSWER).write) == b""
    assert terminal.asked == b""
    assert terminal.is_sane
    assert os.read(terminal.inner, 10) == b"ls\n"


def test_a_terminal_that_says_nothing_is_given_back(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "LATE_S", 0.01)
    question = Question(terminal.inner)

    assert question.put(terminal.answering().write) == b""
    assert not terminal.is_sane
    question.give_back()
    assert terminal.is_sane


def test_a_late_answer_does_not_become_a_command(terminal: Terminal) -> None:
    question = Question(terminal.inner)
    question.put(terminal.answering(ANSWER[:9]).write)
    os.write(terminal.outer, ANSWER[9:])
    question.give_back()

    assert terminal.is_sane
    assert terminal.unread == 0
    assert terminal.take_echo() == b""


def test_who_cannot_wait_restores_the_terminal_and_drops_what_is_owed(terminal: Terminal) -> None:
    question = Question(terminal.inner)
    question.put(terminal.answering(b"\x1b_Gi=31").write)
    os.write(terminal.outer, b";OK\x1b\\")
    question.restore()
    question.restore()

    assert terminal.is_sane
    assert terminal.unread == 0
    assert question.put(terminal.answering(ANSWER).write) == b""


def test_a_terminal_that_hangs_up_says_nothing(terminal: Terminal) -> None:
    read, write = os.pipe()
    os.close(write)
    assert Question(read).put(terminal.answering(ANSWER).write) == b""
    os.close(read)
    assert terminal.asked == b""


def test_a_terminal_that_is_gone_needs_no_restoring(terminal: Terminal) -> None:
    outer, inner = os.openpty()
    question = Question(inner)
    question.put(lambda data: None)
    os.close(outer)
    question.give_back()
    os.close(inner)
    question.restore()


def test_only_one_terminal_is_one_terminal(terminal: Terminal, tmp_path: Path) -> None:
    outer, inner = os.openpty()
    file = os.open(tmp_path / "f", os.O_CREAT | os.O_RDWR)

    # The terminals of a test control nobody.
    assert not is_one_terminal(terminal.inner, terminal.inner)
    assert not is_one_terminal(terminal.inner, inner)
    assert not is_one_terminal(file, file)
    assert not is_one_terminal(terminal.inner, None)
    for fd in (outer, inner, file):
        os.close(fd)


def test_a_cell_has_as_many_pixels_as_the_driver_was_told(
    terminal: Terminal, tmp_path: Path
) -> None:
    assert cell_pixels(terminal.inner) is None
    size = struct.pack("4H", 24, 80, 800, 480)
    fcntl.ioctl(terminal.outer, termios.TIOCSWINSZ, size)
    assert cell_pixels(terminal.inner) == (10, 20)

    assert cell_pixels(None) is None
    (tmp_path / "f").touch()
    with open(tmp_path / "f", encoding="utf-8") as file:
        assert cell_pixels(file.fileno()) is None
