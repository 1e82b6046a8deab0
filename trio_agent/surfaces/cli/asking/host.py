"""The host of a command: whoever sits at the terminal, if anybody does.

A question of `context.elicit` is put to the terminal when a person is there to answer it; the
rest of that is `asking`, imported with the first question.  Everywhere else it stays open: the
invocation ends, and `session` says what would have been asked.  A command line has no model and
no directories of its own, so `context.sample` and `context.roots` are refused.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, final

from trio_agent.context.terminal import has_person

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.context.host import Notice
    from trio_agent.context.question import Question
    from trio_agent.surfaces.cli.asking.terminal import TerminalAsking
    from trio_agent.surfaces.cli.streams import StandardStreams
    from trio_agent.surfaces.cli.terminal.painter import Painter


def can_answer(streams: StandardStreams, stdin: int) -> bool:
    """Whether a person can be asked: something to type on, something to read, and nobody's agent.

    Args:
        streams: of the process.
        stdin: descriptor of its input.
    """
    if streams.stderr.fd is None or streams.terminal.stderr.kind != "tty":
        return False
    try:
        return os.isatty(stdin) and has_person(streams.environ)
    except OSError:  # pragma: no cover  # Windows, for a descriptor that is closed
        return False


@final
class CommandHost:
    """The `HostChannel` of one command.

    Args:
        streams: where questions are written.
        painter: steps aside while one is asked; None where nothing is painted.
        stdin: where answers are read; None when nobody can answer.
    """

    __slots__ = ("_asking", "_painter", "_stdin", "_streams")

    def __init__(
        self, streams: StandardStreams, painter: Painter | None, stdin: int | None
    ) -> None:
        self._streams: Final = streams
        self._painter: Final = painter
        self._stdin: Final = stdin
        self._asking: TerminalAsking | None = None

    @property
    def has_ended_line(self) -> bool:
        """Whether a question was given up last, which has put the cursor at the begin of a line."""
        return self._asking is not None and self._asking.has_ended_line

    async def ask(self, key: str, question: Question) -> Mapping[str, object] | None:  # noqa: ARG002  # nobody asks a second time
        """See `context.host.HostChannel.ask`."""
        if question.kind != "elicit":
            # lazy: as below.
            from trio_agent.context.host import unsupported  # noqa: PLC0415

            raise unsupported(question.kind)
        if self._stdin is None:
            return None
        if self._asking is None:
            # lazy: few commands ask anything.
            from trio_agent.surfaces.cli.asking.terminal import TerminalAsking  # noqa: PLC0415

            self._asking = TerminalAsking(self._streams.stderr, self._painter, self._stdin)
        return await self._asking.ask(question)

    async def tell(self, notice: Notice) -> None:
        """See `context.host.HostChannel.tell`; a command line has no more than a log."""
        # lazy: few commands tell anything.
        from trio_agent.context.telling import log_notice  # noqa: PLC0415

        log_notice(notice)
