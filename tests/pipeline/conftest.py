"""However a render ends: no open end, no warning, no coroutine that was never awaited."""

from collections.abc import Iterator

import pytest

from actors.testing import assert_no_leaks


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    with assert_no_leaks():
        yield
