"""Help for the program, for `run` and `script`, and for a plugin with its groups.

Apart from `shell`, because a command that runs is not explained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from trio_agent.routes.glance import GROUP, describe_group
from trio_agent.routes.manifest import version_of
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli.complaint import plain, refuse
from trio_agent.surfaces.cli.completion.shells import SHELLS, completion_script
from trio_agent.surfaces.cli.help import overview
from trio_agent.surfaces.cli.help.listing import COMPLETION_ROW
from trio_agent.surfaces.cli.help.overview import PROGRAM
from trio_agent.surfaces.cli.help.usage import (
    ArgumentHelp,
    CommandHelp,
    GroupHelp,
    RootHelp,
    Row,
    command_help,
    group_help,
    root_help,
    table,
)
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.record import RouteRecord
    from trio_agent.surfaces.cli.catalog import FoundGroup
    from trio_agent.surfaces.cli.complaint import Complaint
    from trio_agent.surfaces.cli.completion.shells import Shell

RUN: Final = CommandHelp(
    words=f"{PROGRAM} run",
    description=overview.RUN,
    notes=(f"`{PROGRAM} run PLUGIN --help` lists the commands of a plugin.",),
    arguments=(
        ArgumentHelp(
            name="plugin", description="A folder, or the dotted name of an installed package."
        ),
        ArgumentHelp(name="command", description="One word for each level.", is_repeated=True),
    ),
)
SCRIPT: Final = CommandHelp(
    words=f"{PROGRAM} script",
    description=overview.SCRIPT,
    notes=(
        (
            "Every word after the name belongs to the script, but for --json and --ndjson before --"
            " where it is a rendered one."
        ),
    ),
    arguments=(
        ArgumentHelp(
            name="plugin", description="A folder, or the dotted name of an installed package."
        ),
        ArgumentHelp(name="name", description="Of the script.", is_required=False),
        ArgumentHelp(
            name="word",
            description="What the script is started with.",
            is_required=False,
            is_repeated=True,
        ),
    ),
)
_COMPLETION: Final = Row(term=COMPLETION_ROW[0], text=COMPLETION_ROW[1])
PROGRAM_HELP: Final = RootHelp(
    name=PROGRAM,
    version=__version__,
    words=PROGRAM,
    description=overview.DESCRIPTION,
    commands=tuple(Row(term=term, text=text) for term, text in overview.COMMANDS),
    options=(_COMPLETION,),
)


def program_help(columns: int) -> str:
    """Help for the program."""
    return root_help(PROGRAM_HELP, columns)


def run_help(columns: int) -> str:
    """Help for `run`."""
    return command_help(RUN, columns)


def decide_completion(words: Sequence[str], program: str) -> str | Complaint:
    """The script that `--completion SHELL` prints.

    Args:
        words: after the option.
        program: its name, as somebody types it.
    """
    if len(words) == 1 and words[0] in SHELLS:
        return completion_script(cast("Shell", words[0]), program)
    received = " ".join(map(plain, words)) or "nothing"
    return refuse(
        f"--completion: expected one of {', '.join(SHELLS)}, received {received}", program
    )


def _described(application: PluginApplication, above: Sequence[str], row: Row) -> Row:
    """A row of a list; that of a group with what the group says of itself."""
    if row.text != GROUP:
        return row
    return Row(term=row.term, text=_summary(application, (*above, row.term)) or GROUP)


def _summary(application: PluginApplication, words: Sequence[str]) -> str:
    try:
        return describe_group(str(application.plugin.root), words)
    except OSError as error:
        raise PluginError(f"{application.plugin.root}: cannot be read: {error}") from error


def script_help(columns: int, records: Iterable[RouteRecord] = ()) -> str:
    """Help for `script`, with what there is to start."""
    rows = [
        Row(term=record.name, text=record.description or record.title or "") for record in records
    ]
    listed = table("Scripts", rows, columns)
    return command_help(SCRIPT, columns) + (f"\n{listed}\n" if listed else "")


def plugin_help(application: PluginApplication, group: FoundGroup, words: str, columns: int) -> str:
    """Help for a plugin, or for one of its groups."""
    rows = tuple(_described(application, group.words, row) for row in group.rows)
    if group.words:
        described_group = GroupHelp(
            words=words,
            description=_summary(application, group.words),
            commands=rows,
        )
        return group_help(described_group, columns)
    manifest = application.manifest
    described = RootHelp(
        name=manifest.name,
        version=version_of(application.plugin, manifest) or "",
        words=words,
        description=manifest.description or "",
        commands=rows,
        # Behind `trio-agent run` it would complete another program than the one that was asked.
        options=() if " " in words else (_COMPLETION,),
    )
    return root_help(described, columns)
