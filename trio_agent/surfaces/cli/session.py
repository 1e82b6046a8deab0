"""One command that was understood: invoke it, show it, choose the exit code.

Everything that a reader of standard output could take for a result comes from a projection;
everything else is a line on standard error.  Knows no process: it runs in any Trio run, and the
streams may be anybody's, so a test has the same code under it as a terminal.

rich is imported only when standard output is a terminal and nobody asked for JSON.  Above: `run`.
Below: `showing`, `watching`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs
import trio

from actors import open_supervisor
from trio_agent.context.input_required import InputRequiredError
from trio_agent.errors import (
    ConsumerLeftError,
    InvocationCancelledError,
    InvocationError,
    TrioAgentError,
)
from trio_agent.invocation import Runtime
from trio_agent.protocol.output import Output, failure_lines
from trio_agent.surfaces.cli.asking.host import CommandHost
from trio_agent.surfaces.cli.complaint import FAILURE, LEFT, Complaint
from trio_agent.surfaces.cli.delivery import Delivery
from trio_agent.surfaces.cli.last import say_last, unwritable
from trio_agent.surfaces.cli.preparing import exit_code
from trio_agent.surfaces.cli.showing import PlainShowing, plain_projection
from trio_agent.surfaces.cli.signals import SignalWatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from trio_agent.context.host import HostChannel
    from trio_agent.context.observed import Axes
    from trio_agent.protocol.output import Ending
    from trio_agent.surfaces.cli.aside import Aside
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.preparing import Prepared
    from trio_agent.surfaces.cli.showing import Showing
    from trio_agent.surfaces.cli.streams import StandardStreams
    from trio_agent.surfaces.cli.terminal.painter import Painter


@final
class Session:
    """One run of one command.

    Args:
        call: the plugin, and the words that were typed.
        prepared: what is invoked, and how it is to be shown.
        streams: where everything goes.
        aside: what components print meanwhile; None where nothing is repainted.
        runtime: runs the invocation; by default one of its own.
        axes: what is known about the caller beside the terminal.
        host: answers what components ask; by default whoever sits at the terminal.
        stdin: descriptor that a person types on; None when nobody can.

    Attributes:
        ending: how the document came out; None when there is none.
    """

    __slots__ = (
        "_axes",
        "_delivery",
        "_host",
        "_painter",
        "_prepared",
        "_program",
        "_runtime",
        "_showing",
        "_streams",
        "ending",
    )

    def __init__(  # noqa: PLR0913  # what a process has, and what a test brings instead
        self,
        call: Call,
        prepared: Prepared,
        streams: StandardStreams,
        aside: Aside | None,
        *,
        runtime: Runtime | None = None,
        axes: Axes | None = None,
        host: HostChannel | None = None,
        stdin: int | None = None,
    ) -> None:
        self.ending: Ending | None = None
        self._runtime: Final = Runtime(call.application) if runtime is None else runtime
        self._axes: Final = axes
        self._program: Final = call.program
        self._prepared: Final = prepared
        self._streams: Final = streams
        self._delivery: Final = Delivery(streams)
        self._painter: Painter | None = None
        self._showing: Final = self._open_showing(aside)
        # Machines are not asked: whoever reads JSON cannot be expected to type.
        keyboard = stdin if prepared.mode is None else None
        self._host: Final = CommandHost(streams, self._painter, keyboard) if host is None else host

    def _open_showing(self, aside: Aside | None) -> Showing:
        prepared, streams = self._prepared, self._streams
        if prepared.mode is not None or streams.terminal.stdout.kind != "tty":
            projection = plain_projection(prepared.mode, is_data=prepared.is_data)
            return PlainShowing(projection, self._delivery)
        # lazy: these import rich, which takes longer than most commands.
        from trio_agent.surfaces.cli.terminal.painter import Painter  # noqa: PLC0415
        from trio_agent.surfaces.cli.terminal.watching import WatchedShowing  # noqa: PLC0415

        if aside is not None:
            words = prepared.invocation.target
            self._painter = Painter(streams.stderr, streams.environ, aside, words)
        return WatchedShowing(streams, self._delivery, self._painter, is_data=prepared.is_data)

    async def conduct(self, received: AsyncIterator[int] | None = None) -> int:
        """Invoke and show.

        Args:
            received: numbers of signals; the first cancels the invocation.

        Returns:
            The exit code; `FAILURE` when a signal came.
        """
        code = FAILURE
        async with open_supervisor() as supervisor:
            with trio.CancelScope() as scope:
                if received is not None:
                    supervisor.start(SignalWatch(received, scope))
                if self._painter is not None:
                    supervisor.start(self._painter)
                code = await self._invoke()
            supervisor.stop("the command has ended")
        return code

    async def _invoke(self) -> int:
        try:
            ending = await self._showing.invoke(
                self._runtime, self._prepared.invocation, self._observe, self._host
            )
        except InvocationCancelledError:
            return self._report_unwritable()
        except TrioAgentError as error:
            return await self._report(*self._told(error))
        self.ending = ending
        code = exit_code(ending, self._prepared.policy)
        if isinstance(code, int):
            return code
        return await self._report([Output("stderr", f"{self._program}: {code}\n")])

    def _told(self, error: TrioAgentError) -> tuple[Sequence[Output], int]:
        """What is said of an invocation that has no document, and the exit code."""
        mode = self._prepared.mode
        if isinstance(error, InvocationError):
            return failure_lines(error, mode or "markdown"), FAILURE
        if isinstance(error, InputRequiredError):
            complaint = Complaint.of_questions(error, program=self._program)
        else:
            # The plugin changed between two looks, or the input does not survive as JSON.
            complaint = Complaint.of_error(error, FAILURE, program=self._program)
        return complaint.outputs(mode, self._showing.sequence), complaint.exit_code

    def _observe(self) -> Axes:
        """What is known about the caller; asked for when a component first is."""
        # lazy: the classes of all axes take longer to make than a small command to run.
        from trio_agent.context.observed import Available, Axes  # noqa: PLC0415

        terminal = Available(source="native", value=self._streams.terminal)
        if self._axes is None:
            return Axes(terminal=terminal)
        return attrs.evolve(self._axes, terminal=terminal)

    async def _report(self, outputs: Sequence[Output], code: int = FAILURE) -> int:
        """Say why it failed; the exit code."""
        try:
            for output in outputs:
                await self._showing.say(output)
        except ConsumerLeftError:
            return self._report_unwritable()
        return code

    def _report_unwritable(self) -> int:
        failure = self._delivery.failure
        if failure is None or isinstance(failure, BrokenPipeError):
            return LEFT
        self.clear_last()
        say_last(self._streams, unwritable(self._program, self._streams.stdout.name, failure))
        return FAILURE

    def clear_last(self) -> bool:
        """Take the picture away, without waiting; whether the cursor is at the begin of a line."""
        last = b"" if self._painter is None else self._painter.clear_last()
        if last:
            return self._streams.stderr.write_last(last)
        return isinstance(self._host, CommandHost) and self._host.has_ended_line
