"""The bridge between a worker thread and the invocation it belongs to.

A thread cannot be cancelled, and a thread that is left behind goes on.  So what it starts in the
Trio thread has to end by itself: `wait_for` runs it as deferred work, which ends with the
invocation, and looks while it waits whether the thread's own task has been cancelled, which may
be long before: a boundary that failed cancels its threads and nothing else.

`trio.from_thread.run` does neither in a thread that may be abandoned.
"""

from __future__ import annotations

import math
import queue
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar, TypeVarTuple, final

import trio

from trio_agent.context.deferred import Done, Failed, Stopped
from trio_agent.errors import ContractError, InvocationCancelledError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trio_agent.context.deferred import Deferred, Settlement, Starter

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_POLL_S: Final = 0.05
"""Between two looks whether a waiting thread has been left behind; nobody can wake it for that."""


def is_cancelled() -> bool:
    """Whether the task that waits for this code has been cancelled; in any thread."""
    try:
        if trio.lowlevel.in_trio_run():  # noqa: TID251  # asks which thread this is
            return trio.current_effective_deadline() == -math.inf
        # Not ours to pass on: it is the answer of a function that can only raise.
        with suppress(trio.Cancelled):
            trio.from_thread.check_cancelled()
            return False
    except RuntimeError:
        # A thread, or a callback, that nobody waits for.
        return False
    return True


def wait_for(starter: Starter, function: Callable[[*Ts], Awaitable[T]], args: tuple[*Ts]) -> T:
    """Run *function* in the Trio thread; see `AgentRequest.wait`."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    errand = _Errand(partial(function, *args))
    try:
        deferred = trio.from_thread.run_sync(
            partial(starter.start, errand.run, (), name=f"wait({name})")
        )
    except RuntimeError as error:
        raise ContractError(
            "invalid-element",
            f"wait({name}) is for threads that Trio started, such as that of a def handler;"
            " await it in a task",
        ) from error
    settlement = errand.wait(deferred)
    if isinstance(settlement, Done):
        return settlement.value
    if isinstance(settlement, Failed):
        raise settlement.error.with_traceback(settlement.traceback)
    raise InvocationCancelledError(f"{name} was cancelled before it was done")


@final
class _Errand(Generic[T]):
    """One thing that a thread waits for."""

    __slots__ = ("_box", "_call", "_scope")

    def __init__(self, call: Callable[[], Awaitable[T]]) -> None:
        self._call: Final = call
        self._box: Final[queue.SimpleQueue[Settlement[T]]] = queue.SimpleQueue()
        self._scope: Final = trio.CancelScope()

    async def run(self) -> None:
        """Do it, in a task of the invocation."""
        settlement: Settlement[T] = Stopped()
        try:
            with self._scope:
                settlement = Done(await self._call())
        except Exception as error:  # noqa: BLE001  # boundary: the thread raises it
            settlement = Failed(error, error.__traceback__)
        finally:
            self._box.put(settlement)

    def wait(self, deferred: Deferred[None]) -> Settlement[T]:
        """Wait, in the thread, until it is done.

        Args:
            deferred: of `run`, which may be settled without ever having begun.
        """
        is_left = False
        while True:
            is_over = deferred.is_settled
            try:
                return self._box.get(timeout=_POLL_S)
            except queue.Empty:
                if is_over:
                    return Stopped()
            if not is_left and is_cancelled():
                is_left = True
                with suppress(trio.RunFinishedError):
                    trio.from_thread.run_sync(self._scope.cancel, "its thread was left behind")
