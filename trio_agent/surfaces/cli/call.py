"""What the first words of a command line come to, when they name a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.record import RouteRecord


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
    record: RouteRecord
    words: str
    argv: Sequence[str]

    __repr__ = shown
