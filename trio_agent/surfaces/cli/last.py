"""Sentences outside of any document: complaints and last words, written to the real streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trio_agent.protocol.output import Output, encodable, printable
from trio_agent.surfaces.cli.complaint import stated_mode
from trio_agent.surfaces.cli.help.listing import with_headings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.cli.complaint import Complaint
    from trio_agent.surfaces.cli.streams import StandardStreams

INTERRUPTED: Final = "Interrupted.\n"
TERMINATED: Final = "Terminated.\n"


def complain(complaint: Complaint, argv: Sequence[str], streams: StandardStreams) -> int:
    """Tell why nothing was run; the exit code.

    Raises:
        OSError: standard output cannot be written.
    """
    for output in complaint.outputs(stated_mode(argv)):
        if output.stream == "stdout":
            streams.write(output)
        else:
            say_last(streams, output)
    return complaint.exit_code


def say_help(streams: StandardStreams, text: str) -> None:
    """Write help to standard output, its headings in bold where the terminal has colour.

    Raises:
        OSError: standard output cannot be written.
    """
    stdout, axis = streams.stdout, streams.terminal.stdout
    if axis.kind == "tty" and axis.color != "none":
        # The page may not be obeyed, but its headings are ours.
        page = with_headings(printable(text))
        stdout.write(encodable(page, stdout.encoding))
    else:
        streams.write(Output("stdout", text))


def say_last(streams: StandardStreams, said: Output | str) -> None:
    """Write to standard error if that is possible; never waits long, never fails."""
    output = Output("stderr", said) if isinstance(said, str) else said
    streams.stderr.write_last(streams.stderr.encode(output))


def say_interrupted(streams: StandardStreams, *, follows_key: bool = True) -> None:
    """Say that Ctrl-C was heard.

    Args:
        streams: where.
        follows_key: nothing was written since, so that a terminal may still show `^C` there.
    """
    begin = "\n" if follows_key and streams.stderr.is_terminal else ""
    say_last(streams, begin + INTERRUPTED)


def unwritable(program: str, name: str, error: OSError) -> str:
    """The line in which *program* says why a stream cannot be written."""
    return f"{program}: cannot write to {name}: {error.strerror or error}\n"
