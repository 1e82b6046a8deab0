"""What every test begins with, however the tests were started."""

import subprocess
import sys

SAYS_WHO_IS_ASKED = (
    "import signal, tests.conftest\n"
    "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler,"
    " signal.getsignal(signal.SIGTERM) is signal.SIG_DFL,"
    " signal.getsignal(signal.SIGHUP) is signal.SIG_DFL)"
)


def test_started_in_the_background_signals_arrive_all_the_same() -> None:
    # `job &` in a script leaves SIGINT ignored, and a child cannot tell it from a choice.
    shell = ["sh", "-c", "trap '' INT TERM HUP; exec \"$@\"", "sh"]
    ran = subprocess.run(
        [*shell, sys.executable, "-c", SAYS_WHO_IS_ASKED],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )

    assert ran.stdout.split() == ["True", "True", "True"]
