"""What `trio-agent script PLUGIN NAME` was asked for.

    trio-agent script --help
    trio-agent script PLUGIN [--help]         the plugin's scripts
    trio-agent script PLUGIN NAME [word...]

What follows the name is the script's and is not looked at here, `--help` included.  Pure but for
reading the plugin's files: nothing of the plugin's is imported.  Above: `run`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeAlias

from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import PluginError, find_plugin
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.complaint import (
    FAILURE,
    USAGE,
    Complaint,
    plain,
    refuse,
)
from trio_agent.surfaces.cli.help.overview import PROGRAM
from trio_agent.surfaces.cli.nearest import nearest
from trio_agent.surfaces.cli.plugin_words import HELP, listed, reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS: Final = f"{PROGRAM} script"

ScriptDecision: TypeAlias = "str | Complaint | Call"
"""A text to print, a complaint to tell, or a script to start."""


def decide_script(words: Sequence[str], columns: int) -> ScriptDecision:
    """Say what the words after `script` mean.

    Args:
        words: those words.
        columns: what help is wrapped to.
    """
    reference, *rest = words or ("",)
    if reference in HELP:
        # lazy: a script that runs is not explained.
        from trio_agent.surfaces.cli.help.program import script_help  # noqa: PLC0415

        return script_help(columns)
    if not words or reference.startswith("-"):
        received = plain(reference) or "nothing"
        expected = "expected a folder or the name of a package"
        return refuse(f"<plugin>: {expected}, received {received}", WORDS)
    try:
        application = PluginApplication(find_plugin(reference))
    except PluginError as error:
        return Complaint.of_error(error, USAGE)
    return decide_plugin_script(application, f"{WORDS} {reference}", rest, columns)


def decide_plugin_script(
    application: PluginApplication, path: str, words: Sequence[str], columns: int
) -> ScriptDecision:
    """Say what the words after a plugin mean.

    Args:
        application: the plugin.
        path: what was typed to get there.
        words: after that.
        columns: what help is wrapped to.
    """
    try:
        return _decide(application, path, words, columns)
    except PluginError as error:
        return Complaint.of_error(error, FAILURE)


def _decide(
    application: PluginApplication, path: str, words: Sequence[str], columns: int
) -> ScriptDecision:
    scripts = application.graph.scripts
    if not scripts:
        received = path.removeprefix(f"{WORDS} ")
        return Complaint.of_usage(
            "<plugin>: expected a folder with scripts below scripts/, received"
            f" {received}, which has none",
            *reasons(application),
        )
    if not words or words[0] in HELP:
        # lazy: as above.
        from trio_agent.surfaces.cli.help.program import script_help  # noqa: PLC0415

        return script_help(columns, scripts)
    name, *argv = words
    record = application.graph.find_script(name)
    if record is None:
        return _refuse_name(application, path, name)
    for found in application.graph.errors_of(record):
        raise PluginError(f"{application.plugin.root}{os.sep}{found}")
    return Call(application=application, record=record, words=f"{path} {record.name}", argv=argv)


def _refuse_name(application: PluginApplication, path: str, name: str) -> Complaint:
    names = [record.name for record in application.graph.scripts]
    known = listed(names, path)
    if name.startswith("-"):
        return refuse(f"expected a script ({known}), received {plain(name)}", path)
    message = f"there is no script {name!r} ({known})"
    return refuse(message, path, nearest(name, names), reasons(application))
