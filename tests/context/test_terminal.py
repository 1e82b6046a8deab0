"""The terminal axis: the tables, against a second spelling of them, and real descriptors."""

from __future__ import annotations

import contextlib
import os
import termios
from typing import TYPE_CHECKING, Any, get_args

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.context.terminal import (
    AGENT_SHELL_VARIABLES,
    PROBED_SURFACES,
    ColorDepth,
    HostSurface,
    StreamKind,
    Terminal,
    TerminalSize,
    TerminalStream,
    current_size,
    decide_repainting,
    decide_sharing,
    decide_size,
    probe_terminal,
)
from trio_agent.context.terminal_rules import decide_color
from trio_agent.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

TERM_SIZE = (37, 101)
NO_DESCRIPTOR = 2**40

kinds: st.SearchStrategy[StreamKind] = st.sampled_from(get_args(StreamKind))
switches = st.sampled_from(["", "0", "1", "2", "3", "4", "-1", "true", "false", "TRUE", "False"])
environs = st.fixed_dictionaries(
    {},
    optional={
        "FORCE_COLOR": switches,
        "CLICOLOR_FORCE": switches,
        "NO_COLOR": switches,
        "CLICOLOR": switches,
        "COLORTERM": st.sampled_from(["", "truecolor", "24bit", "yes"]),
        "TERM": st.sampled_from(
            ["", "dumb", "xterm", "xterm-256color", "tmux-256", "256color", "xterm-256color-x"]
        ),
    },
)


@pytest.fixture
def pty_fd() -> Iterator[int]:
    """The terminal's side of a pseudo-terminal of 101 by 37."""
    controller, terminal = os.openpty()
    termios.tcsetwinsize(terminal, TERM_SIZE)
    yield terminal
    os.close(controller)
    os.close(terminal)


@pytest.fixture
def pipe_fds() -> Iterator[tuple[int, int]]:
    """The writing ends of two pipes."""
    first, second = os.pipe(), os.pipe()
    yield first[1], second[1]
    for fd in (*first, *second):
        os.close(fd)


def closed_descriptor() -> int:
    fd = os.open(os.devnull, os.O_RDONLY)
    os.close(fd)
    return fd


# ------------------------------------------------------------------------------ colour

Rule = tuple["Callable[[str, Mapping[str, str]], bool]", str]


def advertised(environ: Mapping[str, str]) -> str:
    term = environ.get("TERM", "")
    depths = {"truecolor": {"truecolor", "24bit"} & {environ.get("COLORTERM", "")}}
    depths["256"] = {term} - {term.removesuffix("-256").removesuffix("-256color")}
    return next((depth for depth, evidence in depths.items() if evidence), "basic")


def rules(depth: str) -> list[Rule]:
    return [
        (lambda kind, _: kind == "none", "none"),
        (lambda _, env: env.get("FORCE_COLOR") in {"0", "false"}, "none"),
        (lambda _, env: env.get("FORCE_COLOR") == "2", "256"),
        (lambda _, env: env.get("FORCE_COLOR") == "3", "truecolor"),
        (lambda _, env: "FORCE_COLOR" in env, "basic"),
        (lambda _, env: not {env.get("CLICOLOR_FORCE", "")} <= {"", "0", "false"}, depth),
        (lambda _, env: bool(env.get("NO_COLOR")), "none"),
        (lambda _, env: ("CLICOLOR", "0") in env.items(), "none"),
        (lambda _, env: ("TERM", "dumb") in env.items(), "none"),
        (lambda kind, _: kind == "tty", depth),
        (lambda *_: True, "none"),
    ]


@given(kind=kinds, environ=environs)
def test_the_first_colour_rule_that_applies_wins(kind: StreamKind, environ: dict[str, str]) -> None:
    table = rules(advertised(environ))
    expected = next(color for applies, color in table if applies(kind, environ))
    assert decide_color(kind, environ) == expected


