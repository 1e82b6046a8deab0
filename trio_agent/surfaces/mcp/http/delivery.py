"""A stream as an HTTP response: one JSON object when that is all there is, events otherwise.

    answer within the window, nothing before it     application/json
    anything else                                   text/event-stream

A client that reads and does not answer is not noticed before the operating system gives up, so a
comment goes out when nothing else did for a while; proxies need it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs
import trio

from actors import open_supervisor
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.http.message import EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.surfaces.mcp.http.message import Fields, HttpRequest
    from trio_agent.surfaces.mcp.http.stream import StreamReader

QUICK_S: Final = 0.05
"""Seconds in which an answer comes so soon that nobody looks whether the client is still there."""

PING_S: Final = 15.0
"""Seconds of silence before a comment."""

RETRY_MS: Final = 1000
"""What a client that was sent away waits before it comes back."""

_EVENT_FIELDS: Final = (
    ("content-type", EVENTS),
    ("cache-control", "no-cache, no-transform"),
    # nginx collects a response otherwise.
    ("x-accel-buffering", "no"),
)


@final
@attrs.frozen(kw_only=True)
class Delivery:
    """How a stream goes out.

    Attributes:
        fields: headers of the response.
        window_s: seconds for an answer to come alone; 0 when it has to be events.
        status: of an answer that comes alone; asked when it is there.
        has_numbers: whether events say their numbers, and the first one is there at once.
    """

    fields: Fields = ()
    window_s: float = QUICK_S
    status: Callable[[], int] = lambda: 200
    has_numbers: bool = False

    __repr__ = shown

    async def run(self, request: HttpRequest, reader: StreamReader) -> bool:
        """Write everything; return when the stream has ended or the client has left.

        Returns:
            Whether it went out as events.
        """
        try:
            with trio.move_on_after(min(QUICK_S, self.window_s)):
                await reader.wait()
            if not self._is_alone(reader):
                return await self._run_watched(request, reader)
            await self._answer_alone(request, reader)
            return False
        finally:
            reader.leave()

    async def _run_watched(self, request: HttpRequest, reader: StreamReader) -> bool:
        are_events = False
        async with open_supervisor() as supervisor:

            async def watch() -> None:
                await request.wait_gone()
                supervisor.stop("the client has left")

            supervisor.call(watch)
            with trio.move_on_after(max(0, self.window_s - QUICK_S)):
                await reader.wait()
            are_events = not self._is_alone(reader)
            if are_events:
                await self._write_events(request, reader)
            else:
                await self._answer_alone(request, reader)
            supervisor.stop("everything is written")
        return are_events

    def _is_alone(self, reader: StreamReader) -> bool:
        return reader.is_settled and self.window_s > 0

    async def _answer_alone(self, request: HttpRequest, reader: StreamReader) -> None:
        if reader.next_event is None:
            await request.answer(202, fields=self.fields)
        else:
            await request.answer(self.status(), reader.take().line, fields=self.fields)

    async def _write_events(self, request: HttpRequest, reader: StreamReader) -> None:
        await request.begin(200, [*_EVENT_FIELDS, *self.fields])
        if self.has_numbers:
            first = f"id: {reader.stream.number}-{self._position(reader)}\nretry: {RETRY_MS}\ndata: \n\n"
            await request.write(first.encode())
        while not reader.is_done:
            with trio.move_on_after(PING_S) as patience:
                await reader.wait()
            if patience.cancelled_caught:
                await request.write(b": still here\n\n")
            elif reader.next_event is not None:
                await self._write_event(request, reader)
        await request.write(b"", is_last=True)

    async def _write_event(self, request: HttpRequest, reader: StreamReader) -> None:
        event = reader.take()
        name = f"id: {reader.stream.number}-{event.number}\n" if self.has_numbers else ""
        # A line is one line of JSON, its end included.
        await request.write(b"%sevent: message\ndata: %s\n" % (name.encode(), event.line))

    @staticmethod
    def _position(reader: StreamReader) -> int:
        """The number before the first event that will be written."""
        event = reader.next_event
        return reader.stream.last_number if event is None else event.number - 1
