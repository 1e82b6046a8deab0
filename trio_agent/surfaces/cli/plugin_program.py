"""The program of one plugin: what its console script does with the words it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import PluginError, find_package
from trio_agent.surfaces.cli.answering import answer
from trio_agent.surfaces.cli.complaint import FAILURE, Complaint
from trio_agent.surfaces.cli.plugin_words import decide_plugin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.cli.plugin_words import PluginDecision


def answer_plugin(package: str, program: str, words: Sequence[str]) -> int:
    """Do what the words mean; the exit code.

    Args:
        package: dotted name of the plugin's package.
        program: how the program calls itself.
        words: after its name.
    """

    def decide(words: Sequence[str], columns: int) -> PluginDecision:
        try:
            application = PluginApplication(find_package(package))
        except PluginError as error:
            # Nobody typed its name, so it is no usage error.
            return Complaint.of_error(error, FAILURE, program=program)
        return decide_plugin(application, program, words, columns)

    return answer(decide, words, program, ends_process=True)
