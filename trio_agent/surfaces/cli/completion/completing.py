"""Answering a shell that completes a command line: read what it asks, print the candidates.

What a component's module prints while it is imported goes to standard error, which the scripts
throw away.  Nothing that is wrong is ever told here: a person who presses Tab reads no errors.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from trio_agent.errors import TrioAgentError
from trio_agent.protocol.output import Output
from trio_agent.surfaces.cli import COMPLETE_VARIABLE
from trio_agent.surfaces.cli.completion.candidates import NOTHING
from trio_agent.surfaces.cli.completion.shells import (
    SHELLS,
    answer_lines,
    last_raw_word,
    split_line,
)
from trio_agent.surfaces.cli.completion.words import complete_package, complete_program
from trio_agent.surfaces.cli.streams import hold_standard_streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.cli.completion.shells import Shell


def complete_shell(arguments: Sequence[str], package: str | None = None) -> int:
    """Print what a shell asks for; the exit code.

    Args:
        arguments: of the process: the line up to the cursor for bash, its words for the others.
        package: of the plugin whose program was called; None for `trio-agent`.
    """
    # Programs that a module starts while it is imported are asked nothing.
    asked = os.environ.pop(COMPLETE_VARIABLE, "")
    if asked not in SHELLS:
        return 1
    shell = cast("Shell", asked)
    typed = arguments[-1] if arguments else ""
    words: Sequence[str] = arguments
    if shell == "bash":
        words, typed = split_line(typed)[1:], last_raw_word(typed)
    with hold_standard_streams(for_good=True) as streams:
        try:
            found = complete_program(words) if package is None else complete_package(package, words)
        except TrioAgentError:
            found = NOTHING
        lines = "".join(f"{line}\n" for line in answer_lines(shell, found, typed))
        try:
            streams.write(Output("stdout", lines))
        except OSError:
            return 1
    return 0
