import pytest
from hypothesis import given, strategies as st

from trio_agent.context.terminal import TerminalStream
from trio_agent.surfaces.cli.terminal.links import (
    decide_links,
    may_be_link,
    misleads,
    tells_address,
)

TTY = TerminalStream(kind="tty", color="basic")
XTERM = {"TERM": "xterm-256color"}


def test_a_colour_terminal_that_a_person_watches_has_links() -> None:
    assert decide_links(TTY, XTERM)
    assert decide_links(TTY, {})


@pytest.mark.parametrize(
    "environ",
    [
        {"TERM": "dumb"},
        {"TERM": "linux"},
        {"TERM": "screen-256color"},
        {"TERM": "tmux-256color"},
        {"TERM": "rxvt-unicode-256color"},
        {"CI": "true"},
        {"CLAUDECODE": "1"},
        {"CURSOR_AGENT": "1"},
        {"CODEX_CLI": "1"},
        {"TMUX": "/tmp/tmux-0/default,1,0"},
        {"STY": "1.pts"},
        {"XTERM_VERSION": "XTerm(390)"},
        {"INSIDE_EMACS": "29.1"},
        {"TERM_PROGRAM": "Apple_Terminal"},
    ],
)
def test_where_the_address_could_be_lost_there_are_none(environ: dict[str, str]) -> None:
    assert not decide_links(TTY, XTERM | environ)


def test_without_colour_or_terminal_there_are_none() -> None:
    assert not decide_links(TerminalStream(kind="tty"), XTERM)
    assert not decide_links(TerminalStream(kind="pipe", color="truecolor"), XTERM)


@pytest.mark.parametrize(
    "address",
    ["http://x", "HTTPS://x.example/a?b=c&d=%20e#f".replace("%20", "+"), "mailto:a@b", "file:///x"],
)
def test_what_a_person_means_by_an_address_may_be_a_link(address: str) -> None:
    assert may_be_link(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "x",
        "//x",
        "javascript:alert(1)",
        "data:text/html,x",
        "vscode://x",
        "http:",
        "http://x y",
        "http://x\x1b[2J",
        "http://x\x07",
        "http://x\n",
        "http://x\x9c",
        "http://x%1b%5c",
        "http://x%0d%0a",
        "http://x%C2%9b",
        "http://x%e2%80%ae",
        "http://x\\y",
        "http://x\u202e",
        "http://漢字",
        "http://" + "x" * 2077,
    ],
)
def test_anything_else_may_not(address: str) -> None:
    assert not may_be_link(address)


@given(st.text(max_size=30))
def test_a_link_is_printable_ascii(rest: str) -> None:
    address = "http:" + rest
    if may_be_link(address):
        assert address.isascii()
        assert address.isprintable()
        assert " " not in address


def test_a_text_misleads_when_it_looks_like_another_address() -> None:
    assert misleads("http://good.example", "http://evil.example")
    assert misleads("see www.good", "http://evil.example")
    assert misleads("good.example", "http://evil.example")
    assert misleads("a@b", "http://evil.example")
    assert not misleads("http://x.example", "http://x.example")
    assert not misleads("a@b.example", "mailto:a@b.example")
    assert not misleads("version 1.2", "http://x.example")
    assert tells_address(" http://x ", "http://x")
