"""Asking on a terminal: a question is written to standard error and answered by typing.

Rules:
* One question at a time; those of other components wait for their turn, in the order in which
  they were asked.
* The live picture steps aside, and nothing else is written above it while somebody types.
  Where there is no picture, what others write comes in between, as it does in any program.
* A question that is given up ends its line, so that what comes next has one of its own.
* Reading waits for the terminal without a thread, so a command that is cancelled leaves nobody
  behind who would eat the next line of the shell.  What was typed in advance is the answer.
* The line is edited by the terminal itself, in the mode it is in.
* What is in a question is data: control characters are shown, and not obeyed.

Above: `host`.  Below: `dialogue`, which knows the questions; `delivery`, which writes.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.protocol.output import Output
from trio_agent.surfaces.cli.asking.dialogue import FormDialogue
from trio_agent.surfaces.cli.delivery import write_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from trio_agent.context.question import Question
    from trio_agent.surfaces.cli.output_stream import OutputStream
    from trio_agent.surfaces.cli.terminal.painter import Painter

_LONGEST: Final = 65_536
"""Bytes of one line; a terminal gives no more than 4,096 at a time."""


@final
class TerminalAsking:
    """Puts questions to a terminal.

    Args:
        stream: where they are written.
        painter: steps aside meanwhile; None where nothing is painted.
        stdin: the descriptor that answers come from.

    Attributes:
        has_ended_line: the last question was given up, and nothing stands on its line.
    """

    __slots__ = ("_keyboard", "_painter", "_stream", "_turn", "has_ended_line")

    def __init__(self, stream: OutputStream, painter: Painter | None, stdin: int) -> None:
        self._stream: Final = stream
        self._painter: Final = painter
        self._keyboard: Final = Keyboard(stdin)
        # First come, first served.
        self._turn: Final = trio.Lock()
        self.has_ended_line: bool = False

    async def ask(self, question: Question) -> Mapping[str, object]:
        """Ask, and wait for the answer; the result of MCP's `elicitation/create`."""
        params = question.params.value
        schema: object = params.get("requestedSchema") if isinstance(params, dict) else None
        dialogue = FormDialogue(
            question.message, schema if isinstance(schema, dict) else {}, question.read
        )
        async with self._turn, self._step_aside():
            await self._say(dialogue.opening)
            while dialogue.answer is None:
                line = await self._read(dialogue.prompt)
                await self._say(dialogue.feed(line))
            return dialogue.answer

    def _step_aside(self) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext() if self._painter is None else self._painter.aside_for_long()

    async def _read(self, prompt: str) -> str | None:
        """One line; None at the end of the input."""
        while True:
            await self._write(prompt)
            data = await self._type()
            if data is None:
                # The terminal has shown nothing for the key that ends the input.
                await self._write("\n")
                return None
            try:
                return data.decode(self._stream.encoding)
            except UnicodeDecodeError:
                await self._say([f"expected text in {self._stream.encoding}"])

    async def _type(self) -> bytes | None:
        is_given_up = True
        try:
            data = await self._keyboard.read_line()
            is_given_up = False
        finally:
            # Nothing can be awaited here, and nothing of it takes long.
            newline = self._stream.encode(Output("stderr", "\n"))
            self.has_ended_line = is_given_up and self._stream.write_last(newline)
        return data

    async def _say(self, lines: Sequence[str]) -> None:
        if lines:
            await self._write("".join(f"{line}\n" for line in lines))

    async def _write(self, text: str) -> None:
        data = self._stream.encode(Output("stderr", text))
        # A terminal that has gone answers with the end of the input.
        with contextlib.suppress(OSError):
            await write_out(self._stream, lambda: self._stream.write(data))


@final
class Keyboard:
    """Lines from a terminal.

    Args:
        fd: of the terminal.
    """

    __slots__ = ("_fd", "_rest")

    def __init__(self, fd: int) -> None:
        self._fd: Final = fd
        self._rest: bytes = b""

    async def read_line(self) -> bytes | None:
        """The next line without its end; None at the end of the input.

        Cancelled, it has taken nothing that it does not give to the next call.
        """
        while True:
            line, feed, rest = self._rest.partition(b"\n")
            if feed or len(line) > _LONGEST:
                self._rest = rest
                return line.removesuffix(b"\r")
            data = await self._read()
            if not data:
                # Ctrl-D after some letters only hands them over; the second one is the end.
                line, self._rest = self._rest, b""
                return line or None
            self._rest += data

    async def _read(self) -> bytes:
        if sys.platform == "win32":  # pragma: no cover  # a console cannot be waited for there
            return await trio.to_thread.run_sync(
                os.read, self._fd, _LONGEST, abandon_on_cancel=True
            )
        # No public way: `open_process` and streams would make the terminal non-blocking, which
        # the shell and every other program on it would have to live with.
        await trio.lowlevel.wait_readable(self._fd)  # noqa: TID251
        try:
            return os.read(self._fd, _LONGEST)
        except OSError:
            # The terminal has gone.
            return b""
