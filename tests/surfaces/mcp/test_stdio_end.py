"""How a server process ends: end of input, end of output, signals, and what holds it up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.mcp.child import PATIENCE_S, SERVER, request, started
from tests.surfaces.mcp.talking import Talk
from trio_agent.surfaces.mcp.process.guard import redirect_stdout
from trio_agent.surfaces.mcp.process.interruption import CLEANUP_S as SIGNALLED_S, HURRY_S, SIGNALS
from trio_agent.surfaces.mcp.process.watchdog import Watchdog
from trio_agent.surfaces.mcp.stdio import serving as stdio
from trio_agent.surfaces.mcp.stdio.lines import FLUSH_S, GRACE_S
from trio_agent.surfaces.mcp.stdio.serving import (
    CLEANUP_S,
    LAST_S,
    end_process,
    serve_conversations,
)

need_pseudo_terminals()


def test_all_in_all_it_takes_a_second_and_a_half_at_most() -> None:
    """The watchdog keeps these times; below, it is seen doing so."""
    assert GRACE_S + CLEANUP_S + LAST_S <= 1.5
    assert FLUSH_S < CLEANUP_S
    assert HURRY_S < SIGNALLED_S < 1.5 - LAST_S


# ------------------------------------------------------------------------------ input and output


def test_without_input_it_ends_at_once() -> None:
    for _ in range(20):  # BR-24
        done = subprocess.run(
            [sys.executable, str(SERVER)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_answers_that_are_nearly_finished_are_written_after_the_end_of_the_input() -> None:
    with started() as child:  # BR-32, surfaces 62
        child.write(*(request("sleep", {"s": 0.2}, number) for number in range(5)))
        code, left, _ = child.end()

    assert code == 0
    assert sorted(str(message["id"]) for message in left if "result" in message) == list("01234")


def test_a_call_that_takes_longer_is_cancelled_cleans_up_and_is_answered_with_an_error() -> None:
    with started() as child:
        child.send("sleep", {"s": 60, "name": "long", "cleanup": 0.1})
        child.hear(b"asleep long")
        code, left, err = child.end()

    assert (code, error_codes(left)) == (0, [-32000])
    assert err == "slept long\n"


@pytest.mark.parametrize("method", ["thread", "linger", "hang_cleanup"])
def test_what_does_not_end_by_itself_is_cut_off(method: str) -> None:
    with started() as child:
        if method == "hang_cleanup":
            child.send("sleep", {"s": 60, "name": "it", "cleanup": 60})
            child.hear(b"asleep it")
        else:
            child.send(method)
            child.hear(b"started")
        code, _, err = child.end()

    assert code == 0
    cut_off = "trio-agent: the process did not end in time, so it was ended\n"
    # Python does not wait for the threads of Trio.
    assert err == ("" if method == "thread" else cut_off)


def test_when_the_client_closes_only_the_output_it_ends() -> None:
    for busy in (False, True):
        with started() as child:  # BR-24
            child.call("initialize")
            if busy:
                child.send("sleep", {"s": 60, "name": "busy"})
                child.hear(b"asleep busy")
            child.stdout.close()
            assert child.process.wait(PATIENCE_S) == 0
            assert child.stderr.read() == (b"slept busy\n" if busy else b"")


def test_when_the_parent_is_killed_it_ends(tmp_path: Path) -> None:
    program = f"""if True:
        import subprocess, sys
        pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
        child = subprocess.Popen([sys.executable, {str(SERVER)!r}, "mark", sys.argv[1]], **pipes)
        child.stdin.write(b'{{"jsonrpc":"2.0","id":1,"method":"ping"}}\\n')
        child.stdin.flush()
        child.stdout.readline()
        print(child.pid, flush=True)
        child.wait()
    """
    mark = tmp_path / "mark"
    command = [sys.executable, "-c", program, str(mark)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:  # BR-24
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.kill()
    deadline = time.perf_counter() + PATIENCE_S
    while not mark.exists():
        assert time.perf_counter() < deadline
        time.sleep(0.01)


def test_exit_handlers_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with started("mark", str(mark)) as child:
        assert child.end()[0] == 0
    assert mark.read_text(encoding="utf-8") == "ended"


def error_codes(messages: list[Any]) -> list[int]:
    return [message["error"]["code"] for message in messages]


# ------------------------------------------------------------------------------ signals

ENDS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_while_it_loads_ends_it_without_a_traceback(
    number: signal.Signals, code: int
) -> None:
    with started("hang") as child:
        child.hear(b"loading")
        child.signal(number)
        assert child.wait() == (code, [], "")


def test_a_signal_in_the_grace_period_shortens_it() -> None:
    with started() as child:
        child.send("sleep", {"s": 60, "name": "cut"})
        child.hear(b"asleep cut")
        child.stdin.close()
        child.signal(signal.SIGTERM)
        code, left, err = child.wait()

    assert (code, len(left), err) == (143, 1, "slept cut\n")


def test_a_handler_that_blocks_the_loop_does_not_keep_the_process() -> None:
    with started() as child:
        child.send("block")
        child.hear(b"blocking")
        child.signal(signal.SIGTERM)
        code, _, _ = child.wait()

    assert code == 143


def test_a_handler_that_raises_a_keyboard_interrupt_interrupts() -> None:
    with started() as child:
        child.send("interrupt")
        code, _, err = child.wait()

    assert (code, err) == (130, "")


# ------------------------------------------------------------------------------ a terminal


@pytest.mark.parametrize("when", ["idle", "busy", "twice", "loading"])
def test_one_ctrl_c_on_a_terminal_is_enough(when: str) -> None:
    import pty

    outside, inside = pty.openpty()
    words = ["hang"] if when == "loading" else []
    with started(
        *words, stdin=inside, stdout=inside, preexec_fn=lambda: own_terminal(inside)
    ) as child:  # BR-26
        os.close(inside)
        if when == "loading":
            child.hear(b"loading")
        else:
            os.write(outside, request("ping", {}, "p") + b"\n")
            read_until(outside, b'"result"')
        if when in {"busy", "twice"}:
            os.write(outside, request("sleep", {"s": 60, "name": "it", "cleanup": 0.02}) + b"\n")
            child.hear(b"asleep it")
        os.write(outside, b"\x03\x03" if when == "twice" else b"\x03")
        assert child.process.wait(PATIENCE_S) == 130
        err = child.stderr.read().decode()
    os.close(outside)

    assert err == ("slept it\n" if when in {"busy", "twice"} else "")


def own_terminal(fd: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(fd, termios.TIOCSCTTY, 0)


def read_until(fd: int, text: bytes) -> None:
    data = b""
    while text not in data:
        data += os.read(fd, 1000)


# ------------------------------------------------------------------------------ standard error


def test_a_client_that_never_reads_standard_error_gets_its_answers() -> None:
    with started() as child:  # BR-30
        assert child.call("grumble", {"lines": 1000}) == {}
        child.send("boom", id_=2)
        assert child.read()["error"]["code"] == -32603
        assert child.call("ping", id_=3) == {}
        child.stdin.close()
        assert child.process.wait(PATIENCE_S) == 0


def test_what_was_lost_on_standard_error_is_counted() -> None:
    with started() as child:
        assert child.call("grumble", {"lines": 1000}) == {}
        os.set_blocking(child.stderr.fileno(), False)
        assert len(child.stderr.read()) < 1_000_000
        assert child.call("grumble", {"lines": 1}, 2) == {}
        _, _, err = child.end()

    first, second = err.splitlines()
    assert first.startswith("trio-agent: ")
    assert first.endswith(" bytes of standard error were lost")
    assert second.startswith("grumble")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_standard_error_does_not_matter() -> None:
    with Path("/dev/full").open("wb") as full, started(stderr=full) as child:
        assert child.call("grumble", {"lines": 10}) == {}
        child.send("boom", id_=2)
        assert child.read()["error"]["code"] == -32603
        assert child.end()[0] == 0


# ------------------------------------------------------------------------------ starting


def test_a_mistake_in_what_makes_a_conversation_is_shown() -> None:
    with started("broken") as child:
        code, left, err = child.end()

    assert (code, left) == (1, [])
    assert "TypeError" in err


def test_what_is_loaded_already_is_served_too(capfd: pytest.CaptureFixture[str]) -> None:
    # The standard input of a test is empty.
    assert serve_conversations(Talk(), name="talker", heartbeat=False) == 0
    redirect_stdout().release()
    # Or else this process would be ended.
    assert stdio._watchdog._order == (0, threading.TIMEOUT_MAX)


def test_signals_are_ignored_once_the_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    armed = list[tuple[int, float]]()
    monkeypatch.setattr(Watchdog, "arm", lambda self, code, time: armed.append((code, time)))
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        with pytest.raises(SystemExit) as caught:
            end_process(143)
        assert all(signal.getsignal(number) is signal.SIG_IGN for number in before)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert (caught.value.code, armed) == (143, [(143, LAST_S)])
