"""Deferred work: what `defer` started, under the invocation's supervisor.

Each piece is a task of its own with a scope of its own, so that it can be stopped when the
document is complete, and settles its `Deferred` in any case.  A failure is kept for whoever
awaits it; one that nobody has received when the last visible boundary settles fails the
invocation.
"""

from __future__ import annotations

import inspect
import math
import threading
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final, TypeVar, TypeVarTuple, cast, final

import attrs
import trio

from trio_agent.context.deferred import Deferred, Done, Failed, Stopped
from trio_agent.errors import ContractError, LimitError, RequestError, TrioAgentError, abridge
from trio_agent.pipeline.author import await_author, describe
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from actors import Supervisor
    from trio_agent.context.deferred import Settlement
    from trio_agent.pipeline.door import Door

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


@final
class DeferredFailedError(TrioAgentError):
    """Deferred work failed and no component asked for it.  Fails the invocation."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(
            "deferred-failed",
            f"{name} failed, and no component awaited it: {describe(error, 'boundary').message}",
        )


@final
@attrs.frozen
class _Name:
    """What is refused when work is deferred too late."""

    name: str

    __repr__ = shown

    def to_wire(self) -> object:
        return self.name


@final
class Work:
    """One piece of deferred work: an actor."""

    __slots__ = ("_desk", "_scope", "_start", "_stopped", "deferred", "failure")

    def __init__(self, desk: WorkDesk, name: str, start: Callable[[], Awaitable[object]]) -> None:
        self._desk: Final = desk
        self._start: Final = start
        self._scope: trio.CancelScope | None = None
        self._stopped = False
        self.deferred: Final[Deferred[object]] = Deferred(name)
        self.failure: Exception | None = None

    async def run(self) -> None:
        """Work it out."""
        settlement: Settlement[object] = Stopped()
        try:
            settlement = await self._work()
        finally:
            # Whatever made us leave: nobody who awaits it may hang.
            self.deferred.settle(settlement)
            self._desk.leave(self)

    def stop(self) -> None:
        """Cancel it."""
        self._stopped = True
        if self._scope is not None:
            self._scope.cancel("the document is complete")

    def look_at_clock(self) -> None:
        """The deadline has been moved."""
        if self._scope is not None:
            self._scope.deadline = self._desk.deadline

    async def _work(self) -> Settlement[object]:
        with trio.CancelScope(deadline=self._desk.deadline) as self._scope:
            if self._stopped:
                return Stopped()
            try:
                return Done(await await_author(self.deferred.name, self._begin))
            except Exception as error:  # noqa: BLE001  # boundary: kept for whoever awaits it
                if isinstance(error, ContractError):
                    # Now: later it would be taken for an error of the first who awaits it.
                    error.within(self.deferred.name)
                self.failure = error
                return Failed(error, error.__traceback__)
        return self._cut_short()

    def _begin(self) -> Awaitable[object]:
        return _checked(self.deferred.name, self._start())

    def _cut_short(self) -> Settlement[object]:
        if self._stopped:
            return Stopped()
        late = LimitError(
            "elapsed-time-exceeded", f"{self.deferred.name} was not done within the time limit"
        )
        return Failed(late, None)


def _checked(name: str, returned: object) -> Awaitable[object]:
    if not isinstance(returned, Awaitable):
        raise ContractError(
            "invalid-element",
            f"defer() takes an async def, but {name} returned {abridge(returned)}",
        )
    return cast("Awaitable[object]", returned)


def _check_function(function: object) -> None:
    """Refuse what cannot be started, on the author's own line.

    Raises:
        ContractError: `invalid-element`.
    """
    if inspect.iscoroutine(function):
        function.close()
        raise ContractError(
            "invalid-element",
            f"defer() starts the function itself: write defer({function.__qualname__}, ...)",
        )
    if not callable(function):
        raise ContractError(
            "invalid-element", f"defer() takes an async def, received {abridge(function)}"
        )


@final
class WorkDesk:
    """Starts deferred work, and knows what still runs: the handle's `Starter`.

    Attributes:
        deadline: on the Trio clock; bounds every piece of work.  Infinite while somebody is
            asked something, and then later by as long as that took.
        lock: held by whoever makes something that other threads also ask for.
    """

    __slots__ = (
        "_door",
        "_failed",
        "_is_settled",
        "_left_s",
        "_pauses",
        "_running",
        "_supervisor",
        "_thread",
        "deadline",
        "lock",
    )

    def __init__(self, door: Door, deadline: float) -> None:
        self._door: Final = door
        self._supervisor: Supervisor | None = None
        self._running: set[Work] = set()
        self._failed: list[Work] = []
        self._is_settled = False
        self._thread: Final = threading.get_ident()
        self._pauses = 0
        self._left_s = 0.0
        self.deadline: float = deadline
        self.lock: Final = door.lock

    def open(self, supervisor: Supervisor) -> None:
        """Everything that is deferred will run under *supervisor*."""
        self._supervisor = supervisor

    def start(
        self,
        function: Callable[[*Ts], Awaitable[T]],
        args: tuple[*Ts],
        *,
        name: str | None = None,
    ) -> Deferred[T]:
        """See `context.deferred.Starter`."""
        title = name or str(getattr(function, "__qualname__", type(function).__qualname__))
        with self._door.lock:
            self._door.check("defer", _Name(title))
        _check_function(function)
        if threading.get_ident() != self._thread:
            raise ContractError(
                "invalid-element",
                f"defer({title}) was called in a worker thread, which starts no tasks: call it"
                " before, or through trio.from_thread.run_sync",
            )
        work = Work(self, title, lambda: function(*args))
        self._running.add(work)
        try:
            self._opened().start(work)
        except RuntimeError:
            # A thread asked in the moment between the last task and the shutting of the door.
            self._running.discard(work)
            raise RequestError("request-closed", f"{title} comes too late") from None
        # What the function returns is what its Deferred will hold.
        return cast("Deferred[T]", work.deferred)

    def call(self, function: Callable[[], Awaitable[object]]) -> bool:
        """Run *function* in a task that nothing stops before the invocation; False if it is over."""
        try:
            self._opened().call(function)
        except RuntimeError:
            # What a nursery says when its last task has ended.  The call may come from a thread,
            # by way of Trio's own queue, where an exception would end the whole run.
            return False
        return True

    def interrupt(self, reason: str) -> None:
        """Cancel the whole invocation."""
        self._opened().stop(reason)

    def _opened(self) -> Supervisor:
        if self._supervisor is None:
            raise AssertionError("no component runs before the supervisor is open")
        return self._supervisor

    def pause(self) -> None:
        """Stop the clock: somebody outside is asked, and may take their time."""
        if not self._pauses:
            self._left_s = self.deadline - trio.current_time()
            self._move(math.inf)
        self._pauses += 1

    def resume(self) -> None:
        """Let the clock go on, when nobody is asked any more."""
        self._pauses -= 1
        if not self._pauses:
            self._move(trio.current_time() + self._left_s)

    def _move(self, deadline: float) -> None:
        self.deadline = deadline
        for work in self._running:
            work.look_at_clock()

    def leave(self, work: Work) -> None:
        """A piece of work has ended."""
        self._running.discard(work)
        if work.failure is not None and not self._is_settled:
            self._failed.append(work)

    def settle(self) -> None:
        """Nothing is rendered any more: what fails from now on is not missed by anybody."""
        self._is_settled = True

    def refuse_unreceived(self) -> None:
        """A failure that nobody had received when the tree was settled must not get lost.

        Raises:
            DeferredFailedError: there is one.
        """
        for work in self._failed:
            if work.failure is not None and not work.deferred.is_received:
                raise DeferredFailedError(work.deferred.name, work.failure) from work.failure

    def stop(self) -> None:
        """Cancel what still runs: deferred work does not hold up `complete`."""
        for work in self._running:
            work.stop()
