"""Leaks: what a piece of program leaves behind although it has ended.

A leak is an open end of a link, a task that still runs, a coroutine that was never awaited (Python
warns of it), any other warning, or an exception that had nowhere to go. Memory is not looked at.

Rules:

* ends are watched only inside `watch_leaks`; ends made before are none of its business;
* a leaked end is reported once: it is closed afterwards, so that its own `ResourceWarning` does
  not come up in some later test;
* an exception of the watched block is never hidden by a verdict about leaks.
"""

from __future__ import annotations

import gc
import inspect
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, final

import trio

from actors.link import Link

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

    from actors.link import End


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Leaks:
    """What was left behind. ``Leaks()`` is nothing at all."""

    ends: tuple[str, ...] = ()
    """Open ends, each with the place where its link was made."""
    tasks: tuple[str, ...] = ()
    """Names of the tasks that were started inside and still run."""
    warnings: tuple[str, ...] = ()
    """Texts of warnings, those about coroutines that were never awaited included."""
    unraisables: tuple[str, ...] = ()
    """Exceptions that Python could only print, such as those of a finaliser."""

    def __str__(self) -> str:
        found = [
            f"{field.name}: {text}" for field in fields(self) for text in getattr(self, field.name)
        ]
        return "; ".join(found) or "nothing was left behind"


@final
class LeakWatch:
    """Handed out by `watch_leaks`."""

    def __init__(self) -> None:
        self.leaks: Leaks = Leaks()
        """What was left behind; complete once the watched block has been left."""
        self._ends: list[tuple[End, str]] = []
        self._unraisables: list[str] = []

    def note_end(self, end: End) -> None:
        """Remember a new end and who made its link."""
        maker: FrameType | None = inspect.currentframe()
        # `Link[int]()` goes through `typing`.
        while maker and maker.f_globals["__name__"] in {__name__, "actors.link", "typing"}:
            maker = maker.f_back
        place = f"{maker.f_code.co_filename}:{maker.f_lineno}" if maker else "an unknown place"
        self._ends.append((end, f"{type(end).__name__} made at {place}"))

    def note_unraisable(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Remember an exception that could not be raised, but neither it nor its object."""
        self._unraisables.append(f"{unraisable.exc_value!r} in {unraisable.object!r}")

    def conclude(self, caught: list[warnings.WarningMessage], tasks: tuple[str, ...]) -> None:
        """Settle what was left behind, and close the ends among it."""
        left = [(end, place) for end, place in self._ends if end.is_open]
        self._ends.clear()
        # What hides in a reference cycle speaks up only when it is collected.
        gc.collect()
        self.leaks = Leaks(
            ends=tuple(place for _, place in left),
            tasks=tasks,
            warnings=tuple(str(warning.message) for warning in caught),
            unraisables=tuple(self._unraisables),
        )
        for end, _ in left:
            end.close()


@contextmanager
def watch_leaks() -> Generator[LeakWatch, None, None]:
    """Watch the block, and fill `LeakWatch.leaks` when it is left.

    Inside a Trio run the tasks are compared, too. Warnings raised in the block go to the report
    and nowhere else.
    """
    watch = LeakWatch()
    tasks_before = _tasks()
    watch_before, hook_before = Link.watch, sys.unraisablehook
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Link.watch, sys.unraisablehook = watch.note_end, watch.note_unraisable
        try:
            yield watch
        finally:
            tasks = sorted(task.name for task in _tasks() - tasks_before)
            watch.conclude(caught, tuple(tasks))
            Link.watch, sys.unraisablehook = watch_before, hook_before


@contextmanager
def assert_no_leaks() -> Generator[None, None, None]:
    """Fail if the block leaves something behind. Works in and outside a Trio run.

    Raises:
        AssertionError: names everything that was left.
    """
    with watch_leaks() as watch:
        yield
    if watch.leaks != Leaks():
        raise AssertionError(str(watch.leaks))


def _tasks() -> set[trio.lowlevel.Task]:
    """All tasks of the current Trio run, by way of the nurseries; none outside a run."""
    if not trio.lowlevel.in_trio_run():
        return set()
    root = trio.lowlevel.current_root_task()
    found: set[trio.lowlevel.Task] = set()
    fresh = [] if root is None else [root]
    while fresh:
        task = fresh.pop()
        found.add(task)
        for nursery in task.child_nurseries:
            fresh += nursery.child_tasks
    return found
