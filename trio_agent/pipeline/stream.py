"""Live iteration: the events of one invocation for a block of the caller's.

The caller's block takes the projector's place at the end of the events' link, so the pipeline
runs beside it, as a task, and how it ended is told through a reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self, final

from actors import LinkTruncatedError, Mark, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from actors import Inbox
    from trio_agent.vocabulary.event import RenderEvent


@final
class EventStream:
    """The events of one invocation, in order; ends after `complete`.  Made by `Runtime.stream`."""

    __slots__ = ("_events", "_outcome")

    def __init__(self, events: Inbox[RenderEvent], outcome: Reply[Exception | None]) -> None:
        self._events: Final = events
        self._outcome: Final = outcome

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> RenderEvent:
        """The next event.

        Raises:
            InvocationError: the invocation failed.
            InvocationCancelledError: it was cancelled.
        """
        try:
            event = await self._events.receive()
        except LinkTruncatedError:
            event = Mark.FINISHED
        if event is not Mark.FINISHED:
            return event
        failure = await self._outcome.take()
        if failure is not None:
            raise failure
        raise StopAsyncIteration


@final
class Background:
    """Conducts an invocation whose consumer is a block of the caller's: an actor."""

    __slots__ = ("_conduct", "outcome")

    def __init__(self, conduct: Callable[[None], Awaitable[None]]) -> None:
        self._conduct: Final = conduct
        self.outcome: Final = Reply[Exception | None]()

    async def run(self) -> None:
        """Conduct it; tell how it went instead of crashing."""
        failure: Exception | None = None
        try:
            await self._conduct(None)
        except Exception as error:  # noqa: BLE001  # boundary: the consumer's iteration raises it
            failure = error
        self.outcome.give(failure)
