"""What is done behind Trio's back is undone afterwards."""

from __future__ import annotations

import pytest
from trio._core import _run

from actors.testing.innards import fixed_schedule


def test_the_scheduler_is_fixed_inside_the_block_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # Hypothesis, once imported, has already thrown the switch.
    monkeypatch.setattr(_run, "_ALLOW_DETERMINISTIC_SCHEDULING", False)
    state = _run._r.getstate()
    drawn: list[float] = []
    for _ in range(2):
        with fixed_schedule(7):
            assert vars(_run)["_ALLOW_DETERMINISTIC_SCHEDULING"] is True
            drawn.append(_run._r.random())
        assert vars(_run)["_ALLOW_DETERMINISTIC_SCHEDULING"] is False
        assert _run._r.getstate() == state
    assert drawn[0] == drawn[1]
