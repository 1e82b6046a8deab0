"""The door of an invocation: open while it runs, then shut for good.

Both producers, progress and deferred work, ask here; who comes too late gets a
`HandoffRequiredError` that carries what was brought.  The lock makes "not shut" and "accepted"
one step for a report from another thread.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, Protocol, final

import attrs

from trio_agent.errors import HandoffRequired, HandoffRequiredError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from trio_agent.errors import Outcome, ProducerKind


class Brought(Protocol):
    """What a producer brings; put into words only when it is refused."""

    def to_wire(self) -> object:
        """What `HandoffRequired.refused` will hold."""
        ...


@final
@attrs.frozen
class Ending:
    """How the invocation ended: last number given, time on the Trio clock, outcome."""

    last_sequence: int
    at: float
    outcome: Outcome

    __repr__ = shown


@final
class Door:
    """Shut once, with the ending; the first ending stands."""

    __slots__ = ("_ending", "_invocation_id", "_route_id", "lock")

    def __init__(self, invocation_id: str, route_id: str) -> None:
        self._invocation_id: Final = invocation_id
        self._route_id: Final = route_id
        self._ending: Ending | None = None
        # Held a second time by who interrupts its holder in the same thread: a signal handler or
        # a finalizer that reports.
        self.lock: Final = threading.RLock()

    def shut(self, ending: Ending) -> None:
        """Refuse everybody from now on."""
        with self.lock:
            if self._ending is None:
                self._ending = ending

    def check(self, kind: ProducerKind, brought: Brought) -> None:
        """Let a producer pass.  Hold the lock while what it brought is accepted.

        Raises:
            HandoffRequiredError: the door is shut.
        """
        ending = self._ending
        if ending is None:
            return
        raise HandoffRequiredError(
            HandoffRequired(
                invocation_id=self._invocation_id,
                route_id=self._route_id,
                kind=kind,
                last_sequence=ending.last_sequence,
                completed_at=ending.at,
                outcome=ending.outcome,
                refused=brought.to_wire(),
            )
        )
