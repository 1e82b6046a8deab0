"""What the command line needs of a stream that it writes to.

`streams.ByteStream` is one of the process; a test has one in memory.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol, final

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.protocol.output import Output


@final
class WriteOrder:
    """Keeps writes that happen in threads in the order in which they were asked for.

    One that was cancelled is left to its thread, and the next must not overtake it.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: threading.Event | None = None

    def enter(self, write: Callable[[], None]) -> Callable[[], None]:
        """The same write, after those that entered before; it has to be called, once."""
        before, own = self._last, threading.Event()
        self._last = own

        def write_in_order() -> None:
            if before is not None:
                before.wait()
            try:
                write()
            finally:
                own.set()

        return write_in_order


class OutputStream(Protocol):
    """Takes bytes, from any thread."""

    @property
    def fd(self) -> int | None:
        """Its descriptor, which is asked for the size of a terminal; None when there is none."""
        ...

    @property
    def name(self) -> str:
        """How errors call it."""
        ...

    @property
    def encoding(self) -> str:
        """How text becomes bytes."""
        ...

    @property
    def is_terminal(self) -> bool:
        """Whether what a terminal obeys must not be written to it."""
        ...

    @property
    def is_file(self) -> bool:
        """Whether it takes everything at once, so that a write needs no thread."""
        ...

    @property
    def order(self) -> WriteOrder:
        """Of the writes in threads."""
        ...

    def encode(self, output: Output) -> bytes:
        """The bytes of *output* on this stream; never fails."""
        ...

    def write(self, data: bytes) -> None:
        """Write all of *data*.

        Raises:
            OSError: it cannot be written.
        """
        ...

    def write_last(self, data: bytes, patience_s: float = ...) -> bool:
        """Write *data* if that is possible within some seconds; whether it was.  Never raises."""
        ...
