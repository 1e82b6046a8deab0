"""The words after a plugin: its commands, groups, help and version.

    (none), --help, -h            the commands of the plugin
    --version                     its name and version
    GROUP... --help               the commands of a group
    COMMAND... [argument...] [options]

The same words follow `trio-agent run PLUGIN` and a plugin's own console script; a *path* says
which of the two was typed.  Pure but for reading the plugin's files: nothing of the plugin's is
imported, and no Trio.  Above: `shell`, `console`.  Below: `catalog`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from trio_agent.routes.manifest import version_of
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.catalog import FoundCommand, FoundGroup, UnknownWord, find
from trio_agent.surfaces.cli.complaint import FAILURE, Complaint, plain, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.application import PluginApplication

MAX_REASONS: Final = 5
"""Diagnostics beside an unknown word; a broken plugin has more of them than a person reads."""

MAX_LISTED: Final = 12
"""Commands that fit into a complaint; for more there is help."""

HELP: Final = frozenset({"-h", "--help"})

PluginDecision: TypeAlias = "str | Complaint | Call"
"""A text to print, a complaint to tell, or a command to run."""


def decide_plugin(
    application: PluginApplication, path: str, argv: Sequence[str], columns: int
) -> PluginDecision:
    """Say what the words after a plugin mean.

    Args:
        application: the plugin.
        path: what was typed to get there, `trio-agent run curator` or `curator`.
        argv: the words after that.
        columns: what help is wrapped to.
    """
    program = path.partition(" ")[0]
    try:
        return _decide(application, path, argv, columns)
    except PluginError as error:
        return Complaint.of_error(error, FAILURE, program=program)


def _decide(
    application: PluginApplication, path: str, argv: Sequence[str], columns: int
) -> PluginDecision:
    # All that the words may lead to; the rest of the plugin is looked at when they lead nowhere.
    application = application.narrowed(argv)
    commands = application.commands()
    if not commands and argv[:1] != ["--version"]:
        return _refuse_empty(application, path)
    found = find(commands, argv)
    words = " ".join((path, *found.words))
    match found:
        case FoundCommand():
            return Call(application=application, record=found.record, words=words, argv=found.argv)
        case UnknownWord():
            message = f"there is no command {found.word!r} ({listed(found.known, words)})"
            return refuse(message, words, found.suggestion, reasons(application))
        case FoundGroup():
            return _decide_group(application, found, words, columns)
        case _:
            assert_never(found)


def _decide_group(
    application: PluginApplication, group: FoundGroup, words: str, columns: int
) -> PluginDecision:
    option = group.argv[0] if group.argv else None
    if option in HELP or (option is None and not group.words):
        # lazy: a command that runs is not explained.
        from trio_agent.surfaces.cli.help.program import plugin_help  # noqa: PLC0415

        return plugin_help(application, group, words, columns)
    if option == "--completion" and " " not in words:
        # lazy: as above.
        from trio_agent.surfaces.cli.help.program import decide_completion  # noqa: PLC0415

        return decide_completion(group.argv[1:], words)
    if option == "--version" and not group.words:
        manifest = application.manifest
        version = version_of(application.plugin, manifest)
        return f"{manifest.name} {version or ''}".rstrip() + "\n"
    names = listed(sorted(row.term for row in group.rows), words)
    received = "nothing" if option is None else plain(option)
    return refuse(f"expected a command ({names}), received {received}", words)


def _refuse_empty(application: PluginApplication, path: str) -> Complaint:
    program, *rest = path.split(" ", 2)
    received = rest[1] if len(rest) == 2 else str(application.plugin.root)
    expected = "expected a folder with commands below cli/"
    return Complaint.of_usage(
        f"<plugin>: {expected}, received {received}, which has none",
        *reasons(application),
        *_advice(application),
        program=program,
    )


def _advice(application: PluginApplication) -> Sequence[str]:
    """How a plugin without commands could have some."""
    tools = [tool for server in application.graph.servers for tool in server.tools]
    if not tools or application.manifest.commands is not None:
        return ()
    return ("Its tools are commands, too, with a table [commands] in plugin.toml.",)


def reasons(application: PluginApplication) -> Sequence[str]:
    """What is wrong with the plugin: it may be why a command or a script is missing."""
    return [str(one) for one in application.graph.diagnostics[:MAX_REASONS]]


def listed(names: Sequence[str], words: str) -> str:
    """The commands or scripts that there are, or where they are listed."""
    if len(names) > MAX_LISTED:
        return f"`{words} --help` lists {len(names)}"
    return ", ".join(names)
