"""The first words of the command line: `trio-agent`, its help, its version, and `run`.

    trio-agent                                  help
    trio-agent --version
    trio-agent run PLUGIN                       the plugin's commands
    trio-agent run PLUGIN --version
    trio-agent run PLUGIN GROUP... --help       the commands of a group
    trio-agent run PLUGIN COMMAND... --help     one command
    trio-agent run PLUGIN COMMAND... [argument...] [options]
    trio-agent inspect PLUGIN [--json] [--check]

Up to the list of commands nothing of the plugin's is imported, and no Trio: a help that takes a
second is not read.  `decide` says what the words mean, `main` does it; what a command does is
`run`'s.  Everything printed here goes out in one write; a mistake is one clear line.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from trio_agent.protocol.output import Output
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import PluginError, find_plugin
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.catalog import FoundCommand, FoundGroup, UnknownWord, find
from trio_agent.surfaces.cli.complaint import (
    FAILURE,
    LEFT,
    PROGRAM,
    SUCCESS,
    USAGE,
    Complaint,
    signalled,
)
from trio_agent.surfaces.cli.last import complain, say_interrupted, say_last, unwritable
from trio_agent.surfaces.cli.nearest import nearest
from trio_agent.surfaces.cli.streams import hold_standard_streams
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.cli.inspect_words import Inspection
    from trio_agent.surfaces.cli.streams import StandardStreams

MAX_REASONS: Final = 5
"""Diagnostics beside an unknown word; a broken plugin has more of them than a person reads."""

MAX_LISTED: Final = 12
"""Commands that fit into a complaint; for more there is help."""

_COLUMNS: Final = 80
_HELP: Final = frozenset({"-h", "--help"})
_MODES: Final = frozenset({"--json", "--ndjson"})
_SIGINT: Final = 2
"""`signal` has it too, with a hundred other names that help does not need."""

_RUN: Final = f"{PROGRAM} run"

Decision: TypeAlias = "str | Complaint | Call | Inspection"
"""A text to print, a complaint to tell, a command to run, or a plugin to show."""


def main(argv: Sequence[str] | None = None, *, ends_process: bool = False) -> int:
    """Do what the words say.

    Args:
        argv: the words after the program's own name; those of the process if None.
        ends_process: nothing else will be done here, so standard output is not given back.

    Returns:
        The exit code of the process.
    """
    words = sys.argv[1:] if argv is None else argv
    with hold_standard_streams(for_good=ends_process) as streams:
        try:
            return _answer(words, streams)
        except BrokenPipeError:
            return LEFT
        except OSError as error:
            say_last(streams, unwritable(streams.stdout.name, error))
            return FAILURE
        except KeyboardInterrupt:
            # Before the invocation has begun, or after its end; in between, `run` handles it.
            say_interrupted(streams)
            return signalled(_SIGINT)


def _answer(words: Sequence[str], streams: StandardStreams) -> int:
    decision = decide(words, streams.terminal.stdout.columns or _COLUMNS)
    if isinstance(decision, str):
        streams.write(Output("stdout", decision))
        return SUCCESS
    if isinstance(decision, Complaint):
        return complain(decision, words, streams)
    if not isinstance(decision, Call):
        return _inspect(decision, words, streams)
    # lazy: it imports Trio and the plugin, which no other answer needs.
    from trio_agent.surfaces.cli.run import run_command  # noqa: PLC0415

    return run_command(decision, streams)


def _inspect(inspection: Inspection, words: Sequence[str], streams: StandardStreams) -> int:
    # lazy: whoever runs a command shows no page about its plugin.
    from trio_agent.surfaces.cli.inspect_run import run_inspect  # noqa: PLC0415

    done = run_inspect(inspection, streams)
    return complain(done, words, streams) if isinstance(done, Complaint) else done


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
        from trio_agent.surfaces.cli.inspect_words import decide_inspect  # noqa: PLC0415

        return decide_inspect(words[1:], columns)
    if first in _HELP:
        # lazy: a command that runs is not explained.
        from trio_agent.surfaces.cli.program import program_help  # noqa: PLC0415

        return program_help(columns)
    if first == "--version":
        return f"{PROGRAM} {__version__}\n"
    is_option = first.startswith("-") and first != "-"
    what = f"unknown option {_plain(first)}" if is_option else f"there is no command {first!r}"
    return _refuse(what, PROGRAM, _nearest_call(words))


def _nearest_call(words: Sequence[str]) -> str | None:
    """What was probably meant by words that do not begin with a command of the program."""
    first = words[0]
    if not os.path.isdir(first):
        known = nearest(first, ("run", "inspect", "serve", "mcp", "--help", "--version"))
        if known is not None or not first.strip("-"):
            return known
    if first.startswith("-"):
        return None
    return f"{_RUN} {_plain(first)}" + (" ..." if words[1:] else "")


def _decide_run(words: Sequence[str], columns: int) -> Decision:
    reference, *argv = words or ("",)
    if reference in _HELP:
        # lazy: a command that runs is not explained.
        from trio_agent.surfaces.cli.program import run_help  # noqa: PLC0415

        return run_help(columns)
    if not words or reference.startswith("-"):
        received = "nothing" if _MODES.issuperset(words) else _plain(reference)
        expected = "expected a folder or the name of a package"
        return _refuse(f"<plugin>: {expected}, received {received}", _RUN)
    try:
        application = PluginApplication(find_plugin(reference))
    except PluginError as error:
        return Complaint.of_error(error, USAGE)
    try:
        return _decide_plugin(application, f"{_RUN} {reference}", argv, columns)
    except PluginError as error:
        return Complaint.of_error(error, FAILURE)


def _decide_plugin(
    application: PluginApplication, path: str, argv: Sequence[str], columns: int
) -> Decision:
    commands = application.commands()
    if not commands and argv[:1] != ["--version"]:
        return _refuse_empty(application, path)
    found = find(commands, argv)
    words = " ".join((path, *found.words))
    match found:
        case FoundCommand():
            return Call(application=application, record=found.record, words=words, argv=found.argv)
        case UnknownWord():
            message = f"there is no command {found.word!r} ({_listed(found.known, words)})"
            return _refuse(message, words, found.suggestion, _reasons(application))
        case FoundGroup():
            return _decide_group(application, found, words, columns)
        case _:
            assert_never(found)


def _decide_group(
    application: PluginApplication, group: FoundGroup, words: str, columns: int
) -> Decision:
    option = group.argv[0] if group.argv else None
    if option in _HELP or (option is None and not group.words):
        # lazy: a command that runs is not explained.
        from trio_agent.surfaces.cli.program import plugin_help  # noqa: PLC0415

        return plugin_help(application, group, words, columns)
    if option == "--version" and not group.words:
        manifest = application.manifest
        return f"{manifest.name} {manifest.version or ''}".rstrip() + "\n"
    names = _listed(sorted(row.term for row in group.rows), words)
    received = "nothing" if option is None else _plain(option)
    return _refuse(f"expected a command ({names}), received {received}", words)


def _refuse_empty(application: PluginApplication, path: str) -> Complaint:
    received = path.removeprefix(f"{_RUN} ")
    expected = "expected a folder with commands below cli/"
    return Complaint.of_usage(
        f"<plugin>: {expected}, received {received}, which has none", *_reasons(application)
    )


def _reasons(application: PluginApplication) -> Sequence[str]:
    """What is wrong with the plugin: it may be why a command is missing."""
    return [str(one) for one in application.graph.diagnostics[:MAX_REASONS]]


def _listed(names: Sequence[str], words: str) -> str:
    """The commands that there are, or where they are listed."""
    if len(names) > MAX_LISTED:
        return f"`{words} --help` lists {len(names)}"
    return ", ".join(names)


def _plain(word: str) -> str:
    """A word as it can stand in a line."""
    return repr(word)[1:-1]


def _refuse(
    message: str, words: str, meant: str | None = None, why: Sequence[str] = ()
) -> Complaint:
    suggestion = "" if meant is None else f", did you mean {meant}?"
    return Complaint.of_usage(
        message + suggestion,
        *why,
        f"Run `{words} --help` for help.",
    )
