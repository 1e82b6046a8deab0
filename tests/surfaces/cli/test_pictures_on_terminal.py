"""Images and links on real pseudo terminals: who is asked, what is drawn, what is left behind."""

import os
from pathlib import Path

import pytest

from tests.surfaces.cli.plugins import SHOWN, need_pseudo_terminals, shown_demo
from tests.surfaces.cli.terminal import Watched, run, write_plugin

need_pseudo_terminals()

GALLERY = ["run", "demo", "gallery"]
KITTY = b"\x1b_Gi=31;OK\x1b\\\x1b[?62;22c"
SIXEL = b"\x1b[?62;4;22c"
NEITHER = b"\x1b[?1;2c"
DRAWN = b"\x1b_Ga=T,f=100,q=2,c=1,r=1,m=0;"
MENTION = "[image image/png, 69 bytes] a dot"
IS_LEAKED = '"$@"; code=$?; stty -icanon; read -t 0 && echo leaked; stty icanon; exit $code'


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    return shown_demo(tmp_path)


def gallery(cwd: Path, setting: str) -> list[str]:
    """The same command with a patience that does not depend on how busy this machine is."""
    patience = f"""
        from trio_agent.surfaces.cli.asking import terminal as asking
        asking.{setting}
        """
    write_plugin(cwd, {"gallery": patience + SHOWN["gallery"]})
    return GALLERY


@pytest.mark.parametrize(
    ("settings", "drawn"),
    [
        ({"TERM": "xterm-kitty"}, DRAWN),
        ({"TERM_PROGRAM": "iTerm.app"}, b"\x1b]1337;File=inline=1;size=69;width=1;height=1;"),
        ({"TERM": "foot"}, b'\x1bP0;1q"1;1;1;1#0;2;'),
    ],
)
def test_a_terminal_that_is_known_by_name_is_not_asked(
    cwd: Path, settings: dict[str, str], drawn: bytes
) -> None:
    with Watched(GALLERY, cwd=cwd, settings=settings) as watched:
        assert watched.finish() == 0
        assert not watched.was_asked
        assert watched.raw.count(drawn) == 1
        assert MENTION not in watched.text
        assert watched.lines[-1] == "after it"


@pytest.mark.parametrize(
    ("answer", "drawn"), [(KITTY, DRAWN), (SIXEL, b"\x1bP0;1q"), (NEITHER, MENTION.encode())]
)
def test_any_other_is_asked_once_and_its_answer_leaves_nothing_behind(
    cwd: Path, answer: bytes, drawn: bytes
) -> None:
    words = gallery(cwd, "ANSWER_S = 30.0")
    with Watched(words, cwd=cwd, answer=answer, shell=IS_LEAKED) as watched:
        assert watched.finish() == 0
        assert watched.was_asked
        assert watched.raw.count(drawn) == 1
        assert "leaked" not in watched.text
        assert watched.echoes_lines
        assert watched.lines[-1] == "after it"


def test_a_terminal_that_does_not_answer_shows_the_declared_text(cwd: Path) -> None:
    with Watched(GALLERY, cwd=cwd, shell=IS_LEAKED) as watched:
        assert watched.finish() == 0
        assert watched.was_asked
        assert watched.lines[-3:] == [MENTION, "", "after it"]
        assert watched.echoes_lines


def test_a_late_answer_does_not_become_a_command(cwd: Path) -> None:
    with Watched(gallery(cwd, "LATE_S = 30.0"), cwd=cwd, shell=IS_LEAKED) as watched:
        watched.wait_for("after it")
        watched.type(KITTY)
        assert watched.finish() == 0
        assert "leaked" not in watched.text
        assert watched.echoes_lines


def test_ctrl_c_while_it_is_asked_restores_the_terminal(cwd: Path) -> None:
    with Watched(gallery(cwd, "ANSWER_S = 30.0"), cwd=cwd) as watched:
        watched.wait_for(lambda _: watched.was_asked)
        assert not watched.echoes_lines
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.echoes_lines


def test_what_was_typed_ahead_goes_to_the_shell(cwd: Path) -> None:
    shell = 'touch on; read first; "$@"; read line; echo "got $line"'
    with Watched(GALLERY, cwd=cwd, shell=shell) as watched:
        watched.follow_until((cwd / "on").exists)
        watched.type(b"go\nls\n")
        assert watched.finish() == 0
        assert not watched.was_asked
        assert MENTION in watched.text
        assert watched.lines[-1] == "got ls"


@pytest.mark.parametrize(
    "settings",
    [
        {"TMUX": "x", "TERM": "xterm-kitty"},
        {"NO_COLOR": "1", "TERM": "xterm-kitty"},
        {"CI": "1", "TERM": "xterm-kitty"},
        {"CLAUDECODE": "1"},
    ],
)
def test_where_there_may_be_no_picture_nobody_is_asked(cwd: Path, settings: dict[str, str]) -> None:
    with Watched(GALLERY, cwd=cwd, settings=settings) as watched:
        assert watched.finish() == 0
        assert not watched.was_asked
        assert MENTION in watched.text
        assert "here (http://x.example/)" in watched.text


def test_without_an_image_nobody_is_asked(cwd: Path) -> None:
    with Watched(["run", "demo", "hello"], cwd=cwd, answer=KITTY) as watched:
        assert watched.finish() == 0
        assert not watched.was_asked


def test_when_nobody_can_type_nobody_is_asked(cwd: Path) -> None:
    shell = '"$@" < /dev/null'
    with Watched(GALLERY, cwd=cwd, shell=shell, answer=KITTY) as watched:
        assert watched.finish() == 0
        assert not watched.was_asked
        assert MENTION in watched.text


def test_a_link_is_one_where_the_terminal_can(cwd: Path) -> None:
    with Watched(GALLERY, cwd=cwd, settings={"TERM": "xterm-kitty"}) as watched:
        assert watched.finish() == 0
        assert b"\x1b]8;id=1;http://x.example/\x1b\\" in watched.raw
        assert watched.lines[0] == "here"


def test_a_pipe_gets_the_same_bytes_whatever_the_terminal_can(cwd: Path) -> None:
    with Watched(GALLERY, cwd=cwd, settings={"TERM": "xterm-kitty"}, piped_stdout=True) as watched:
        assert watched.finish() == 0
        assert watched.raw == b""
    assert watched.piped == run(GALLERY, cwd=cwd).stdout
    assert os.linesep.encode() + b"![a dot](data:image/png;base64," in watched.piped
