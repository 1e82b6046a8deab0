"""The lines that one client gets, in order, whether or not it is there to take them.

    a request's stream    everything about one request; ends with its answer
    a session's stream    what belongs to no request

Whoever writes hands lines in (`questions.Outgoing`); a reader, which is an HTTP response, takes
them.  There is at most one reader: a later one takes the place of an earlier one.  Events are
numbered from 1, so that a client that lost its connection can say where it was.

Guarantees:

* `send` returns when all lines before are on their way, or when nobody reads: a writer is one
  line ahead, so that an answer that comes first and its end are seen together;
* a stream that keeps has what was not written for the reader that comes back, and the end of what
  was; one that does not forgets.

Knows no HTTP.  Above: `http_session`, `http_modern`, which write; `http_delivery`, which reads.
"""

from __future__ import annotations

from collections import deque
from typing import Final, final

import trio

from actors import Reply

MOST_KEPT: Final = 256
"""Events that are kept for a reader that may come back.  What is lost are the oldest: progress,
and never the answer, which is the last."""

MOST_KEPT_BYTES: Final = 1_048_576
"""Of those that are kept, the newest excepted."""


@final
class Event:
    """One line of a stream.

    Attributes:
        number: from 1.
        line: as it is written.
        gone: given when it is on its way, or nobody reads.
    """

    __slots__ = ("gone", "line", "number")

    def __init__(self, number: int, line: bytes) -> None:
        self.number: Final = number
        self.line: Final = line
        self.gone: Final = Reply[None]()

    def release(self) -> None:
        """Nobody has to wait for it; an event that is read again has been before."""
        if not self.gone.is_given:
            self.gone.give(None)


@final
class EventStream:
    """Lines for one client: a `questions.Outgoing`.

    Args:
        number: of the stream within its session.
        keeps: see below.

    Attributes:
        keeps: whether a reader can come back for what it has not got.
        is_ended: nothing more will come.
        posted_bytes: what waits for the reader.
        last_number: of the newest event; 0 when there was none.
        read_number: of the newest event that a reader has taken.
    """

    def __init__(self, number: int = 0, *, keeps: bool = False) -> None:
        self.number: Final = number
        self.keeps = keeps
        self.is_ended: bool = False
        self.posted_bytes: int = 0
        self.last_number: int = 0
        self.read_number: int = 0
        self._pending: Final[deque[Event]] = deque()
        self._kept: Final[deque[Event]] = deque()
        self._kept_bytes = 0
        self._reader: StreamReader | None = None
        self._was_read = False

    @property
    def is_read(self) -> bool:
        """Whether somebody reads."""
        return self._reader is not None

    @property
    def kept_bytes(self) -> int:
        """What is held for a reader that may come back."""
        return self._kept_bytes

    def post(self, line: bytes) -> None:
        """Hand *line* in; never waits."""
        self._hand_in(line)

    async def send(self, line: bytes) -> None:
        """Hand *line* in; wait until those before it are on their way, or nobody reads.

        If this is cancelled while it waits, the line is withdrawn.
        """
        # A turn of the loop for each line: one who writes for ever would have all of them.
        await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
        before = self._pending[-1] if self._pending else None
        event = self._hand_in(line)
        if before is None:
            return
        is_through = False
        try:
            await before.gone.take()
            is_through = True
        finally:
            if not (is_through or event.gone.is_given):
                self._pending.remove(event)
                self.posted_bytes -= len(line)
                # Somebody may wait for this one.
                event.release()

    async def wait_taken(self) -> None:
        """Return at once: nobody knows what the other end of HTTP has read."""
        await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint

    def end(self) -> None:
        """Nothing more will come."""
        self.is_ended = True
        self._wake()

    def dismiss(self) -> None:
        """Let the reader go as if there were nothing more; it may come back."""
        if self._reader is not None:
            self._reader.is_dismissed = True
            self._wake()

    def attach(self, after: int = 0) -> StreamReader:
        """Read from behind event *after* on; whoever reads now is dismissed."""
        reader = self._reader
        if reader is not None:
            self.dismiss()
            self.leave(reader)
        while self._kept and self._kept[-1].number > after:
            event = self._kept.pop()
            self._kept_bytes -= len(event.line)
            self._pending.appendleft(event)
            self.posted_bytes += len(event.line)
        self._was_read = True
        self._reader = StreamReader(self)
        return self._reader

    def next_event(self) -> Event | None:
        """The first that waits for the reader."""
        return self._pending[0] if self._pending else None

    def take(self) -> Event:
        """The first that waits is on its way."""
        event = self._pending.popleft()
        self.posted_bytes -= len(event.line)
        event.release()
        self._keep(event)
        return event

    def leave(self, reader: StreamReader) -> None:
        """*reader* is gone."""
        if self._reader is not reader:
            return
        self._reader = None
        while self._pending:
            self.take()

    def _hand_in(self, line: bytes) -> Event:
        self.last_number += 1
        event = Event(self.last_number, line)
        if self._reader is None:
            self._keep(event)
        else:
            self._pending.append(event)
            self.posted_bytes += len(line)
            self._wake()
        return event

    def _keep(self, event: Event) -> None:
        """Keep *event* for a reader that may come back, and let go of the oldest."""
        if not (self.keeps and self._was_read):
            return
        self._kept.append(event)
        self._kept_bytes += len(event.line)
        while len(self._kept) > 1 and (
            len(self._kept) > MOST_KEPT or self._kept_bytes > MOST_KEPT_BYTES
        ):
            self._kept_bytes -= len(self._kept.popleft().line)

    def _wake(self) -> None:
        if self._reader is not None:
            self._reader.wake()


@final
class StreamReader:
    """Takes the events of a stream.  Made by `EventStream.attach` only.

    Attributes:
        is_dismissed: it is to stop, for now.
    """

    def __init__(self, stream: EventStream) -> None:
        self.stream: Final = stream
        self.is_dismissed: bool = False
        self._bell: Reply[None] | None = None

    @property
    def next_event(self) -> Event | None:
        """The next event; None when there is none yet."""
        return None if self.is_dismissed else self.stream.next_event()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to wait for any more."""
        return self.is_dismissed or (self.stream.is_ended and self.stream.next_event() is None)

    @property
    def is_settled(self) -> bool:
        """Whether all there is to say is there, and is one line at most."""
        return self.stream.is_ended and not self.is_dismissed and self.stream.last_number <= 1

    async def wait(self) -> None:
        """Wait for an event or the end.  One task only."""
        if self.next_event is not None or self.is_done:
            await trio.lowlevel.checkpoint()  # noqa: TID251  # every await is a checkpoint
            return
        bell = self._bell = Reply()
        await bell.take()

    def wake(self) -> None:
        """Something has changed."""
        if self._bell is not None:
            bell, self._bell = self._bell, None
            bell.give(None)

    def take(self) -> Event:
        """Take the next event, which is on its way from now on."""
        event = self.stream.take()
        self.stream.read_number = event.number
        return event

    def leave(self) -> None:
        """Read no more."""
        self.stream.leave(self)
