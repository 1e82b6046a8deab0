"""Signals while our own modules are imported: most of the life of a server that is just started.

Nothing of the author's has run by then, so there is nothing to clean up, and a signal ends the
process at once, without the traceback of a half imported module.  Later `interruption` takes over.

Imports nothing but the standard library, since it has to come before everything else.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


def end_on_signals() -> None:
    """Let SIGHUP, SIGINT and SIGTERM end the process with 129, 130 and 143 from now on.

    Those that were ignored when the process began stay ignored.  Main thread only.
    """
    for name in ("SIGHUP", "SIGINT", "SIGTERM"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    os._exit(128 + number)
