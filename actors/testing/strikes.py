"""Strikes: run a program once for each step it takes, and hit it before that step.

A *step* is what a task does between two checkpoints. A task can be cancelled only where it waits
between two steps, so cancelling before step 1, before step 2, and so on, meets every place where
a program can be cancelled. The same goes for crashing it, with the exception coming out of
whatever the task had waited for.

It is not a fuzzer: program, schedule and clock are the same in every run. Variety comes from the
seeds, and from the programs that are put in.

Rules:

* only the `Extent` is struck; what the program does before and after it is the test's own;
* each run has a clock that jumps, a schedule that depends on the seed alone, and its own watch for
  leaks; nothing is carried from one run to the next;
* no assertion gets lost: what leaves the extent is swallowed only if it is a consequence of the
  crash and has no `AssertionError` in its family.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar, cast, final

import trio
import trio.testing

from actors.testing.innards import can_crash, crash, fixed_schedule, to_place
from actors.testing.leaks import Leaks, watch_leaks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Iterable
    from contextlib import AbstractContextManager

R = TypeVar("R")

Kind: TypeAlias = Literal["cancel", "crash"]
"""How to strike: cancel the extent, or crash the task whose turn it is."""

Extent: TypeAlias = "AbstractContextManager[None]"
"""What is struck: the program opens it once, as ``with extent:``, in its main task."""

_PATIENCE_S = 3600.0
"""Virtual seconds after which a run counts as stuck: an hour of a clock that jumps is free."""


class StrikeError(Exception):
    """The crash. Programs under test treat it as they treat any bug."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Generic[R]):
    """One run and what came of it."""

    kind: Kind
    seed: int
    step: int
    """Counted from 1 where the extent begins; `strike` repeats this very run."""
    place: str | None
    """Where the strike fell: task, function, file and line. None: the run ended before."""
    outcome: Literal["finished", "cancelled", "crashed"]
    """How the extent was left. A struck run may still have finished."""
    error: Exception | None
    """What left the extent, if it was crashed."""
    unwind_s: float
    """Virtual seconds from the strike to the end of the extent; 0 without a strike."""
    leaks: Leaks
    """What was left behind: tasks at the end of the extent, the rest at the end of the run."""
    result: R
    """What the program returned. Its main task goes on after the extent, struck or not."""


def strike_every_step(
    main: Callable[[Extent], Awaitable[R]],
    *,
    seeds: Iterable[int] = (0,),
    kind: Kind = "cancel",
) -> Generator[Attempt[R], None, None]:
    """Run *main* under every seed, struck one step later each time, until a run is not struck.

    To be called outside of Trio. The last attempt of a seed has no `place`: it is the run as it
    goes by itself.

    Args:
        main: Called anew for each run; makes everything it needs and must not depend on a run
            before it.
        seeds: One schedule each.
        kind: What the strike is. A crash meets only steps in which the code of a task could have
            raised: not before its first step, and not while Trio closes a nursery.

    Raises:
        BaseException: whatever a run raised that is not a consequence of the strike, with a note
            that says which run it was. `trio.TooSlowError` among them means that a run got stuck.
    """
    gc.collect()
    was_frozen = gc.get_freeze_count() > 0
    # What exists before need not be looked through after every run.
    gc.freeze()
    try:
        for seed in seeds:
            step = 0
            struck = True
            while struck:
                step += 1
                attempt = strike(main, step=step, seed=seed, kind=kind)
                struck = attempt.place is not None
                yield attempt
    finally:
        # Whoever froze something before would lose that, too.
        if not was_frozen:
            gc.unfreeze()


