"""What `trio-agent inspect PLUGIN` was asked for.

    trio-agent inspect PLUGIN [--routes] [--json] [--check]

Pure: the plugin is found, and nothing of it is read.  Above: `shell`.  `run` does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.routes.plugin import PluginError, find_plugin
from trio_agent.shown import shown
from trio_agent.surfaces.cli.complaint import USAGE, Complaint
from trio_agent.surfaces.cli.help import overview
from trio_agent.surfaces.cli.help.overview import PROGRAM
from trio_agent.surfaces.cli.help.usage import (
    ArgumentHelp,
    CommandHelp,
    OptionHelp,
    command_help,
)
from trio_agent.surfaces.cli.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.plugin import Plugin

INSPECT: Final = CommandHelp(
    words=f"{PROGRAM} inspect",
    description=overview.INSPECT,
    notes=(
        (
            "With --check the plugin's modules are imported, and the exit code is 1 if anything is an"
            " error."
        ),
    ),
    arguments=(
        ArgumentHelp(
            name="plugin", description="A folder, or the dotted name of an installed package."
        ),
    ),
    options=(
        OptionHelp(name="routes", description="Show the routes; the default."),
        OptionHelp(name="check", description="Import the modules too, and judge."),
    ),
    has_events=False,
)

_OPTIONS: Final = ("--routes", "--json", "--check")
_HELP: Final = frozenset({"-h", "--help"})


@final
@attrs.frozen(kw_only=True)
class Inspection:
    """A plugin is to be shown.

    Attributes:
        plugin: where it is.
        is_json: as one JSON document.
        is_check: with its modules imported, and an exit code.
        columns: what the text is wrapped to.
    """

    plugin: Plugin
    is_json: bool = False
    is_check: bool = False
    columns: int = 80

    __repr__ = shown


def decide_inspect(words: Sequence[str], columns: int) -> str | Complaint | Inspection:
    """What the words after `inspect` mean."""
    if not _HELP.isdisjoint(words):
        return command_help(INSPECT, columns)
    options = [word for word in words if word.startswith("-")]
    references = [word for word in words if not word.startswith("-")]
    for option in options:
        if option not in _OPTIONS:
            meant = nearest(option, (*_OPTIONS, "--help"))
            suggestion = "" if meant is None else f", did you mean {meant}?"
            return _refuse(f"unknown option {repr(option)[1:-1]}{suggestion}")
    if len(references) != 1:
        received = " and ".join(map(repr, references[:2])) or "nothing"
        return _refuse(f"<plugin>: expected a folder or the name of a package, received {received}")
    try:
        plugin = find_plugin(references[0])
    except PluginError as error:
        return Complaint.of_error(error, USAGE)
    return Inspection(
        plugin=plugin,
        is_json="--json" in options,
        is_check="--check" in options,
        columns=columns,
    )


def _refuse(message: str) -> Complaint:
    return Complaint.of_usage(message, f"Run `{INSPECT.words} --help` for help.")
