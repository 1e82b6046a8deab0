import pytest
from hypothesis import given, strategies as st

from trio_agent.surfaces.cli.terminal.graphics import (
    Named,
    Protocol,
    answered_protocol,
    is_answered,
    named_protocol,
)

XTERM = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("environ", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm-ghostty"}, "kitty"),
        ({"TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ({"LC_TERMINAL": "iTerm2"}, "iterm2"),
        ({"TERM_PROGRAM": "WezTerm"}, "iterm2"),
        ({"TERM_PROGRAM": "mintty"}, "iterm2"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "mlterm"}, "sixel"),
    ],
)
def test_what_the_environment_names_is_believed(
    environ: dict[str, str], protocol: Protocol
) -> None:
    assert named_protocol(XTERM | environ) == Named(protocol)


@pytest.mark.parametrize(
    "environ",
    [
        {"TMUX": "/tmp/tmux-0/default,1,0", "TERM": "xterm-kitty"},
        {"TMUX": "x", "KITTY_WINDOW_ID": "1"},
        {"STY": "1.pts", "TERM_PROGRAM": "iTerm.app"},
        {"TERM": "screen.xterm-256color"},
        {"TERM": "tmux-256color", "TERM_PROGRAM": "WezTerm"},
        {"TERM": "linux"},
        {"TERM": ""},
        {"TERM_PROGRAM": "Apple_Terminal"},
    ],
)
def test_multiplexers_and_consoles_show_none_and_are_not_asked(environ: dict[str, str]) -> None:
    assert named_protocol(XTERM | environ) == Named()


def test_an_unknown_terminal_is_asked() -> None:
    assert named_protocol(XTERM) == Named(must_ask=True)
    assert named_protocol(XTERM | {"TERM_PROGRAM": "vscode"}) == Named(must_ask=True)


@pytest.mark.parametrize(
    ("received", "protocol"),
    [
        (b"\x1b_Gi=31;OK\x1b\\\x1b[?62;22c", "kitty"),
        (b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c", "kitty"),
        (b"\x1b_Gi=31;ENOENT:x\x1b\\\x1b[?62;4;22c", "sixel"),
        (b"\x1b[?63;1;2;4c", "sixel"),
        (b"keys\x1b[?62;4c", "sixel"),
        (b"\x1b[?4c", None),
        (b"\x1b[?1;2c", None),
        (b"\x1b[?64;14;40c", None),
        (b"\x1b_Gi=31;OK\x1b\\", None),
        (b"\x1b[?62;4", None),
        (b"", None),
    ],
)
def test_the_answer_says_what_can_be_shown(received: bytes, protocol: Protocol | None) -> None:
    assert answered_protocol(received) == protocol


@given(st.binary(max_size=20), st.integers(0, 30))
def test_an_answer_may_come_in_pieces_and_between_keys(keys: bytes, cut: int) -> None:
    answer = keys + b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"

    assert is_answered(answer)
    assert answered_protocol(answer) in ("kitty", None) or b"\x1b[?" in keys
    assert not is_answered(answer[: min(cut, len(answer) - 1)]) or b"\x1b[?" in keys
