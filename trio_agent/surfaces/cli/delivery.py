"""The sink of the command line: writes each output whole, at the pace of its reader.

A write happens in a worker thread, so a reader that is slow slows the invocation down, as it
should, and does not stop the Trio loop: a Ctrl-C is still heard.  A cancelled write is left to
its thread; nothing waits for it, and it ends with the process.  What takes everything at once, as
a regular file does, needs no thread.

A reader of standard output that has left ends the invocation quietly.  Anything else that is
wrong with standard output ends it too, and is kept in `failure` for one clear line.  Standard
error that cannot be written is nobody's loss but its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.errors import ConsumerLeftError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.protocol.output import Output
    from trio_agent.surfaces.cli.output_stream import OutputStream
    from trio_agent.surfaces.cli.streams import StandardStreams


async def write_out(stream: OutputStream, write: Callable[[], None]) -> None:
    """Call *write*, which writes to *stream*, without blocking the loop.

    Raises:
        OSError: the stream cannot be written.
    """
    if stream.is_file:
        write()
        await trio.sleep(0)  # noqa: ASYNC115  # nothing here is below the public face of Trio
        return
    # A cancellation that is there already ends it here, one that comes later leaves the thread
    # behind: a write that has entered is always called.
    await trio.lowlevel.checkpoint_if_cancelled()  # noqa: TID251  # no public way to let nobody in between
    await trio.to_thread.run_sync(
        stream.order.enter(write),
        abandon_on_cancel=True,
        # Of its own: the threads of an author's handlers must not keep the output waiting.
        limiter=trio.CapacityLimiter(1),
    )


@final
class Delivery:
    """Writes what a projection says.

    Attributes:
        failure: why standard output could not be written; `BrokenPipeError` when its reader
            left.
    """

    __slots__ = ("_streams", "failure")

    def __init__(self, streams: StandardStreams) -> None:
        self._streams: Final = streams
        self.failure: OSError | None = None

    async def take(self, output: Output) -> None:
        """Write one output.

        Raises:
            ConsumerLeftError: standard output cannot be written.
        """
        stream = self._streams.of(output.stream)
        await self.write(stream, stream.encode(output))

    async def write(self, stream: OutputStream, data: bytes) -> None:
        """Write bytes.

        Raises:
            ConsumerLeftError: *stream* is standard output, and cannot be written.
        """
        try:
            await write_out(stream, lambda: stream.write(data))
        except OSError as error:
            if stream is self._streams.stdout:
                self.failure = error
                raise ConsumerLeftError from error
