"""The child processes that this process has to take along when it ends.

Whoever runs a child ends it (`process`).  That takes a moment, and a process that ends may not
have it: a server whose client left has a second and a half for everything.  So whoever ends a
process may say that there is hurry, and, as the last thing it does, kill what is left.

Not here: starting, and asking a child to end.  Nothing here waits, takes a lock or imports Trio:
it is used in signal handlers and by a thread that ends the process while everything else hangs.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Final, final

GRACE_S: Final = 0.5
"""Between asking a group to end and killing it."""

HURRY_S: Final = 0.15
"""The same when the process itself is about to end: half of what a server's cleanups have."""


@final
class Children:
    """Those of one process.

    Attributes:
        grace_s: seconds from asking a group to end until it is killed.
        pids: of those that were started and not yet ended; each names a group too.
    """

    def __init__(self) -> None:
        self.grace_s: float = GRACE_S
        self.pids: frozenset[int] = frozenset()

    def add(self, pid: int) -> None:
        """A child was started, which is the first of its group.  In the Trio thread, as `remove`."""
        self.pids |= {pid}

    def remove(self, pid: int) -> None:
        """It has ended, and its group too, or it is left in peace."""
        self.pids -= {pid}

    def hurry(self) -> None:
        """From now on, children have less time to end by themselves."""
        self.grace_s = HURRY_S

    def relax(self) -> None:
        """Take that back."""
        self.grace_s = GRACE_S

    def kill(self) -> None:
        """Kill all of them, with their groups; in any thread, and in a signal handler."""
        for pid in self.pids:
            with suppress(OSError):
                kill_group(pid)


def kill_group(pid: int) -> None:
    """Kill the group of a child; where there are no groups, the child.

    Raises:
        OSError: there is nobody any more.
    """
    if hasattr(os, "killpg"):
        os.killpg(pid, signal.SIGKILL)
    else:  # pragma: no cover  # Windows, where this ends a process at once
        os.kill(pid, signal.SIGTERM)


CHILDREN: Final = Children()
"""Those of this process."""
