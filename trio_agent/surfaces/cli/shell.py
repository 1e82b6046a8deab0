"""The first words of the command line: `trio-agent`, its help, its version, and `run`.

    trio-agent                                  help
    trio-agent --version
    trio-agent --completion SHELL               a script that completes all of this
    trio-agent run PLUGIN                       the plugin's commands
    trio-agent run PLUGIN --version
    trio-agent run PLUGIN GROUP... --help       the commands of a group
    trio-agent run PLUGIN COMMAND... --help     one command
    trio-agent run PLUGIN COMMAND... [argument...] [options]
    trio-agent script PLUGIN                    the plugin's scripts
    trio-agent script PLUGIN NAME [word...]
    trio-agent inspect PLUGIN [--json] [--check]

Up to the list of commands nothing of the plugin's is imported, and no Trio: a help that takes a
second is not read.  `decide` says what the words mean, as far as the plugin; what follows is told
by `plugin_words`, and `answering` does what was decided.  What follows `script` is told by
`scripts.words`, and done by `scripts.run`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import PluginError, find_plugin
from trio_agent.surfaces.cli.answering import answer
from trio_agent.surfaces.cli.complaint import USAGE, Complaint, plain, refuse
from trio_agent.surfaces.cli.help.overview import PROGRAM
from trio_agent.surfaces.cli.nearest import nearest
from trio_agent.surfaces.cli.plugin_words import HELP, decide_plugin
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.cli.answering import Decision

_MODES: Final = frozenset({"--json", "--ndjson"})
_OPTIONS: Final = frozenset({"--completion", "--version"})
_RUN: Final = f"{PROGRAM} run"


def main(argv: Sequence[str] | None = None, *, ends_process: bool = False) -> int:
    """Do what the words say.

    Args:
        argv: the words after the program's own name; those of the process if None.
        ends_process: nothing else will be done here, so standard output is not given back.

    Returns:
        The exit code of the process.
    """
    words = sys.argv[1:] if argv is None else argv
    if words and words[0] == "script":
        # lazy: most words start none; and here no stream is held yet, which a program needs.
        from trio_agent.surfaces.cli.scripts.run import answer_script  # noqa: PLC0415

        return answer_script(words[1:], ends_process=ends_process)
    return answer(decide, words, PROGRAM, ends_process=ends_process)


def decide(words: Sequence[str], columns: int) -> Decision:
    """Say what the words mean; reads the plugin's files, imports and writes nothing.

    Args:
        words: after the program's own name.
        columns: what help is wrapped to.
    """
    first = words[0] if words else "--help"
    if first == "run":
        return _decide_run(words[1:], columns)
    if first == "inspect":
        # lazy: whoever runs a command looks at none.
        from trio_agent.surfaces.cli.inspect.words import decide_inspect  # noqa: PLC0415

        return decide_inspect(words[1:], columns)
    if first in HELP or first in _OPTIONS:
        return _decide_option(first, words[1:], columns)
    is_option = first.startswith("-") and first != "-"
    what = f"unknown option {plain(first)}" if is_option else f"there is no command {first!r}"
    return refuse(what, PROGRAM, _nearest_call(words))


def _decide_option(option: str, words: Sequence[str], columns: int) -> Decision:
    if option == "--version":
        return f"{PROGRAM} {__version__}\n"
    # lazy: a command that runs is not explained.
    from trio_agent.surfaces.cli.help.program import decide_completion, program_help  # noqa: PLC0415

    return program_help(columns) if option in HELP else decide_completion(words, PROGRAM)


def _nearest_call(words: Sequence[str]) -> str | None:
    """What was probably meant by words that do not begin with a command of the program."""
    first = words[0]
    if not os.path.isdir(first):
        known = nearest(first, ("run", "script", "inspect", "serve", "mcp", "--help", *_OPTIONS))
        if known is not None or not first.strip("-"):
            return known
    if first.startswith("-"):
        return None
    return f"{_RUN} {plain(first)}" + (" ..." if words[1:] else "")


def _decide_run(words: Sequence[str], columns: int) -> Decision:
    reference, *argv = words or ("",)
    if reference in HELP:
        # lazy: a command that runs is not explained.
        from trio_agent.surfaces.cli.help.program import run_help  # noqa: PLC0415

        return run_help(columns)
    if not words or reference.startswith("-"):
        received = "nothing" if _MODES.issuperset(words) else plain(reference)
        expected = "expected a folder or the name of a package"
        return refuse(f"<plugin>: {expected}, received {received}", _RUN)
    try:
        application = PluginApplication(find_plugin(reference))
    except PluginError as error:
        return Complaint.of_error(error, USAGE)
    return decide_plugin(application, f"{_RUN} {reference}", argv, columns)
