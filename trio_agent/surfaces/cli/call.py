"""What the first words of a command line come to, when they name a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.projections import CommandRecord


@final
@attrs.frozen(kw_only=True, eq=False)
class Call:
    """A command is to be run, or its help is to be shown.

    Attributes:
        application: the plugin.
        record: the command.
        words: what was typed to get there, `trio-agent run curator audit-library`.
        argv: what was typed after it.
    """

    application: PluginApplication
    record: CommandRecord
    words: str
    argv: Sequence[str]

    @property
    def program(self) -> str:
        """The program that was called, `trio-agent`."""
        return self.words.partition(" ")[0]


def wants_help(argv: Sequence[str]) -> bool:
    """Whether `-h` or `--help` stands anywhere before `--`."""
    for word in argv:
        if word == "--":
            return False
        if word in {"-h", "--help"}:
            return True
    return False
