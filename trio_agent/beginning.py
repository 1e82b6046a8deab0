"""How a program of ours begins, before it imports anything: without the collector.

Imports no typing, since help is printed in less time than that takes.  Above: `__main__`, `console`.
"""

from __future__ import annotations

import contextlib
import gc
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def begin_quickly(begin: Callable[[], int]) -> int:
    """Call *begin*, which imports what it needs, and give its exit code; 130 after Ctrl-C.

    Starting makes modules and classes, none of which is garbage; looking for some anyway takes a
    tenth of the time.  `run` turns the collector on again before a component runs.
    """
    gc.disable()
    try:
        return begin()
    except KeyboardInterrupt:
        # Most of a short run is its imports, in which nobody listens to signals yet.
        with contextlib.suppress(OSError):
            os.write(2, b"Interrupted.\n")
        return 130
