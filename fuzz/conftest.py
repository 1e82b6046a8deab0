"""The Hypothesis profiles and the rule about warnings are those of the other tests."""

import tests.conftest  # noqa: F401  # importing it is what registers them
