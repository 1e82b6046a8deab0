"""The Hypothesis profiles of `tests/conftest.py`, for the long tests too."""

import os
import warnings

from hypothesis import HealthCheck, Phase, settings

warnings.simplefilter("error")

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
    max_examples=200,
    derandomize=True,
    print_blob=True,
    database=None,
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
