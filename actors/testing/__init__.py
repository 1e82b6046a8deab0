"""Instruments for testing actors: strike at every step, and look for what was left behind.

* `strike_every_step` runs a program again and again, and cancels or crashes it one step later each
  time, until it has been struck wherever it can be. Each `Attempt` says what came of it.
* `assert_no_leaks` wraps a piece of a test, synchronous or not, and fails if something is left.
* `watch_leaks` is the same without the verdict.

All of it may be used by tests of programs that are built on `actors`; nothing of it is imported by
the kernel. It is not thread-safe: while leaks are watched, one Trio run at a time.
"""

from actors.testing.leaks import (
    Leaks as Leaks,
    LeakWatch as LeakWatch,
    assert_no_leaks as assert_no_leaks,
    watch_leaks as watch_leaks,
)
from actors.testing.strikes import (
    Attempt as Attempt,
    Extent as Extent,
    Kind as Kind,
    StrikeError as StrikeError,
    strike as strike,
    strike_every_step as strike_every_step,
)
