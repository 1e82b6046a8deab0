"""Supervisors: the nursery in which actors that are linked to each other live.

The policy is the one that a Trio nursery has: when one crashes, the others are cancelled, and the
caller gets the errors as a group. There are no restarts, because half of what an actor did cannot
be taken back. What this module adds is that *echoes* are left out: the complaint that a neighbour
is gone says nothing once the neighbour's own error is there.

Rules:

* a supervisor belongs to the task that opened it; it never travels in a message;
* work that is to be stopped together is one task with a supervisor of its own;
* nothing is caught here. `Cancelled` and `KeyboardInterrupt` pass as in any nursery.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeVarTuple, final

import trio

from actors.errors import LinkTruncatedError, PeerGoneError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

Ts = TypeVarTuple("Ts")

_ECHOES: Final = (LinkTruncatedError, PeerGoneError)


class Actor(Protocol):
    """Whatever has a life to live. It owns the ends of links that it was given."""

    async def run(self) -> None:
        """Live. Return when there is nothing left to do; raise to crash."""
        ...


@final
class Supervisor:
    """Starts actors and stops them together. Made by `open_supervisor` only."""

    __slots__ = ("_nursery",)

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery

    def start(self, actor: Actor) -> None:
        """Let *actor* live under this supervisor; never waits. Its task is named by its class."""
        self._nursery.start_soon(actor.run, name=type(actor).__name__)

    def call(
        self,
        function: Callable[[*Ts], Awaitable[object]],
        *args: *Ts,
        name: str | None = None,
    ) -> None:
        """Run a coroutine function under this supervisor; never waits. The result is dropped.

        Args:
            function: The coroutine function itself; a coroutine made beforehand is refused, since
                it would be left unawaited if this call failed.
            *args: What it is called with.
            name: The name of the task; by default that of the function.
        """
        self._nursery.start_soon(function, *args, name=name)

    def stop(self, reason: str | None = None) -> None:
        """Cancel everything under this supervisor, the block that opened it included.

        That is no crash: the block is left quietly once everything has ended.

        Args:
            reason: Shown by the `trio.Cancelled` that they get.
        """
        self._nursery.cancel_scope.cancel(reason)


@asynccontextmanager
async def open_supervisor() -> AsyncGenerator[Supervisor, None]:
    """Open a supervisor for one ``async with`` block; leaving it waits for every actor.

    Raises:
        BaseExceptionGroup: something crashed, here or in the block. `PeerGoneError` and
            `LinkTruncatedError` are left out, unless there is nothing else.
    """
    try:
        async with trio.open_nursery() as nursery:
            yield Supervisor(nursery)
    # A strict nursery raises nothing but groups.  Cancellation and Ctrl-C travel in them too: they
    # are causes like any other, and so go on.
    except BaseExceptionGroup as group:
        _, causes = group.split(_ECHOES)
        if causes is None:
            raise
        try:
            raise causes from None
        finally:
            # The traceback of `causes` holds this frame, which would hold `causes`: a cycle.
            del causes
