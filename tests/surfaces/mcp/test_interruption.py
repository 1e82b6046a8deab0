import signal
import threading
from collections.abc import Iterator

import pytest
import trio
import trio.testing

from trio_agent.surfaces.mcp.process.interruption import Interrupted, Interruption
from trio_agent.surfaces.mcp.process.watchdog import Watchdog


class Ended:
    """Which ends were called for."""

    def __init__(self) -> None:
        self.at_once: list[int] = []
        self.forced: list[int] = []
        self.was_forced = threading.Event()

    def force(self, code: int) -> None:
        self.forced.append(code)
        self.was_forced.set()


@pytest.fixture
def ended() -> Ended:
    return Ended()


@pytest.fixture
def interruption(ended: Ended) -> Iterator[Interruption]:
    watchdog = Watchdog(ended.force)
    interruption = Interruption(watchdog, ended.at_once.append)
    with interruption.listening():
        yield interruption
    watchdog.disarm()


SIGNALS = [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)]


@pytest.mark.parametrize(("number", "code"), SIGNALS)
async def test_while_it_serves_the_first_signal_stops_it(
    interruption: Interruption, number: signal.Signals, code: int
) -> None:
    stopped = trio.Event()
    with interruption.stopping(stopped.set):
        await trio.testing.wait_all_tasks_blocked()
        assert interruption.exit_code is None
        signal.raise_signal(number)
        await stopped.wait()
    assert interruption.exit_code == code


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_while_it_loads_the_first_signal_interrupts(
    interruption: Interruption, number: signal.Signals, code: int
) -> None:
    with pytest.raises(Interrupted), interruption.loading():
        signal.raise_signal(number)
    assert interruption.exit_code == code


async def test_a_signal_between_loading_and_serving_stops_it_at_once(
    interruption: Interruption,
) -> None:
    signal.raise_signal(signal.SIGTERM)
    stopped = list[str]()
    with interruption.stopping(lambda: stopped.append("stopped")):
        assert stopped == ["stopped"]


def test_the_second_signal_leaves_less_time_and_the_third_none(
    interruption: Interruption, ended: Ended
) -> None:
    signal.raise_signal(signal.SIGINT)
    assert (interruption.exit_code, ended.forced) == (130, [])
    signal.raise_signal(signal.SIGTERM)
    assert ended.was_forced.wait(30)
    assert (interruption.exit_code, ended.forced, ended.at_once) == (130, [143], [])
    signal.raise_signal(signal.SIGHUP)
    assert ended.at_once == [129]


def test_an_ignored_signal_stays_ignored_and_afterwards_all_are_what_they_were() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.getsignal(signal.SIGTERM)
    try:
        interruption = Interruption(Watchdog(lambda code: None))
        with interruption.listening():
            signal.raise_signal(signal.SIGHUP)
            assert interruption.exit_code is None
            assert signal.getsignal(signal.SIGTERM) != before[1]
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is before[1]
    finally:
        signal.signal(signal.SIGHUP, before[0])
