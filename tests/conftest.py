"""What every test shares: the Hypothesis profiles and the rule that a warning is an error.

`dev` is the default and quick; `ci` draws the same examples every time, so that a red run can be
repeated; `deep` is for a night. Choose with the environment variable `HYPOTHESIS_PROFILE`.
No profile has a deadline: under a fake clock and a drawn schedule, real time says nothing.

A test that hangs is not cut off here: cancelling from outside a Trio run breaks the run, and
pytest's `faulthandler_timeout` already shows where every task stands.

A shell starts what it puts in the background with SIGINT ignored, `nohup` ignores SIGHUP, and
children inherit that: the tests would send signals that nobody receives, and wait.  So they begin as in the foreground.
"""

import gc
import os
import signal
import warnings

from hypothesis import HealthCheck, Phase, settings

# pytest sets its filter around each test only; threads and imports of conftest files live longer.
warnings.simplefilter("error")

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

_SLOW_IS_FINE = (HealthCheck.too_slow,)

settings.register_profile(
    "dev",
    deadline=None,
    max_examples=50,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=60,
    derandomize=True,
    print_blob=True,
    database=None,
    # Explaining a failure reruns it many times; the blob is enough to do so at home.
    phases=[phase for phase in Phase if phase is not Phase.explain],
    suppress_health_check=_SLOW_IS_FINE,
)
settings.register_profile(
    "deep",
    deadline=None,
    max_examples=5000,
    print_blob=True,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_collection_finish() -> None:
    """Let the collector leave alone what imports have made."""
    _settle()


def pytest_runtest_setup() -> None:
    """Let the collector leave alone what the tests before this one have made, and still hold.

    Leak checks collect garbage once for each example, and would walk through everything that is
    alive each time: modules that were imported late, what Hypothesis remembers.  It was a third
    of the time of a whole run.
    """
    _settle()


def _settle() -> None:
    gc.collect()
    gc.freeze()
