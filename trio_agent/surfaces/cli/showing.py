"""How an invocation is shown: what a command needs, and the way of pipes and machines.

`watching` is the way of terminals.  Here each output of a projection is written as it comes, and
nothing is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, final

import attrs

from trio_agent.protocol.output import JsonProjection, MarkdownProjection, NdjsonProjection
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.context.observed import Axes
    from trio_agent.invocation import Runtime
    from trio_agent.protocol.output import Ending, Output
    from trio_agent.surfaces.cli.complaint import MachineMode
    from trio_agent.surfaces.cli.delivery import Delivery
    from trio_agent.vocabulary.invocation import Invocation

PlainProjection: TypeAlias = MarkdownProjection | JsonProjection | NdjsonProjection


class Showing(Protocol):
    """Shows one invocation."""

    async def invoke(
        self, runtime: Runtime, invocation: Invocation, axes: Callable[[], Axes]
    ) -> Ending:
        """Invoke, and show it while it runs.

        Raises:
            InvocationError: it failed; nothing has been said of that yet.
            InvocationCancelledError: standard output cannot be written; its delivery knows why.
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

    async def invoke(
        self, runtime: Runtime, invocation: Invocation, axes: Callable[[], Axes]
    ) -> Ending:
        """See `Showing`."""
        return await runtime.invoke(invocation, self.projection, self.delivery.take, axes=axes)

    async def say(self, output: Output) -> None:
        """See `Showing`."""
        await self.delivery.take(output)


def plain_projection(mode: MachineMode | None) -> PlainProjection:
    """The projection of a mode; without one, Markdown."""
    if mode == "json":
        return JsonProjection()
    return NdjsonProjection() if mode == "ndjson" else MarkdownProjection()
