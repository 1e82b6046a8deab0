"""Help for the program, for `run`, and for a plugin with its groups.

Apart from `shell`, because a command that runs is not explained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trio_agent.surfaces.cli.complaint import PROGRAM
from trio_agent.surfaces.cli.inspect_words import INSPECT
from trio_agent.surfaces.cli.usage import (
    ArgumentHelp,
    CommandHelp,
    GroupHelp,
    RootHelp,
    Row,
    command_help,
    group_help,
    root_help,
)
from trio_agent.version import __version__

if TYPE_CHECKING:
    from trio_agent.routes.application import PluginApplication
    from trio_agent.surfaces.cli.catalog import FoundGroup

RUN: Final = CommandHelp(
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
PROGRAM_HELP: Final = RootHelp(
    name=PROGRAM,
    version=__version__,
    words=PROGRAM,
    description="Runs the commands of a plugin, serves its tools, and shows what it declares.",
    commands=(
        Row(term="inspect", text=INSPECT.description),
        Row(term="mcp", text="Call an MCP server, or see what it offers."),
        Row(term="run", text=RUN.description),
        Row(term="serve", text="Serve a plugin to MCP hosts."),
    ),
)


def program_help(columns: int) -> str:
    """Help for the program."""
    return root_help(PROGRAM_HELP, columns)


def run_help(columns: int) -> str:
    """Help for `run`."""
    return command_help(RUN, columns)


def plugin_help(application: PluginApplication, group: FoundGroup, words: str, columns: int) -> str:
    """Help for a plugin, or for one of its groups."""
    if group.words:
        return group_help(GroupHelp(words=words, commands=group.rows), columns)
    manifest = application.manifest
    described = RootHelp(
        name=manifest.name,
        version=application.version or "",
        words=words,
        description=manifest.description or "",
        commands=group.rows,
    )
    return root_help(described, columns)
