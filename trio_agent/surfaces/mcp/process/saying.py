"""What a process says that serves nobody: text on its two streams, whole, or why that is impossible.

Standard output carries what was asked for, so its failure is told; standard error that cannot be
written is nobody's loss but its own.  Above: `client`, and `serve` for help and mistakes.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trio_agent.protocol.output import Output

FAILURE: Final = 1
LEFT: Final = 141
"""The reader of standard output left; as a shell reports a program that died of SIGPIPE."""


class UnwritableError(Exception):
    """Standard output cannot be written; one line that says why."""


def say(output: Output) -> None:
    """Write one output, in the encoding of its stream; on a terminal nothing in it is obeyed.

    Raises:
        BrokenPipeError: the reader of standard output has left.
        UnwritableError: it is closed, or its disk is full.
    """
    stream = sys.stdout if output.stream == "stdout" else sys.stderr
    failure: OSError | None = None
    if stream is None:  # closed before the process began
        failure = OSError("it is closed")
    else:
        try:
            stream.buffer.write(output.encoded(stream.encoding, on_terminal=stream.isatty()))
            stream.flush()
        except OSError as error:
            # What is left in the buffer would be complained of at the end of the process.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            failure = error
    if failure is None or output.stream == "stderr":
        return
    if isinstance(failure, BrokenPipeError):
        raise failure
    why = failure.strerror or failure
    raise UnwritableError(f"cannot write to standard output: {why}") from failure


def say_text(text: str) -> int:
    """Write text to standard output; the exit code, which is not 0 if that is impossible."""
    # lazy: a server that starts says nothing.
    from trio_agent.protocol.output import Output  # noqa: PLC0415

    try:
        say(Output("stdout", text))
    except BrokenPipeError:
        return LEFT
    except UnwritableError as error:
        complain(str(error))
        return FAILURE
    return 0


def complain(text: str) -> None:
    """Say on standard error what is wrong; never fails."""
    # lazy: as above.
    from trio_agent.protocol.output import Output  # noqa: PLC0415

    say(Output("stderr", f"trio-agent: {text}\n"))
