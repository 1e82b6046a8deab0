"""The two streams of a command line that nobody else sees: they keep what is written.

Either two pipes, or one synthetic terminal of 80 by 24 in basic colour.  Nothing of the process
is asked: no descriptor, no size, no environment.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, final

from trio_agent.context.terminal import Terminal
from trio_agent.surfaces.cli.output_stream import WriteOrder
from trio_agent.surfaces.cli.streams import StandardStreams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.context.terminal import HostSurface
    from trio_agent.protocol.output import Output

_SYNTHETIC: Final[Mapping[str, str]] = MappingProxyType(
    {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
)
"""What says the size of a terminal that cannot be asked; what it is, `Terminal.synthetic` says."""


@final
class MemoryStream:
    """An `OutputStream` that keeps what is written; from any thread.

    Attributes:
        name: how errors call it.
        is_terminal: what it obeys must not be written to it.
        encoding: UTF-8.
        fd: none.
        is_file: it takes everything at once.
        order: not needed, therefore.
    """

    def __init__(self, name: str, *, is_terminal: bool) -> None:
        self.encoding: Final = "utf-8"
        self.fd: Final = None
        self.is_file: Final = True
        self.order: Final = WriteOrder()
        self.name: Final = name
        self.is_terminal: Final = is_terminal
        self._written: Final = bytearray()

    @property
    def text(self) -> str:
        """What was written so far; bytes that are no UTF-8 are shown as escapes."""
        return self._written.decode(self.encoding, "backslashreplace")

    def encode(self, output: Output) -> bytes:
        """See `OutputStream.encode`."""
        return output.encoded(self.encoding, on_terminal=self.is_terminal)

    def write(self, data: bytes) -> None:
        """See `OutputStream.write`."""
        self._written.extend(data)

    def write_last(self, data: bytes, patience_s: float = 0) -> bool:  # noqa: ARG002  # none is needed
        """See `OutputStream.write_last`."""
        self._written.extend(data)
        return True


@final
class MemoryStreams:
    """Both streams, and what they are.

    Args:
        tty: they are one terminal.
        surface: the door that this is: `cli`, or `script`.

    Attributes:
        stdout: standard output.
        stderr: standard error.
        standard: the same, as the command line takes them.
    """

    def __init__(self, *, tty: bool, surface: HostSurface = "cli") -> None:
        self.stdout: Final = MemoryStream("standard output", is_terminal=tty)
        self.stderr: Final = MemoryStream("standard error", is_terminal=tty)
        self.standard: Final = StandardStreams(
            stdout=self.stdout,
            stderr=self.stderr,
            terminal=Terminal.synthetic(surface) if tty else Terminal.pipes(surface),
            environ=_SYNTHETIC if tty else {},
        )
