import os
import signal
import threading
from pathlib import Path

import pyte
import trio
import trio.testing
from hypothesis import given, strategies as st

from tests.surfaces.cli.terminal import Screen
from trio_agent import Agent
from trio_agent.surfaces.cli.aside import Aside
from trio_agent.surfaces.cli.streams import ByteStream
from trio_agent.surfaces.cli.terminal.painter import (
    FRAME_S,
    QUIET_S,
    Painter,
    does_reflow,
    is_foreground,
    repaint,
)
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.event import ProgressEvent, ShellEvent
from trio_agent.vocabulary.result import ResultNode

_ENVIRON = {"COLUMNS": "40", "LINES": "10"}


class Terminal:
    """A file in place of a terminal, and the screen that a terminal would show."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()
        self.fd = os.open(path, os.O_WRONLY)
        self.stream = ByteStream(self.fd, "standard error", encoding="utf-8", is_terminal=True)
        self.aside = Aside(self.stream)
        self.painter = Painter(self.stream, _ENVIRON, self.aside, "db clean-up")

    @property
    def raw(self) -> bytes:
        return self.path.read_bytes()

    @property
    def shown(self) -> list[str]:
        return shown(self.raw, 40, 10)


def shown(data: bytes, columns: int, rows: int) -> list[str]:
    screen = pyte.Screen(columns, rows)
    pyte.ByteStream(screen).feed(data.replace(b"\n", b"\r\n"))
    return [line.rstrip() for line in screen.display if line.strip()]


async def test_a_picture_is_painted_over_itself(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(terminal.painter.run)
        for number in range(1, 4):
            terminal.painter.feed(ProgressEvent(number, number, 4, "work"))
            terminal.painter.feed(ProgressEvent(number, number, 4, "more", "other"))
            await trio.sleep(FRAME_S * 1.5)
            assert [line[-3:] for line in terminal.shown] == [f"{number}/4"] * 2
        nursery.cancel_scope.cancel()


async def test_a_command_that_has_no_events_yet_is_named_after_a_moment(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(terminal.painter.run)
        await trio.sleep(QUIET_S - 0.01)
        assert terminal.raw == b""
        await trio.sleep(2 * FRAME_S)
        assert [line[1:] for line in terminal.shown] == [" db clean-up 0s"]
        terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
        await trio.sleep(2 * FRAME_S)
        assert [line[-3:] for line in terminal.shown] == ["1/4"]
        nursery.cancel_scope.cancel()
    await terminal.painter.clear()
    assert terminal.shown == []


async def test_nothing_new_is_not_painted_again(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    with trio.move_on_after(10 * FRAME_S):
        terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
        await terminal.painter.run()

    assert terminal.raw.count(b"1/4") == 1


async def test_there_are_twelve_frames_a_second_at_most(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(terminal.painter.run)
        for number in range(1000):
            terminal.painter.feed(ProgressEvent(number, number, 1000, "work"))
            await trio.sleep(0.001)
        nursery.cancel_scope.cancel()

    assert 10 <= terminal.raw.count(b"\x1b[J") <= 12


async def test_a_time_that_grows_is_painted_once_a_second(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    document = AgentDocument.build(ResultNode.of([Agent.Progress(1, total=4, message="work")]))
    terminal.painter.feed(ShellEvent(0, document))
    with trio.move_on_after(9.5):
        await terminal.painter.run()

    assert terminal.raw.count(b"\x1b[J") == 10
    assert terminal.shown == ["work [======>                 ] 1/4 9s"]


async def test_the_time_in_which_somebody_types_is_not_counted(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    document = AgentDocument.build(ResultNode.of([Agent.Progress(1, total=4, message="work")]))
    terminal.painter.feed(ShellEvent(0, document))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(terminal.painter.run)
        await trio.sleep(2.5)
        async with terminal.painter.aside_for_long():
            await trio.sleep(100)
            # What happens meanwhile has happened when the question came.
            terminal.painter.feed(ProgressEvent(1, 1, 2, "step"))
            assert terminal.shown == []
        await trio.sleep(2.1)
        nursery.cancel_scope.cancel()

    assert [line.split()[-1] for line in terminal.shown] == ["4s", "1/2"]


async def test_after_a_stop_that_could_not_be_seen_coming_the_picture_is_painted_below(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(terminal.painter.run)
        terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
        await trio.sleep(1.5 * FRAME_S)
        terminal.stream.write(b"\nsaid by the shell\n")
        signal.raise_signal(signal.SIGCONT)
        await trio.sleep(1.5 * FRAME_S)
        nursery.cancel_scope.cancel()

    assert [line[-5:] for line in terminal.shown] == ["] 1/4", "shell", "] 1/4"]
    assert signal.getsignal(signal.SIGCONT) is signal.SIG_DFL


def test_away_from_the_main_thread_there_are_no_signals(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "t")

    async def paint() -> None:
        with trio.move_on_after(2 * FRAME_S):
            terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
            await terminal.painter.run()

    clock = trio.testing.MockClock(autojump_threshold=0)
    thread = threading.Thread(target=lambda: trio.run(paint, clock=clock))
    thread.start()
    thread.join()

    assert terminal.shown[0].endswith("1/4")


def test_what_is_no_terminal_is_never_somebody_elses() -> None:
    assert is_foreground(None)
    assert is_foreground(-1)


async def test_what_is_said_stands_above_the_picture(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
    await terminal.painter.say(b"[boundary] one\n")
    terminal.aside.write(b"printed\nhalf a li")
    with trio.move_on_after(1.5 * FRAME_S):
        await terminal.painter.run()
    assert terminal.shown[:2] == ["[boundary] one", "printed"]
    assert terminal.shown[2].endswith("1/4")

    await terminal.painter.clear()
    assert terminal.shown == ["[boundary] one", "printed", "half a li"]


async def test_a_picture_that_is_gone_stays_away(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Terminal(tmp_path / "t")
    terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
    await terminal.painter.say(b"said\n")
    await terminal.painter.clear()
    with trio.move_on_after(3 * FRAME_S):
        await terminal.painter.run()

    assert terminal.shown == ["said"]
    assert terminal.painter.clear_last() == b""


async def test_the_last_words_take_the_picture_away(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "t")
    terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
    await terminal.painter.say(b"said\n")
    terminal.aside.write(b"printed")

    assert shown(terminal.raw + terminal.painter.clear_last(), 40, 10) == ["said", "printed"]


async def test_a_terminal_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "t")
    os.close(terminal.fd)
    terminal.painter.feed(ProgressEvent(1, 1, 4, "work"))
    await terminal.painter.say(b"lost\n")
    await terminal.painter.say(b"lost\n")

    assert terminal.raw == b""


def test_terminals_that_do_not_reflow_are_known_by_name() -> None:
    assert does_reflow({"TERM": "xterm-256color"})
    assert does_reflow({})
    assert not does_reflow({"TERM": "xterm", "XTERM_VERSION": "XTerm(390)"})
    assert not does_reflow({"TERM": "linux"})
    assert not does_reflow({"TERM": "xterm", "STY": "1.pts"})


_pictures = st.lists(st.text("ab漢", min_size=1, max_size=9), max_size=4)


@given(before=_pictures, after=_pictures, last=_pictures)
def test_only_the_last_picture_is_on_the_screen(
    before: list[str], after: list[str], last: list[str]
) -> None:
    text = "prompt\r\n"
    for painted, lines in (([], before), (before, after), (after, last)):
        text += repaint(painted, lines, 20, reflows=True)

    screen = pyte.Screen(20, 12)
    pyte.Stream(screen).feed(text)
    drawn = [line.rstrip() for line in screen.display]
    assert drawn[: len(last) + 1] == ["prompt", *last]
    assert not any(drawn[len(last) + 1 :])


@given(before=st.lists(st.text("ab", min_size=1, max_size=19), min_size=1, max_size=3))
def test_a_narrower_window_loses_nothing_and_keeps_nothing(before: list[str]) -> None:
    screen = Screen(20, 20)
    stream = pyte.Stream(screen)
    stream.feed("prompt\r\n" + repaint([], before, 20, reflows=True))
    screen.resize(20, 8)
    stream.feed(repaint(before, ["new"], 8, reflows=True))

    assert [line.rstrip() for line in screen.display][:2] == ["prompt", "new"]
    assert not any(line.strip() for line in screen.display[2:])


def test_a_terminal_that_keeps_its_rows_is_asked_to_go_back_as_many() -> None:
    assert "\x1b[1A" in repaint(["a" * 19] * 2, ["x"], 8, reflows=False)
    assert "\x1b[5A" in repaint(["a" * 19] * 2, ["x"], 8, reflows=True)
