"""The stage: what the renderer does this very moment, for the functions that depend on it.

A `def` component runs in one step on the Trio thread, so one slot is enough to know that code is
inside one.  Other threads and async components never are.
"""

from __future__ import annotations

import threading
from typing import Final, final


@final
class Stage:
    """Made on the thread that renders, one for each invocation.

    Attributes:
        component: name of the `def` component that runs now, or None.
        suspended: set by `use` when it suspends that component; the renderer looks at it.
    """

    __slots__ = ("_thread", "component", "suspended")

    def __init__(self) -> None:
        self._thread: Final = threading.get_ident()
        self.component: str | None = None
        self.suspended: bool = False

    @property
    def is_in_thread(self) -> bool:
        """Whether the asking code runs in the thread that renders."""
        return threading.get_ident() == self._thread

    @property
    def current(self) -> str | None:
        """Name of the `def` component that the asking code is part of, or None."""
        return self.component if self.is_in_thread else None
