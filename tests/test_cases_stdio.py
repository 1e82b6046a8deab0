"""The reference's behavioural cases, continued: the life of a server on standard input and output.

The table of all cases is in `test_cases`.  Here, `surfaces` cases are 61 to 70, without those about
the environment and the roots, and servers run in processes of their own.
"""

from __future__ import annotations

import signal

import pytest
import trio
import trio.testing

from actors import open_supervisor
from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.mcp.child import PATIENCE_S, request, started
from trio_agent.surfaces.mcp.process.heartbeat import Heartbeat

need_pseudo_terminals()

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


def test_surfaces_61_what_is_printed_is_on_standard_error_and_the_protocol_stays_clean() -> None:
    with started("print", "wrap") as child:
        assert child.call("print") == {"stdin": ""}
        code, left, err = child.end()

    assert (code, left) == (0, [])
    for text in (
        "printed at import",
        "written at import",
        "sys.stdout was replaced by a _io.StringIO",
        "printed in a handler",
        "written to sys.stdout",
        "written to descriptor 1",
        "put by C",
        "printed by a child",
    ):
        assert err.count(text) == 1, text


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_surfaces_62_a_signal_ends_it_with_its_own_code_and_calls_clean_up(
    number: signal.Signals, code: int
) -> None:
    with started() as child:
        child.send("sleep", {"s": 60, "name": "soundly", "cleanup": 0.05})
        child.hear(b"asleep soundly")
        child.signal(number)
        received, left, err = child.wait()

    assert received == code
    assert [message["error"]["code"] for message in left] == [-32000]
    assert err == "slept soundly\n"


def test_surfaces_62_the_end_of_the_input_ends_it_after_what_is_nearly_finished() -> None:
    """The reference gives a shutdown five seconds; hosts kill after two, so we take 1.5."""
    with started() as child:
        child.write(*(request("sleep", {"s": 0.2}, number) for number in range(5)))
        code, left, _ = child.end()

    assert code == 0
    assert sorted(str(message["id"]) for message in left if "result" in message) == list("01234")


def test_surfaces_62_a_client_that_closes_the_output_ends_it() -> None:
    with started() as child:
        child.call("initialize")
        child.stdout.close()
        assert child.process.wait(PATIENCE_S) == 0


def test_surfaces_64_a_second_signal_starts_no_second_shutdown_and_shortens_the_first() -> None:
    with started() as child:
        child.send("sleep", {"s": 60, "name": "once", "cleanup": 0.1})
        child.hear(b"asleep once")
        child.send("sleep", {"s": 60, "name": "never", "cleanup": 60}, 2)
        child.hear(b"asleep never")
        child.signal(signal.SIGINT)
        child.signal(signal.SIGTERM)
        code, _, err = child.wait()

    assert code in {130, 143}  # which of two signals that wait comes first is the system's choice
    assert err == "slept once\ntrio-agent: the process did not end in time, so it was ended\n"


def test_surfaces_65_what_makes_no_conversation_is_refused_by_the_name_of_the_server() -> None:
    with started("nothing") as child:
        code, left, err = child.end()

    assert (code, left) == (1, [])
    assert err.endswith(
        "TypeError: the server 'talker' is a function that makes conversations, or a low-level"
        " server of the SDK, received an instance of NoneType\n"
    )


async def test_surfaces_70_heartbeats_are_lines_every_five_minutes_and_once_a_minute_when_active(
    autojump_clock: trio.testing.MockClock,
) -> None:
    said = list[str]()
    heart = Heartbeat("curator", said.append, trio.current_time())
    async with open_supervisor() as supervisor:
        supervisor.start(heart)
        for _ in range(305):
            await trio.sleep(1)
            heart.note_activity(trio.current_time())
        supervisor.stop()

    reasons = [line.split()[3] for line in said]
    assert sorted(reasons) == ["reason=activity"] * 5 + ["reason=interval"]
