"""The private parts of Trio that the instruments depend on, all in one place.

Nothing else in this package reaches behind Trio's public face. If a new release of Trio breaks the
instruments, it is repaired here.

* ``trio._core._run._r`` is the source of every random decision of the scheduler;
* ``trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING`` makes those decisions depend on nothing else.
  Trio's own plugin for Hypothesis uses the two in the same way;
* ``Task._next_send`` is what a task will be resumed with, an object that has ``unwrap()``.
"""

from __future__ import annotations

import importlib
import inspect
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Never, final

if TYPE_CHECKING:
    import random
    from collections.abc import Generator
    from types import FrameType

    import trio

_RUN: Final = vars(importlib.import_module("trio._core._run"))
_SWITCH: Final = "_ALLOW_DETERMINISTIC_SCHEDULING"
_NEXT_SEND: Final = "_next_send"
_MACHINERY: Final = frozenset({"actors", "contextlib", "trio"})

# Trio functions which nothing but an exception can tell from a crash of their caller: when one of
# these is resumed, it holds nothing that it would have to give back. A nursery that waits for its
# children, or a lock that has just been handed over, is another matter.
_HOLDS_NOTHING: Final = frozenset(
    {
        "cancel_shielded_checkpoint",
        "checkpoint",
        "checkpoint_if_cancelled",
        "receive",
        "send",
        "sleep",
        "sleep_forever",
        "sleep_until",
        "wait",
    }
)


@contextmanager
def fixed_schedule(seed: int) -> Generator[None, None, None]:
    """Make Trio's scheduling inside the block a function of *seed*, and of nothing else."""
    randomness: random.Random = _RUN["_r"]
    state, switch = randomness.getstate(), _RUN[_SWITCH]
    randomness.seed(seed)
    _RUN[_SWITCH] = True
    try:
        yield
    finally:
        _RUN[_SWITCH] = switch
        randomness.setstate(state)


@final
class _Thrown:
    """Looks like a failed outcome to the task that is resumed with it."""

    __slots__ = ("_error",)

    def __init__(self, error: Exception) -> None:
        self._error = error

    def unwrap(self) -> Never:
        """Raise the error in the task."""
        raise self._error


def crash(task: trio.lowlevel.Task, error: Exception) -> None:
    """Let *error* come out of what *task* waits for, in its next step; ask `can_crash` before."""
    setattr(task, _NEXT_SEND, _Thrown(error))


def can_crash(task: trio.lowlevel.Task) -> bool:
    """Whether an exception in the next step of *task* is one that its own code might have raised.

    It is not if the task has not begun yet, or if Trio itself is in the middle of something.
    """
    if inspect.getcoroutinestate(task.coro) != inspect.CORO_SUSPENDED:
        return False
    frames = (frame for frame, _ in task.iter_await_frames() if _package(frame) == "trio")
    waits_in = next(frames, None)
    return waits_in is not None and waits_in.f_code.co_name in _HOLDS_NOTHING


def to_place(task: trio.lowlevel.Task) -> str:
    """Name *task* and the innermost place in it that is not part of the machinery."""
    place = task.name
    for frame, line in task.iter_await_frames():
        if _package(frame) not in _MACHINERY:
            place = f"{task.name} in {frame.f_code.co_qualname} ({frame.f_code.co_filename}:{line})"
    return place


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]
