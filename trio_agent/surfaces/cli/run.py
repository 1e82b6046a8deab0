"""One command in this process: from its words to the exit code that the process ends with.

    code   when
    0      the document is a success; or the value's `exitCode`, for a command that says so
    1      an error in the document, a failed invocation, output that cannot be written
    2      the words are no input
    130    SIGINT; 143: SIGTERM.  Components have cleaned up, unless a second signal came
    141    the reader of standard output left

What belongs to a process is here: the operator's environment, the log, the collector, signals,
`trio.run` and last words.  Imports Trio and the plugin; `shell` decides whether it comes to that.
Below: `preparing`, which reads the words, and `session`, which invokes and shows.
"""

from __future__ import annotations

import gc
import os
import signal
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.context.children import CHILDREN
from trio_agent.pipeline.author import unwrap_interrupt
from trio_agent.surfaces.cli.aside import printing_aside
from trio_agent.surfaces.cli.asking.host import can_answer
from trio_agent.surfaces.cli.complaint import SUCCESS, Complaint, signalled, stated_mode
from trio_agent.surfaces.cli.last import TERMINATED, complain, say_help, say_interrupted, say_last
from trio_agent.surfaces.cli.preparing import prepare
from trio_agent.surfaces.cli.session import Session
from trio_agent.surfaces.cli.signals import Interruption
from trio_agent.surfaces.cli.streams import STDIN
from trio_agent.surfaces.cli.surroundings import enter_surroundings

if TYPE_CHECKING:
    from trio_agent.surfaces.cli.aside import Aside
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.preparing import Prepared
    from trio_agent.surfaces.cli.streams import StandardStreams

COLUMNS: Final = 80


def run_command(call: Call, streams: StandardStreams) -> int:
    """Run a command or a rendered script, or print help; the exit code.

    Raises:
        OSError: help cannot be written.
        KeyboardInterrupt: Ctrl-C while the module is imported.
    """
    enter_surroundings(call, streams)
    if streams.terminal.repaints and stated_mode(call.argv) is None:
        with printing_aside(streams.stderr) as aside:
            return _run(call, streams, aside)
    return _run(call, streams, None)


def _run(call: Call, streams: StandardStreams, aside: Aside | None) -> int:
    prepared = _prepare(call, streams.terminal.stdout.columns or COLUMNS)
    if isinstance(prepared, str):
        say_help(streams, prepared)
        return SUCCESS
    if isinstance(prepared, Complaint):
        return complain(prepared, call.argv, streams)
    stdin = STDIN if can_answer(streams, STDIN) else None
    session = Session(call, prepared, streams, aside, stdin=stdin)
    return ProcessRun(session, streams).run()


def _prepare(call: Call, columns: int) -> Prepared | Complaint | str:
    script = call.script
    if script is None:
        return prepare(call, columns)
    # lazy: whoever runs a command runs no script.
    from trio_agent.surfaces.cli.scripts.preparing import prepare_script  # noqa: PLC0415

    return prepare_script(call, script)


@final
class ProcessRun:
    """One session as the work of this process."""

    __slots__ = ("_interruption", "_session", "_streams")

    def __init__(self, session: Session, streams: StandardStreams) -> None:
        self._session: Final = session
        self._streams: Final = streams
        self._interruption: Final = Interruption(self.end_now)

    def run(self) -> int:
        """Run; the exit code."""
        # What has been imported stays until the end; the collector need not look at it again.
        gc.freeze()
        gc.enable()
        try:
            code = trio.run(self._conduct)
        except BaseExceptionGroup as group:
            raise unwrap_interrupt(group) from None
        finally:
            has_cleared = self._session.clear_last()
        number = self._interruption.number
        if number is None:
            return code
        if number == signal.SIGINT:
            say_interrupted(self._streams, follows_key=not has_cleared)
        else:
            say_last(self._streams, TERMINATED)
        return signalled(number)

    async def _conduct(self) -> int:
        with self._interruption.listening() as received:
            return await self._session.conduct(received)

    def end_now(self, code: int) -> None:
        """End the process in a signal handler: nothing is awaited, nothing is cleaned up."""
        self._session.clear_last()
        CHILDREN.kill()
        os._exit(code)
