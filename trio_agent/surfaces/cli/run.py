"""One command, from its words to an exit code.

The order of things: import the command's module, read the words, invoke and show, choose the
exit code.  Everything that a reader of standard output could take for a result comes from a
projection; everything else is a line on standard error.

    code   when
    0      the document is a success; or the value's `exitCode`, for a command that says so
    1      an error in the document, a failed invocation, output that cannot be written
    2      the words are no input
    130    SIGINT; 143: SIGTERM.  Components have cleaned up, unless a second signal came
    141    the reader of standard output left

Imports Trio and the plugin; `shell` decides whether it comes to that.  rich is imported only
when standard output is a terminal and nobody asked for JSON.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, Final, Literal, final

import attrs
import trio

from actors import open_supervisor
from trio_agent.context.children import CHILDREN
from trio_agent.errors import (
    ConsumerLeftError,
    ContractError,
    InvocationCancelledError,
    InvocationError,
    TrioAgentError,
)
from trio_agent.invocation import Runtime
from trio_agent.pipeline.author import unwrap_interrupt
from trio_agent.protocol.output import Output, failure_lines
from trio_agent.protocol.schema.issues import show
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.surfaces.cli.argv import UsageError, parse_argv, wants_help
from trio_agent.surfaces.cli.aside import printing_aside
from trio_agent.surfaces.cli.complaint import (
    FAILURE,
    LEFT,
    PROGRAM,
    SUCCESS,
    USAGE,
    Complaint,
    signalled,
    stated_mode,
)
from trio_agent.surfaces.cli.delivery import Delivery
from trio_agent.surfaces.cli.grammar import read_grammar
from trio_agent.surfaces.cli.last import (
    TERMINATED,
    complain,
    say_interrupted,
    say_last,
    unwritable,
)
from trio_agent.surfaces.cli.showing import PlainShowing, plain_projection
from trio_agent.surfaces.cli.signals import Interruption, SignalWatch
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.context.observed import Axes
    from trio_agent.protocol.output import Ending
    from trio_agent.surfaces.cli.aside import Aside
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.complaint import MachineMode
    from trio_agent.surfaces.cli.painter import Painter
    from trio_agent.surfaces.cli.showing import Showing
    from trio_agent.surfaces.cli.streams import StandardStreams
    from trio_agent.surfaces.cli.usage import CommandHelp

DEBUG_VARIABLE: Final = "TRIO_AGENT_DEBUG"
"""Not empty: what the library logs goes to standard error, tracebacks of author code included."""

_COLUMNS: Final = 80
_HIGHEST_CODE: Final = 255


@final
@attrs.frozen(kw_only=True)
class Prepared:
    """A command whose words were understood.

    Attributes:
        invocation: what is asked for.
        mode: what a machine wants to read, if one does.
        policy: `result` when the value may say the exit code.
    """

    invocation: Invocation
    mode: MachineMode | None
    policy: Literal["result"] | None

    __repr__ = shown


def run_command(call: Call, streams: StandardStreams) -> int:
    """Run a command, or print its help; the exit code.

    Raises:
        OSError: help cannot be written.
        KeyboardInterrupt: Ctrl-C while the module is imported.
    """
    if os.environ.get(DEBUG_VARIABLE):
        # For authors: the document and the last line say what failed, and not where.
        logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
        logging.getLogger("trio_agent").setLevel(logging.DEBUG)
    if streams.terminal.repaints and stated_mode(call.argv) is None:
        with printing_aside(streams.stderr) as aside:
            return _run(call, streams, aside)
    return _run(call, streams, None)


def _run(call: Call, streams: StandardStreams, aside: Aside | None) -> int:
    prepared = prepare(call, streams.terminal.stdout.columns or _COLUMNS)
    if isinstance(prepared, str):
        streams.write(Output("stdout", prepared))
        return SUCCESS
    if isinstance(prepared, Complaint):
        return complain(prepared, call.argv, streams)
    return _Session(call, prepared, streams, aside).run()


def prepare(call: Call, columns: int) -> Prepared | Complaint | str:
    """Import the module and read the words; a string is help to print.

    Args:
        call: the command and its words.
        columns: what help is wrapped to.
    """
    record = call.record
    try:
        route = call.application.load(record)
        grammar = read_grammar(route.signature.input_type)

        def describe() -> CommandHelp:
            # lazy: a command that runs is not explained.
            from trio_agent.surfaces.cli.describing import describe_command  # noqa: PLC0415

            return describe_command(
                grammar,
                words=call.words,
                description=route.description or "",
                aliases=record.aliases,
            )

        if wants_help(call.argv):
            # lazy: as above.
            from trio_agent.surfaces.cli.usage import command_help  # noqa: PLC0415

            return command_help(describe(), columns)
        parsed = parse_argv(grammar, call.argv, describe)
    except UsageError as error:
        return Complaint.of_input(error)
    except (PluginError, ContractError) as error:
        return Complaint.of_error(error, FAILURE)
    try:
        props = Json.of(parsed.value, "input")
    except ContractError as error:
        # Such as an integer that no document may hold.
        return Complaint.of_error(error, USAGE)
    invocation = Invocation(
        kind="cli", target=record.name, props=props, operation_id=record.id, surface="cli"
    )
    return Prepared(invocation=invocation, mode=parsed.mode, policy=route.exit_code)


def exit_code(ending: Ending, policy: Literal["result"] | None) -> int | str:
    """The exit code of a command that came to an end, or what is wrong with the one it says."""
    if ending.status != "success":
        return FAILURE
    value: object = None if ending.value is None else ending.value.value
    if policy is None or not isinstance(value, dict) or "exitCode" not in value:
        return SUCCESS
    code: object = value["exitCode"]
    if type(code) is int and 0 <= code <= _HIGHEST_CODE:
        return code
    expected = f"expected an integer from 0 to {_HIGHEST_CODE}"
    return f"value.exitCode: {expected}, received {show(code)}"


@final
class _Session:
    """One run of one command."""

    def __init__(
        self, call: Call, prepared: Prepared, streams: StandardStreams, aside: Aside | None
    ) -> None:
        self._runtime: Final = Runtime(call.application)
        self._prepared: Final = prepared
        self._streams: Final = streams
        self._delivery: Final = Delivery(streams)
        self._interruption: Final = Interruption(self._end_now)
        self._words: Final = call.record.words
        self._painter: Painter | None = None
        self._showing: Final = self._open_showing(aside)

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
            has_cleared = self._clear_last()
        number = self._interruption.number
        if number is None:
            return code
        if number == signal.SIGINT:
            say_interrupted(self._streams, follows_key=not has_cleared)
        else:
            say_last(self._streams, TERMINATED)
        return signalled(number)

    def _open_showing(self, aside: Aside | None) -> Showing:
        mode = self._prepared.mode
        if mode is not None or self._streams.terminal.stdout.kind != "tty":
            return PlainShowing(plain_projection(mode), self._delivery)
        # lazy: these import rich, which takes longer than most commands.
        from trio_agent.surfaces.cli.painter import Painter  # noqa: PLC0415
        from trio_agent.surfaces.cli.watching import WatchedShowing  # noqa: PLC0415

        if aside is not None:
            words = " ".join(self._words)
            self._painter = Painter(self._streams.stderr, os.environ, aside, words)
        return WatchedShowing(self._streams, self._delivery, self._painter)

    async def _conduct(self) -> int:
        code = FAILURE
        with self._interruption.listening() as received:
            async with open_supervisor() as supervisor:
                with trio.CancelScope() as scope:
                    supervisor.start(SignalWatch(received, scope))
                    if self._painter is not None:
                        supervisor.start(self._painter)
                    code = await self._invoke()
                supervisor.stop("the command has ended")
        return code

    async def _invoke(self) -> int:
        mode = self._prepared.mode
        try:
            ending = await self._showing.invoke(
                self._runtime, self._prepared.invocation, self._observe
            )
        except InvocationCancelledError:
            return self._report_unwritable()
        except InvocationError as error:
            return await self._report(failure_lines(error, mode or "markdown"))
        except TrioAgentError as error:
            # The plugin changed between two looks, or the input does not survive as JSON.
            return await self._report(Complaint.of_error(error, FAILURE).outputs(mode))
        code = exit_code(ending, self._prepared.policy)
        if isinstance(code, int):
            return code
        return await self._report([Output("stderr", f"{PROGRAM}: {code}\n")])

    def _observe(self) -> Axes:
        """What is known about the caller; asked for when a component first is."""
        # lazy: the classes of all axes take longer to make than a small command to run.
        from trio_agent.context.observed import Available, Axes  # noqa: PLC0415

        return Axes(terminal=Available(source="native", value=self._streams.terminal))

    async def _report(self, outputs: Sequence[Output]) -> int:
        """Say why it failed; the exit code."""
        try:
            for output in outputs:
                await self._showing.say(output)
        except ConsumerLeftError:
            return self._report_unwritable()
        return FAILURE

    def _report_unwritable(self) -> int:
        failure = self._delivery.failure
        if failure is None or isinstance(failure, BrokenPipeError):
            return LEFT
        self._clear_last()
        say_last(self._streams, unwritable(self._streams.stdout.name, failure))
        return FAILURE

    def _clear_last(self) -> bool:
        """Take the picture away; whether there was anything to write."""
        last = b"" if self._painter is None else self._painter.clear_last()
        return bool(last) and self._streams.stderr.write_last(last)

    def _end_now(self, code: int) -> None:
        """End the process in a signal handler: nothing is awaited, nothing is cleaned up."""
        self._clear_last()
        CHILDREN.kill()
        os._exit(code)
