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
from trio_agent.surfaces.cli.inspect_words import INSPECT, Inspection, decide_inspect
from trio_agent.surfaces.cli.last import complain, say_interrupted, say_last, unwritable
from trio_agent.surfaces.cli.streams import hold_standard_streams
from trio_agent.surfaces.cli.usage import (
    ArgumentHelp,
    CommandHelp,
    GroupHelp,
    RootHelp,
    Row,
    command_help,
    group_help,
    nearest,
    root_help,
)
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

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

_RUN: Final = CommandHelp(
    words=f"{PROGRAM} run",
    description="Run a command of a plugin.",
    notes=(f"`{PROGRAM} run PLUGIN --help` lists the commands of a plugin.",),
    arguments=(
        ArgumentHelp(
            name="plugin", description="A folder, or the dotted name of an installed package."
        ),
        ArgumentHelp(name="command", description="One word for each level.", is_repeated=True),
    ),
)
_PROGRAM_HELP: Final = RootHelp(
    name=PROGRAM,
    version=__version__,
    words=PROGRAM,
    description="Runs the commands of a plugin, serves its tools, and shows what it declares.",
    commands=(
        Row(term="inspect", text=INSPECT.description),
        Row(term="mcp", text="Call an MCP server, or see what it offers."),
        Row(term="run", text=_RUN.description),
        Row(term="serve", text="Serve a plugin to MCP hosts."),
    ),
)


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
    if isinstance(decision, Inspection):
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
        return decide_inspect(words[1:], columns)
    if first in _HELP:
        return root_help(_PROGRAM_HELP, columns)
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
    return f"{_RUN.words} {_plain(first)}" + (" ..." if words[1:] else "")


def _decide_run(words: Sequence[str], columns: int) -> Decision:
    reference, *argv = words or ("",)
    if reference in _HELP:
        return command_help(_RUN, columns)
    if not words or reference.startswith("-"):
        received = "nothing" if _MODES.issuperset(words) else _plain(reference)
        expected = "expected a folder or the name of a package"
        return _refuse(f"<plugin>: {expected}, received {received}", _RUN.words)
    try:
        application = PluginApplication(find_plugin(reference))
    except PluginError as error:
        return Complaint.of_error(error, USAGE)
    try:
        return _decide_plugin(application, f"{_RUN.words} {reference}", argv, columns)
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
        return _help(application, group, words, columns)
    if option == "--version" and not group.words:
        manifest = application.manifest
        return f"{manifest.name} {manifest.version or ''}".rstrip() + "\n"
    names = _listed(sorted(row.term for row in group.rows), words)
    received = "nothing" if option is None else _plain(option)
    return _refuse(f"expected a command ({names}), received {received}", words)


def _help(application: PluginApplication, group: FoundGroup, words: str, columns: int) -> str:
    if group.words:
        return group_help(GroupHelp(words=words, commands=group.rows), columns)
    manifest = application.manifest
    described = RootHelp(
        name=manifest.name,
        version=manifest.version or "",
        words=words,
        description=manifest.description or "",
        commands=group.rows,
    )
    return root_help(described, columns)


def _refuse_empty(application: PluginApplication, path: str) -> Complaint:
    received = path.removeprefix(f"{_RUN.words} ")
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
