"""How an invocation is shown to somebody who watches: live while it runs, then the document.

The live part is the painter's, on standard error; where nothing is repainted (a build, an
agent's shell, a terminal that cannot) there is none.  Either way the document is laid out for
the terminal, and comes after the picture is gone.  Images are drawn only where there may be a
picture, and the terminal is asked how only when there is one to draw.  Imports rich.
Above: `run`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, final

import attrs
import trio

from trio_agent.context.terminal import current_size
from trio_agent.errors import StreamError
from trio_agent.protocol.markdown import blocks_of
from trio_agent.protocol.output import Ending, Output, data_line
from trio_agent.shown import shown
from trio_agent.surfaces.cli.terminal.graphics import answered_protocol, named_protocol
from trio_agent.surfaces.cli.terminal.links import decide_links
from trio_agent.surfaces.cli.terminal.page import page
from trio_agent.surfaces.cli.terminal.painter import COLUMNS, ROWS
from trio_agent.surfaces.cli.terminal.query import cell_pixels
from trio_agent.vocabulary.event import CompleteEvent, ErrorEvent
from trio_agent.vocabulary.media import ImageNode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio_agent.context.host import HostChannel
    from trio_agent.context.observed import Axes
    from trio_agent.invocation import Runtime
    from trio_agent.surfaces.cli.delivery import Delivery
    from trio_agent.surfaces.cli.streams import StandardStreams
    from trio_agent.surfaces.cli.terminal.painter import Painter
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.invocation import Invocation


@final
class EventProjection:
    """Passes the events on, and keeps how they ended."""

    __slots__ = ("_ending",)

    def __init__(self) -> None:
        self._ending: Ending | None = None

    def feed(self, event: RenderEvent) -> Sequence[RenderEvent]:
        """Take the next event, and give it."""
        if isinstance(event, CompleteEvent):
            self._ending = Ending(event.document.status, event.document.value)
        return (event,)

    def finish(self) -> Ending:
        """How it ended.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        if self._ending is None:
            raise StreamError("stream-incomplete", "the events ended without `complete`")
        return self._ending


@final
@attrs.frozen
class WatchedShowing:
    """Shows on a terminal.

    Attributes:
        streams: where.
        delivery: writes the document.
        painter: paints what is going on; None where nothing is repainted.
        is_data: the document is data, which is printed as a pipe would get it.
    """

    streams: StandardStreams
    delivery: Delivery
    painter: Painter | None
    is_data: bool = attrs.field(default=False, kw_only=True)
    sequence: int = attrs.field(default=0, init=False)

    __repr__ = shown

    async def invoke(
        self,
        runtime: Runtime,
        invocation: Invocation,
        axes: Callable[[], Axes],
        host: HostChannel,
    ) -> Ending:
        """See `Showing`."""
        return await runtime.invoke(invocation, EventProjection(), self.take, axes=axes, host=host)

    async def say(self, output: Output) -> None:
        """See `Showing`."""
        await self._clear()
        await self.delivery.take(output)

    async def take(self, event: RenderEvent) -> None:
        """Show one event.

        Raises:
            ConsumerLeftError: standard output cannot be written.
        """
        if self.painter is not None:
            self.painter.feed(event)
        if isinstance(event, ErrorEvent):
            line = f"[{event.error.code}] {event.error.message}".rstrip() + "\n"
            await self._say_above(Output("stderr", line))
        elif isinstance(event, CompleteEvent):
            await self._clear()
            await self._show(event)

    async def _say_above(self, output: Output) -> None:
        if self.painter is None:
            await self.delivery.take(output)
        else:
            await self.painter.say(self.streams.stderr.encode(output))

    async def _clear(self) -> None:
        if self.painter is not None:
            await self.painter.clear()

    async def _show(self, event: CompleteEvent) -> None:
        if self.is_data:
            await self.delivery.take(data_line(event.document.value, is_json=False))
            return
        stdout: Final = self.streams.stdout
        width = current_size(stdout.fd, self.streams.environ).columns or COLUMNS
        lay_out = functools.partial(
            page,
            event.document,
            width=width,
            color=self.streams.terminal.stdout.color,
            encoding=stdout.encoding,
            has_links=decide_links(self.streams.terminal.stdout, self.streams.environ),
        )
        painter = self.painter
        if painter is None or not _has_image(event.document):
            await self.delivery.write(stdout, lay_out())
            return
        draw = await self._drawing(painter, width)
        # In a thread: the loop hears a Ctrl-C while pixels are counted.
        drawn = await trio.to_thread.run_sync(
            functools.partial(lay_out, draw=draw), abandon_on_cancel=True
        )
        await self.delivery.write(stdout, drawn)
        await painter.give_back()

    async def _drawing(self, painter: Painter, width: int) -> Callable[[ImageNode], str | None]:
        """What draws an image on this terminal."""
        # lazy: most documents have no image.
        from trio_agent.surfaces.cli.terminal.images import Box, drawn_image  # noqa: PLC0415

        stdout: Final = self.streams.stdout
        if self.streams.terminal.stdout.color == "none":
            return _no_drawing
        named = named_protocol(self.streams.environ)
        protocol = named.protocol
        if named.must_ask:
            protocol = answered_protocol(await painter.ask(stdout.fd))
        if protocol is None:
            return _no_drawing
        rows = current_size(stdout.fd, self.streams.environ).rows or ROWS
        box = Box.of_screen(width, rows, cell_pixels(stdout.fd))
        return functools.partial(drawn_image, protocol=protocol, box=box)


def _no_drawing(_: ImageNode) -> None:
    """Nothing: the declared text is shown."""


def _has_image(document: AgentDocument) -> bool:
    return any(isinstance(block.node, ImageNode) for block in blocks_of(document))
