"""A program in this process: hold the streams, decide what the words mean, and do it.

Shared by `trio-agent` and the console scripts of plugins, which differ only in what their words
mean.  Everything printed here goes out in one write; a mistake is one clear line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from trio_agent.surfaces.cli.call import Call, wants_help
from trio_agent.surfaces.cli.complaint import FAILURE, LEFT, SUCCESS, Complaint, signalled
from trio_agent.surfaces.cli.last import complain, say_help, say_interrupted, say_last, unwritable
from trio_agent.surfaces.cli.streams import hold_standard_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio_agent.context.terminal import HostSurface
    from trio_agent.surfaces.cli.inspect.words import Inspection
    from trio_agent.surfaces.cli.streams import StandardStreams

Decision: TypeAlias = "str | Complaint | Call | Inspection"
"""A text to print, a complaint to tell, a command to run, or a plugin to show."""

COLUMNS: Final = 80
"""What help is wrapped to where nobody says."""
_SIGINT: Final = 2
"""`signal` has it too, with a hundred other names that help does not need."""


def answer(
    decide: Callable[[Sequence[str], int], Decision],
    words: Sequence[str],
    program: str,
    *,
    ends_process: bool,
    surface: HostSurface = "cli",
) -> int:
    """Do what the words mean.

    Args:
        decide: says what it is, from the words and the columns that help is wrapped to.
        words: after the program's own name.
        program: its name.
        ends_process: nothing else will be done here, so standard output is not given back.
        surface: the door that this is: `cli`, or `script`.

    Returns:
        The exit code of the process.
    """
    with hold_standard_streams(surface=surface, for_good=ends_process) as streams:
        try:
            decision = decide(words, streams.terminal.stdout.columns or COLUMNS)
            return carry_out(decision, words, streams)
        except BrokenPipeError:
            return LEFT
        except OSError as error:
            say_last(streams, unwritable(program, streams.stdout.name, error))
            return FAILURE
        except KeyboardInterrupt:
            # Before the invocation has begun, or after its end; in between, `run` handles it.
            say_interrupted(streams)
            return signalled(_SIGINT)


def carry_out(decision: Decision, words: Sequence[str], streams: StandardStreams) -> int:
    """Print, tell or run what was decided; the exit code.

    Raises:
        OSError: standard output cannot be written.
    """
    if isinstance(decision, str):
        say_help(streams, decision)
        return SUCCESS
    if isinstance(decision, Complaint):
        return complain(decision, words, streams)
    if isinstance(decision, Call) and decision.script is None and wants_help(decision.argv):
        return _explain(decision, words, streams)
    if isinstance(decision, Call):
        # lazy: it imports Trio and the plugin, which no other answer needs.
        from trio_agent.surfaces.cli.run import run_command  # noqa: PLC0415

        return run_command(decision, streams)
    # lazy: whoever runs a command shows no page about its plugin.
    from trio_agent.surfaces.cli.inspect.run import run_inspect  # noqa: PLC0415

    done = run_inspect(decision, streams)
    return complain(done, words, streams) if isinstance(done, Complaint) else done


def _explain(call: Call, words: Sequence[str], streams: StandardStreams) -> int:
    # lazy: whoever runs a command has none explained.
    from trio_agent.surfaces.cli.help.explaining import explain  # noqa: PLC0415
    from trio_agent.surfaces.cli.surroundings import enter_surroundings  # noqa: PLC0415

    enter_surroundings(call, streams)
    text = explain(call, streams.terminal.stdout.columns or COLUMNS)
    if isinstance(text, Complaint):
        return complain(text, words, streams)
    say_help(streams, text)
    return SUCCESS