def strike(
    main: Callable[[Extent], Awaitable[R]], *, step: int, seed: int = 0, kind: Kind = "cancel"
) -> Attempt[R]:
    """Run *main* once and strike before *step*; see `strike_every_step`."""
    striker = _Striker(step=step, kind=kind)

    async def run() -> R:
        with trio.fail_after(_PATIENCE_S):
            return await main(striker.extent())

    try:
        with watch_leaks() as watch, fixed_schedule(seed):
            clock = trio.testing.MockClock(autojump_threshold=0)
            result = trio.run(run, clock=clock, instruments=[striker])
    except BaseException as error:
        # Whatever it was goes on; whoever reads it has to know which run it came from.
        error.add_note(f"seed {seed}, {kind} before step {step}: {striker.place or 'not struck'}")
        raise
    if striker.outcome is None:
        raise RuntimeError("the program never left its extent, so nothing could be struck")
    return Attempt(
        kind=kind,
        seed=seed,
        step=step,
        place=striker.place,
        outcome=striker.outcome,
        error=striker.error,
        unwind_s=striker.unwind_s,
        leaks=Leaks(
            ends=watch.leaks.ends,
            tasks=striker.tasks_left,
            warnings=watch.leaks.warnings,
            unraisables=watch.leaks.unraisables,
        ),
        result=result,
    )


@final
class _Striker(trio.abc.Instrument):
    """Counts steps inside the extent and strikes before the given one."""

    def __init__(self, *, step: int, kind: Kind) -> None:
        self.place: str | None = None
        self.outcome: Literal["finished", "cancelled", "crashed"] | None = None
        self.error: Exception | None = None
        self.unwind_s = 0.0
        self.tasks_left: tuple[str, ...] = ()
        self._steps_to_go = step
        self._kind = kind
        self._scope = trio.CancelScope()
        self._armed = False
        self._struck_at = 0.0
        self._tasks: set[trio.lowlevel.Task] = set()
        self._crash = StrikeError(f"struck before step {step}")

    @contextmanager
    def extent(self) -> Generator[None, None, None]:
        """Be struck inside."""
        try:
            with self._scope:
                self._arm()
                try:
                    yield
                finally:
                    self._disarm()
        except Exception as error:
            # Code under test may turn a strike into any error of its own; others are not ours.
            if not self._is_consequence(error):
                raise
            self.outcome = "crashed"
            self.error = error
        else:
            self.outcome = "cancelled" if self._scope.cancelled_caught else "finished"

    def task_spawned(self, task: trio.lowlevel.Task) -> None:
        """Count a task in that was started inside the extent."""
        if self._armed:
            self._tasks.add(task)

    def task_exited(self, task: trio.lowlevel.Task) -> None:
        """Count it out."""
        self._tasks.discard(task)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """Strike if this is the step."""
        if not self._armed or self.place is not None:
            return
        if self._kind == "crash" and not (task in self._tasks and can_crash(task)):
            return
        self._steps_to_go -= 1
        if self._steps_to_go == 0:
            self._strike(task)

    def _strike(self, task: trio.lowlevel.Task) -> None:
        self.place = to_place(task)
        self._struck_at = trio.current_time()
        if self._kind == "crash":
            crash(task, self._crash)
        else:
            self._scope.cancel(str(self._crash))

    def _arm(self) -> None:
        self._armed = True
        self._tasks = {trio.lowlevel.current_task()}

    def _disarm(self) -> None:
        self._armed = False
        self.tasks_left = tuple(
            sorted(task.name for task in self._tasks - {trio.lowlevel.current_task()})
        )
        if self.place is not None:
            self.unwind_s = trio.current_time() - self._struck_at

    def _is_consequence(self, error: Exception) -> bool:
        family = _family(error)
        return self._crash in family and not any(isinstance(e, AssertionError) for e in family)


def _family(error: BaseException) -> list[BaseException]:
    """Gather *error* with all its parts, causes and contexts; an exception occurs once."""
    found: list[BaseException] = []
    fresh: list[BaseException | None] = [error]
    while fresh:
        relative = fresh.pop()
        if relative is None or relative in found:
            continue
        found.append(relative)
        fresh += (relative.__cause__, relative.__context__)
        if isinstance(relative, BaseExceptionGroup):
            fresh += cast("BaseExceptionGroup[BaseException]", relative).exceptions
    return found