@pytest.mark.parametrize(
    ("kind", "environ", "color"),
    [
        ("tty", {"FORCE_COLOR": "0"}, "none"),
        ("tty", {"FORCE_COLOR": "false", "CLICOLOR_FORCE": "1"}, "none"),
        ("pipe", {"FORCE_COLOR": ""}, "basic"),
        ("pipe", {"FORCE_COLOR": "1", "COLORTERM": "truecolor"}, "basic"),
        ("pipe", {"FORCE_COLOR": "true"}, "basic"),
        ("pipe", {"FORCE_COLOR": "2"}, "256"),
        ("pipe", {"FORCE_COLOR": "3"}, "truecolor"),
        ("pipe", {"FORCE_COLOR": "yes please", "NO_COLOR": "1"}, "basic"),
        ("none", {"FORCE_COLOR": "3"}, "none"),
        ("tty", {"NO_COLOR": "x"}, "none"),
        ("tty", {"NO_COLOR": ""}, "basic"),
        ("pipe", {"CLICOLOR_FORCE": "1"}, "basic"),
        ("pipe", {"CLICOLOR_FORCE": "1", "NO_COLOR": "1", "TERM": "tmux-256color"}, "256"),
        ("tty", {"CLICOLOR_FORCE": "0", "NO_COLOR": "1"}, "none"),
        ("tty", {"CLICOLOR": "0"}, "none"),
        ("tty", {"TERM": "dumb", "COLORTERM": "truecolor"}, "none"),
        ("tty", {"COLORTERM": "truecolor"}, "truecolor"),
        ("tty", {"COLORTERM": "24bit", "TERM": "xterm-256color"}, "truecolor"),
        ("tty", {"TERM": "xterm-256color"}, "256"),
        ("tty", {"TERM": "putty-256"}, "256"),
        ("tty", {}, "basic"),
        ("pipe", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "none"),
    ],
)
def test_colour_is_decided_as_promised(
    kind: StreamKind, environ: dict[str, str], color: ColorDepth
) -> None:
    assert decide_color(kind, environ) == color


# ------------------------------------------------------------------------------ size


@given(columns=st.integers(1, 999_999), rows=st.integers(1, 999_999))
def test_stated_sizes_win_over_the_reported_one(columns: int, rows: int) -> None:
    reported = TerminalSize(columns=80, rows=24)
    stated = {"COLUMNS": str(columns), "LINES": str(rows)}
    assert decide_size(reported, stated) == TerminalSize(columns=columns, rows=rows)
    assert decide_size(TerminalSize(), {"COLUMNS": str(columns)}) == TerminalSize(columns=columns)
    assert decide_size(reported, {"LINES": str(rows)}) == TerminalSize(columns=80, rows=rows)


@pytest.mark.parametrize(
    "stated", ["", "0", "000", "-5", "+80", "80.0", " 80", "8_0", "wide", "²", "٨٠", "9" * 5000]
)
def test_what_is_no_positive_integer_is_no_size(stated: str) -> None:
    reported = TerminalSize(columns=80, rows=24)
    assert decide_size(reported, {"COLUMNS": stated, "LINES": stated}) == reported
    assert decide_size(TerminalSize(), {"COLUMNS": stated, "LINES": stated}) == TerminalSize()


@given(stated=st.text())
def test_no_stated_size_is_an_accident(stated: str) -> None:
    columns = decide_size(TerminalSize(), {"COLUMNS": stated}).columns
    assert columns is None or int(stated) == columns > 0


# ------------------------------------------------------------------------------ repainting


@given(stdout=kinds, stderr=kinds)
def test_only_two_terminals_are_repainted(stdout: StreamKind, stderr: StreamKind) -> None:
    both = (stdout, stderr) == ("tty", "tty")
    assert decide_repainting(stdout=stdout, stderr=stderr, environ={"TERM": "xterm"}) is both


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, True),
        ({"TERM": "dumb"}, False),
        ({"CI": "true"}, False),
        ({"CI": "1"}, False),
        ({"CI": "woodpecker"}, False),
        ({"CI": ""}, True),
        ({"CI": "0"}, True),
        ({"CI": "false"}, True),
        *[({name: "1"}, False) for name in AGENT_SHELL_VARIABLES],
        *[({name: "0"}, False) for name in AGENT_SHELL_VARIABLES],
        *[({name: ""}, True) for name in AGENT_SHELL_VARIABLES],
    ],
)
def test_nothing_is_repainted_where_no_person_watches(
    environ: dict[str, str], expected: bool
) -> None:
    assert decide_repainting(stdout="tty", stderr="tty", environ=environ) is expected


