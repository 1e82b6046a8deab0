"""What the code under test prints: it goes to the command line that it was run by.

`sys.stdout` and `sys.stderr` belong to the whole process, and several invocations may run in it
at a time, beside tasks of the test itself.  So both are replaced, while any invocation runs, by a
stand-in that asks the context of whoever prints: a task or a worker thread of an invocation has
its text stream there, everybody else has none, and gets what was there before.

Not caught: what is written to descriptors (child processes, C code, `sys.__stdout__`); what
threads print that were not started by Trio, since those begin with an empty context; and what a
thread that was abandoned prints when no invocation runs any more.

Pure but for the two names in `sys`.  Above: `cli`.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, Literal, TextIO, final

if TYPE_CHECKING:
    from collections.abc import Generator

_taken_by: Final[ContextVar[TextIO | None]] = ContextVar("_taken_by", default=None)
"""Where the current task prints to, if it is of an invocation."""


@final
class StandIn:
    """Stands where `sys.stdout` or `sys.stderr` stood.

    It works also when it has stepped back, because a logging handler that was made meanwhile
    keeps it.
    """

    def __init__(self, name: Literal["stdout", "stderr"]) -> None:
        self._name: Final = name
        self._behind: TextIO | None = None
        self._users = 0

    def step_in(self) -> None:
        """Stand there, for one more."""
        self._users += 1
        if self._users == 1:
            self._behind = getattr(sys, self._name)
            setattr(sys, self._name, self)

    def step_back(self) -> None:
        """Stand there for one less, and no more after the last."""
        self._users -= 1
        if self._users == 0 and getattr(sys, self._name) is self:
            # Otherwise somebody else has put something there, and will take it away again.
            setattr(sys, self._name, self._behind)

    def __getattr__(self, name: str) -> object:
        return getattr(_taken_by.get() or self._behind, name)


_stand_ins: Final = (StandIn("stdout"), StandIn("stderr"))
_turn: Final = threading.Lock()


@contextmanager
def printing_to(text: TextIO) -> Generator[None, None, None]:
    """Let *text* have what the block prints, with all tasks and threads that it starts."""
    token = _taken_by.set(text)
    with _turn:
        for stand_in in _stand_ins:
            stand_in.step_in()
    try:
        yield
    finally:
        with _turn:
            for stand_in in _stand_ins:
                stand_in.step_back()
        _taken_by.reset(token)
