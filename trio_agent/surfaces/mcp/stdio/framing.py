"""Frames: bytes as they come from a pipe, cut into lines.

A frame is one line.  It ends with LF or CRLF, or with the end of the input; blank lines are none;
a byte order mark before a frame is dropped, since some programs write one whenever they open a
stream.  U+2028 and its like are characters, not ends.

A frame beyond the limit is dropped while it is read, so that no more than the limit is ever kept
of it, and its place is taken by an `Oversized`, once, as soon as that is certain.

Sans-I/O.  What is in a frame is the business of `jsonrpc`.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

import attrs

from trio_agent.shown import shown

MAX_FRAME_BYTES: Final = 64 * 1024 * 1024
"""Of one incoming frame: 10 MiB of argument, each byte of it as a `\\u0000` of six, and room.  What
goes out has another limit, `Limits.max_frame_bytes`: it is the other end that breaks there."""

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r"


@final
@attrs.frozen(kw_only=True)
class Oversized:
    """Stands for a frame that was dropped.

    Attributes:
        max_bytes: what it exceeded.
    """

    max_bytes: int

    __repr__ = shown


Frame: TypeAlias = bytes | Oversized


@final
class Splitter:
    """Cuts bytes into frames; how they were split on the way makes no difference.

    Time is linear in the number of bytes, also for a frame that comes byte by byte.

    Args:
        max_bytes: of one frame, LF left out.
    """

    __slots__ = ("_dropping", "_max_bytes", "_partial")

    def __init__(self, max_bytes: int = MAX_FRAME_BYTES) -> None:
        self._max_bytes: Final = max_bytes
        self._partial: Final = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[Frame]:
        """Take what has been read; the frames that are complete with it, in order."""
        first, *others = data.split(b"\n")
        frames: list[Frame] = []
        self._keep(first, frames)
        if others:
            self._end(frames)
            last = others.pop()
            for line in others:
                self._add(line, frames)
            self._keep(last, frames)
        return frames

    def finish(self) -> list[Frame]:
        """The input has ended: the last frame, if it came without an end of line."""
        frames: list[Frame] = []
        self._end(frames)
        return frames

    def _keep(self, piece: bytes, frames: list[Frame]) -> None:
        """Add a piece to the frame that has begun."""
        if self._dropping:
            return
        if len(self._partial) + len(piece) > self._max_bytes:
            self._partial.clear()
            self._dropping = True
            frames.append(Oversized(max_bytes=self._max_bytes))
            return
        self._partial.extend(piece)

    def _end(self, frames: list[Frame]) -> None:
        """Complete the frame that has begun."""
        if not self._dropping:
            self._add(bytes(self._partial), frames)
        self._partial.clear()
        self._dropping = False

    def _add(self, line: bytes, frames: list[Frame]) -> None:
        if len(line) > self._max_bytes:
            frames.append(Oversized(max_bytes=self._max_bytes))
            return
        frame = line.removeprefix(_BOM).strip(_BLANK)
        if frame:
            frames.append(frame)
