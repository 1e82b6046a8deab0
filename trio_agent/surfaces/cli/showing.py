"""How an invocation is shown: what a command needs, and the way of pipes and machines.

`watching` is the way of terminals.  Here each output of a projection is written as it comes, and
nothing is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, final

import attrs

from trio_agent.protocol.output import (
    DataProjection,
    JsonProjection,
    MarkdownProjection,
    NdjsonProjection,
)
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.context.host import HostChannel
    from trio_agent.context.observed import Axes
    from trio_agent.invocation import Runtime
    from trio_agent.protocol.output import Ending, Output
    from trio_agent.surfaces.cli.complaint import MachineMode
    from trio_agent.surfaces.cli.delivery import Delivery
    from trio_agent.vocabulary.invocation import Invocation

PlainProjection: TypeAlias = MarkdownProjection | JsonProjection | NdjsonProjection | DataProjection


class Showing(Protocol):
    """Shows one invocation."""

    @property
    def sequence(self) -> int:
        """The number of the event that would be printed next; 0 where none is printed."""
        ...

    async def invoke(
        self,
        runtime: Runtime,
        invocation: Invocation,
        axes: Callable[[], Axes],
        host: HostChannel,
    ) -> Ending:
        """Invoke, and show it while it runs.

        Raises:
            InvocationError: it failed; nothing has been said of that yet.
            InvocationCancelledError: standard output cannot be written; its delivery knows why.
            InputRequiredError: a component asked what nobody here can answer.
        """
        ...

    async def say(self, output: Output) -> None:
        """Say one more thing when the invocation has failed.

        Raises:
            ConsumerLeftError: standard output cannot be written.
        """
        ...


@final
@attrs.frozen
class PlainShowing:
    """Writes what a projection says: a document, a value or events."""

    projection: PlainProjection
    delivery: Delivery

    __repr__ = shown

    @property
    def sequence(self) -> int:
        """See `Showing`."""
        return self.projection.sequence if isinstance(self.projection, NdjsonProjection) else 0

    async def invoke(
        self,
        runtime: Runtime,
        invocation: Invocation,
        axes: Callable[[], Axes],
        host: HostChannel,
    ) -> Ending:
        """See `Showing`."""
        return await runtime.invoke(
            invocation, self.projection, self.delivery.take, axes=axes, host=host
        )

    async def say(self, output: Output) -> None:
        """See `Showing`."""
        await self.delivery.take(output)


def plain_projection(mode: MachineMode | None, *, is_data: bool = False) -> PlainProjection:
    """The projection of a mode; without one, Markdown, or the data of a command that has no more."""
    if is_data:
        return DataProjection(is_json=mode == "json")
    if mode == "json":
        return JsonProjection()
    return NdjsonProjection() if mode == "ndjson" else MarkdownProjection()