def test_the_known_agent_shells_are_these() -> None:
    assert AGENT_SHELL_VARIABLES == ("CLAUDECODE", "CURSOR_AGENT", "CODEX_CLI")


# ------------------------------------------------------------------------------ probing


@pytest.mark.parametrize("surface", sorted(PROBED_SURFACES))
def test_a_terminal_is_probed_with_its_size(pty_fd: int, surface: HostSurface) -> None:
    stream = TerminalStream(kind="tty", color="256", columns=101, rows=37)
    environ = {"TERM": "xterm-256color"}
    assert probe_terminal(surface, environ, pty_fd, pty_fd) == Terminal(
        host_surface=surface, stdout=stream, stderr=stream, shares_target=True, repaints=True
    )


def test_an_agent_shell_on_a_terminal_keeps_its_colour(pty_fd: int) -> None:
    terminal = probe_terminal("cli", {"CLAUDECODE": "1"}, pty_fd, pty_fd)
    assert not terminal.repaints
    assert terminal.stdout.color == "basic"


def test_two_terminals_share_nothing(pty_fd: int) -> None:
    controller, other = os.openpty()
    terminal = probe_terminal("cli", {}, pty_fd, other)
    os.close(controller)
    os.close(other)
    assert not terminal.shares_target
    assert terminal.repaints


def test_a_terminal_that_was_never_told_its_size_has_none() -> None:
    controller, fd = os.openpty()
    size = current_size(fd, {})
    os.close(controller)
    os.close(fd)
    assert size == TerminalSize()


def test_a_resize_is_seen_when_the_size_is_asked_for_again(pty_fd: int) -> None:
    assert current_size(pty_fd, {}) == TerminalSize(columns=101, rows=37)
    termios.tcsetwinsize(pty_fd, (10, 40))
    assert current_size(pty_fd, {}) == TerminalSize(columns=40, rows=10)
    assert current_size(pty_fd, {"COLUMNS": "66"}) == TerminalSize(columns=66, rows=10)


def test_pipes_have_no_size_but_the_stated_one(pipe_fds: tuple[int, int]) -> None:
    assert probe_terminal("cli", {}, *pipe_fds) == Terminal.pipes()
    stated = probe_terminal("cli", {"COLUMNS": "120", "FORCE_COLOR": "3"}, *pipe_fds)
    assert stated.stdout == TerminalStream(kind="pipe", color="truecolor", columns=120)


def test_document_and_live_part_are_probed_apart(pty_fd: int, pipe_fds: tuple[int, int]) -> None:
    terminal = probe_terminal("script", {}, pipe_fds[0], pty_fd)
    assert (terminal.stdout.kind, terminal.stderr.kind) == ("pipe", "tty")
    assert (terminal.stdout.color, terminal.stderr.color) == ("none", "basic")
    assert not terminal.repaints


def test_one_file_behind_both_streams_is_a_shared_target(tmp_path: Path) -> None:
    with (
        (tmp_path / "a").open("w", encoding="utf-8") as out,
        (tmp_path / "a").open("a", encoding="utf-8") as err,
    ):
        terminal = probe_terminal("cli", {}, out.fileno(), err.fileno())
    assert terminal.shares_target
    assert terminal.stdout == TerminalStream(kind="pipe")


def test_two_files_on_one_device_are_not_a_shared_target(tmp_path: Path) -> None:
    with (
        (tmp_path / "a").open("w", encoding="utf-8") as out,
        (tmp_path / "b").open("w", encoding="utf-8") as err,
    ):
        assert not probe_terminal("cli", {}, out.fileno(), err.fileno()).shares_target


def test_a_target_is_known_by_its_device_and_its_inode() -> None:
    def status(device: int, inode: int) -> os.stat_result:
        return os.stat_result((0o100644, inode, device, 1, 0, 0, 0, 0, 0, 0))

    assert decide_sharing(status(7, 3), status(7, 3))
    assert not decide_sharing(status(7, 3), status(8, 3))
    assert not decide_sharing(status(7, 3), status(7, 4))
    assert not decide_sharing(status(7, 0), status(7, 0))
    assert not decide_sharing(status(7, 3), None)
    assert not decide_sharing(None, status(7, 3))


