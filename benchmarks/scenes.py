"""What several benchmarks need: an application of one tree, and projections that do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from trio_agent import Invocation, Limits, Node, Program, Runtime
from trio_agent.vocabulary.identity import Identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.vocabulary.event import RenderEvent

WIDE: Final = Limits(
    max_document_bytes=1 << 30,
    max_document_nodes=10**8,
    max_event_bytes=1 << 31,
    max_event_rate=10**7,
    max_events=10**8,
    max_elapsed_s=3600.0,
)
"""Limits that no benchmark meets by accident; those under test are named where they are used."""


@final
class Scene:
    """An application that renders a fresh tree each time."""

    def __init__(self, make: Callable[[], Node]) -> None:
        self._make = make
        self.identity = Identity("benchmark")

    def open(self, invocation: Invocation) -> Program:  # noqa: ARG002  # the protocol's own
        """The tree."""
        return Program(root=self._make())


@final
class Silent:
    """A projection that makes nothing of the events."""

    def feed(self, event: RenderEvent) -> tuple[RenderEvent, ...]:  # noqa: ARG002  # the same
        """Nothing."""
        return ()

    def finish(self) -> None:
        """Nothing."""


@final
class Passing:
    """A projection whose outputs are the events."""

    def feed(self, event: RenderEvent) -> tuple[RenderEvent, ...]:
        """The event itself."""
        return (event,)

    def finish(self) -> None:
        """Nothing."""


async def drop(_: object) -> None:
    """A sink that takes everything at once."""


def make_runtime(make: Callable[[], Node], limits: Limits | None = None) -> Runtime:
    """A runtime for one tree."""
    return Runtime(Scene(make), limits=limits)


async def render(runtime: Runtime) -> None:
    """Render once, and look at nothing."""
    await runtime.invoke(Invocation(kind="cli", target="benchmark"), Silent(), drop)
