"""What the first words of a command line come to, when they name a command or a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from trio_agent.routes.record import RouteRecord
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.projections import CommandRecord


@final
@attrs.frozen(kw_only=True, eq=False)
class Call:
    """A command or a script is to be run, or a command's help is to be shown.

    Attributes:
        application: the plugin.
        record: the command or script.
        words: what was typed to get there, `trio-agent run curator audit-library`.
        argv: what was typed after it.
    """

    application: PluginApplication
    record: CommandRecord
    words: str
    argv: Sequence[str]

    __repr__ = shown

    @property
    def program(self) -> str:
        """The program that was called, `trio-agent`."""
        return self.words.partition(" ")[0]

    @property
    def script(self) -> RouteRecord | None:
        """The record, when it is a script's."""
        record = self.record
        return record if isinstance(record, RouteRecord) and record.kind == "script" else None


def wants_help(argv: Sequence[str]) -> bool:
    """Whether `-h` or `--help` stands anywhere before `--`."""
    for word in argv:
        if word == "--":
            return False
        if word in {"-h", "--help"}:
            return True
    return False
