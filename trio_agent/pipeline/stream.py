"""Live iteration: the events of one invocation, for a block of the caller's.

The caller's block takes the projector's place at the end of the events' link, so the pipeline
runs beside it, as a task, and how it ended is told through a reply.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Protocol, Self, final

import trio

from actors import LinkTruncatedError, Mark, Reply, open_supervisor
from trio_agent.pipeline.author import unwrap_interrupt

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from actors import Inbox, Link
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

    __slots__ = ("_run", "outcome")

    def __init__(self, run: Conducted) -> None:
        self._run: Final = run
        self.outcome: Final[Reply[Exception | None]] = Reply()

    async def run(self) -> None:
        """Conduct it; tell how it went instead of crashing."""
        failure: Exception | None = None
        try:
            await self._run.conduct(None)
        except Exception as error:  # noqa: BLE001  # boundary: the consumer's iteration raises it
            failure = error
        self.outcome.give(failure)


class Conducted(Protocol):
    """An invocation that can be run."""

    @property
    def events(self) -> Link[RenderEvent]:
        """Where its events come out."""
        ...

    async def conduct(self, projector: None) -> None:
        """Run it to its end; somebody else owns the events' inbox."""
        ...


@asynccontextmanager
async def open_stream(prepare: Callable[[], Conducted]) -> AsyncGenerator[EventStream, None]:
    """Run an invocation beside a block; see `Runtime.stream`."""
    await trio.lowlevel.checkpoint_if_cancelled()  # noqa: TID251  # costs no turn of the loop
    run = prepare()
    failure: Exception | KeyboardInterrupt | SystemExit | None = None
    try:
        async with open_supervisor() as supervisor:
            background = Background(run)
            supervisor.start(background)
            events = run.events.inbox
            try:
                with events:
                    yield EventStream(events, background.outcome)
            except (Exception, KeyboardInterrupt, SystemExit) as error:  # noqa: BLE001  # boundary: see below
                # The supervisor would wrap it in a group, and this block is not its author's.
                failure = error
            supervisor.stop("the consumer left")
    except BaseExceptionGroup as group:
        # As `invoke` does: a Ctrl-C that came in a component.
        raise unwrap_interrupt(group) from None
    if failure is not None:
        raise failure
