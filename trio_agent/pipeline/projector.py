"""The projector: feeds events to a projection and hands its outputs to the sink.

The sink is the surface's only I/O and may be slow: then everything before it waits, and nothing
piles up.  A consumer that has left ends the invocation at once, whatever is still being worked
out: to everybody else, the projector is a peer that is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar, final

from actors import Actor, PeerGoneError
from trio_agent.errors import ConsumerLeftError

if TYPE_CHECKING:
    from actors import Inbox, Reply
    from trio_agent.protocol.projection import Projection, Sink
    from trio_agent.vocabulary.event import RenderEvent

OutputT = TypeVar("OutputT")
ResultT = TypeVar("ResultT")


@final
class Projector(Generic[OutputT, ResultT]):
    """The last actor of the pipeline."""

    __slots__ = ("_events", "_projection", "_result", "_sink")

    def __init__(
        self,
        *,
        events: Inbox[RenderEvent],
        projection: Projection[OutputT, ResultT],
        sink: Sink[OutputT],
        result: Reply[ResultT],
    ) -> None:
        self._events: Final = events
        self._projection: Final = projection
        self._sink: Final = sink
        self._result: Final = result

    @property
    def is_done(self) -> bool:
        """Whether the result has been given."""
        return self._result.is_given

    async def run(self) -> None:
        """Project until `complete`, then give the result.

        Raises:
            PeerGoneError: the consumer has left; says nothing beside another failure.
        """
        with self._events:
            async for event in self._events:
                try:
                    for output in self._projection.feed(event):
                        await self._sink(output)
                except ConsumerLeftError as error:
                    raise PeerGoneError("the consumer has left") from error
            self._result.give(self._projection.finish())


class LastActor(Actor, Protocol):
    """The actor that owns the events' inbox."""

    @property
    def is_done(self) -> bool:
        """Whether it has got all there is, and made of it what it had to."""
        ...