@pytest.mark.parametrize("fd", [None, -1, NO_DESCRIPTOR, "closed"])
def test_what_is_not_open_is_no_stream(fd: Any) -> None:
    fd = closed_descriptor() if fd == "closed" else fd
    terminal = probe_terminal("cli", {"FORCE_COLOR": "3"}, fd, fd)
    assert terminal == Terminal.absent("cli")
    assert current_size(fd, {}) == TerminalSize()


def test_one_closed_stream_shares_nothing_with_the_other(pty_fd: int) -> None:
    terminal = probe_terminal("cli", {}, pty_fd, None)
    assert (terminal.stdout.kind, terminal.stderr.kind) == ("tty", "none")
    assert (terminal.shares_target, terminal.repaints) == (False, False)


@pytest.mark.parametrize("surface", ["mcp", "hook", "workbench"])
def test_a_surface_without_a_terminal_is_never_probed(pty_fd: int, surface: HostSurface) -> None:
    terminal = probe_terminal(surface, {"FORCE_COLOR": "3", "COLUMNS": "80"}, pty_fd, pty_fd)
    assert terminal.to_wire() == {
        "hostSurface": surface,
        "stdout": {"kind": "none", "color": "none"},
        "stderr": {"kind": "none", "color": "none"},
        "sharesTarget": False,
    }


@given(environ=st.dictionaries(st.sampled_from(["TERM", "COLUMNS", "LINES", "CI"]), st.text()))
def test_no_environment_breaks_the_probe(environ: dict[str, str]) -> None:
    with contextlib.ExitStack() as cleanup:
        controller, fd = os.openpty()
        cleanup.callback(os.close, controller)
        cleanup.callback(os.close, fd)
        assert probe_terminal("cli", environ, fd, fd).stdout.kind == "tty"


# ------------------------------------------------------------------------------ values


def test_the_synthetic_terminal_is_80_by_24_in_basic_colour() -> None:
    stream = {"kind": "tty", "color": "basic", "columns": 80, "rows": 24}
    terminal = Terminal.synthetic()
    assert terminal.to_wire() == {
        "hostSurface": "cli",
        "stdout": stream,
        "stderr": stream,
        "sharesTarget": True,
    }
    assert terminal.repaints
    assert Terminal.synthetic("script").host_surface == "script"


def test_the_synthetic_pipes_have_nothing_but_themselves() -> None:
    pipe = {"kind": "pipe", "color": "none"}
    terminal = Terminal.pipes("script")
    assert terminal.to_wire() == {
        "hostSurface": "script",
        "stdout": pipe,
        "stderr": pipe,
        "sharesTarget": False,
    }
    assert not terminal.repaints


@pytest.mark.parametrize("surface", ["mcp", "hook", "workbench"])
@pytest.mark.parametrize(
    "claim",
    [
        {"stdout": TerminalStream(kind="pipe")},
        {"stderr": TerminalStream(kind="tty")},
        {"shares_target": True},
        {"repaints": True},
    ],
)
def test_a_surface_without_a_terminal_cannot_claim_one(
    surface: HostSurface, claim: dict[str, Any]
) -> None:
    with pytest.raises(RequestError, match=f"the {surface} surface is always Terminal.absent"):
        attrs.evolve(Terminal.absent(surface), **claim)


def test_terminals_are_frozen() -> None:
    terminal: Any = Terminal.synthetic()
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        terminal.shares_target = False
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        terminal.stdout.columns = 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "TTY"}, "TerminalStream.kind is one of tty, pipe, none, received 'TTY'"),
        (
            {"kind": "tty", "color": 256},
            "TerminalStream.color is one of none, basic, 256, truecolor, received 256",
        ),
        (
            {"kind": "tty", "columns": 0},
            "TerminalStream.columns is a positive integer or None, received 0",
        ),
        (
            {"kind": "tty", "rows": True},
            "TerminalStream.rows is a positive integer or None, received True",
        ),
    ],
)
def test_a_bad_stream_is_refused_with_place_expectation_and_value(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(RequestError) as caught:
        TerminalStream(**fields)
    assert (caught.value.code, caught.value.message) == ("invalid-invocation", message)


def test_an_unknown_surface_is_refused() -> None:
    surface: Any = "telnet"
    with pytest.raises(RequestError, match=r"Terminal\.host_surface is one of cli, mcp, hook"):
        Terminal.absent(surface)
