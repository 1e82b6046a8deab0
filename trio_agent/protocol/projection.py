"""What a surface makes of a stream of events: a projection, and the sink that takes what it made.

A projection decides and does no I/O; the sink is the surface's only I/O.  The actor between them
(`pipeline.projector`) feeds one event, then awaits the sink for each output, so a slow sink
slows the invocation down and nothing piles up.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from trio_agent.vocabulary.event import RenderEvent

OutputT = TypeVar("OutputT")
OutputT_co = TypeVar("OutputT_co", covariant=True)
ResultT_co = TypeVar("ResultT_co", covariant=True)

Sink: TypeAlias = Callable[[OutputT], Awaitable[None]]
"""Takes one output.  Raises `ConsumerLeftError` when nobody reads any more."""


class Projection(Protocol[OutputT_co, ResultT_co]):
    """Turns the events of one invocation into outputs and, in the end, one result."""

    def feed(self, event: RenderEvent) -> Sequence[OutputT_co]:
        """Take the next event; never sees one without those before it."""
        ...

    def finish(self) -> ResultT_co:
        """The result; called once, after `complete` and only then."""
        ...
