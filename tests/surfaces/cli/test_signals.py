import signal

import trio
import trio.testing

from trio_agent.surfaces.cli.signals import Interruption, SignalWatch


async def interrupt(*numbers: signal.Signals) -> tuple[Interruption, list[int], bool]:
    ends: list[int] = []
    interruption = Interruption(ends.append)
    with interruption.listening() as received, trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SignalWatch(received, scope).run)
            await trio.testing.wait_all_tasks_blocked()
            for number in numbers:
                signal.raise_signal(number)
            await trio.sleep_forever()
    return interruption, ends, scope.cancelled_caught


async def test_the_first_signal_cancels() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        interruption, ends, cancelled = await interrupt(number)

        assert (interruption.number, ends, cancelled) == (number, [], True)


async def test_the_second_ends_the_process_at_once_with_its_own_code() -> None:
    interruption, ends, _ = await interrupt(signal.SIGINT, signal.SIGTERM)

    assert interruption.number == signal.SIGINT
    assert ends == [143]


async def test_an_ignored_interrupt_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        interruption, ends, _ = await interrupt(signal.SIGINT, signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)

    assert (interruption.number, ends) == (signal.SIGTERM, [])


async def test_afterwards_signals_are_what_they_were() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Interruption(lambda code: None).listening():
        assert signal.getsignal(signal.SIGINT) is not before[0]

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
