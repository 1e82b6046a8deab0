import subprocess
import sys
import threading
from collections.abc import Callable

from trio_agent.surfaces.mcp.process.watchdog import Watchdog

PATIENCE_S = 30.0


def start(function: Callable[[], object], args: tuple[()]) -> None:
    """Start a thread that coverage sees."""
    threading.Thread(target=function, args=args, daemon=True).start()


def watching() -> tuple[Watchdog, list[int], Callable[[], bool]]:
    codes, ended = list[int](), threading.Event()

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    return Watchdog(end, start), codes, lambda: ended.wait(PATIENCE_S)


def test_it_ends_the_process_when_the_time_is_up() -> None:
    watchdog, codes, wait = watching()
    watchdog.arm(143, 0)

    assert wait()
    assert codes == [143]


def test_a_later_order_takes_the_place_of_an_earlier_one() -> None:
    watchdog, codes, wait = watching()
    watchdog.arm(0, 1000)
    watchdog.arm(129, 1000)
    watchdog.arm(130, 0)

    assert wait()
    assert codes == [130]


def test_a_disarmed_one_waits_for_the_next_order() -> None:
    watchdog, codes, wait = watching()
    watchdog.disarm()
    watchdog.arm(0, 1000)
    watchdog.disarm()
    watchdog.arm(7, 0)

    assert wait()
    assert codes == [7]


def test_it_starts_its_own_thread_once() -> None:
    ended = threading.Event()
    watchdog = Watchdog(lambda code: ended.set())
    watchdog.arm(0, 1000)
    watchdog.arm(0, 0)

    assert ended.wait(PATIENCE_S)


def test_a_process_that_does_not_end_is_ended_and_says_so() -> None:
    program = (
        "import threading; from trio_agent.surfaces.mcp.stdio.serving import end_process;"
        "threading.Thread(target=threading.Event().wait).start(); end_process(5)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=PATIENCE_S, check=False
    )

    assert done.returncode == 5
    assert done.stderr == b"trio-agent: the process did not end in time, so it was ended\n"
