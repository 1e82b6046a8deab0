"""How a test wants a command line to be run, and what came of it.  Values only."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.context.host import HostChannel
    from trio_agent.context.observed import Axes
    from trio_agent.limits import Limits
    from trio_agent.testing.proof import Provenance
    from trio_agent.vocabulary.document import Status


class CliOptions(TypedDict, total=False):
    """Keywords of `invoke_cli` and `run_script`, and of what calls them.

    Attributes:
        tty: both streams are one terminal, 80 by 24 in basic colour, instead of two pipes.
        axes: what is known about the caller; the terminal is filled in.
        limits: of the runtime; a route's own win.
        providers: finished values by key, instead of all that the plugin has.
        host: answers what components ask (`ScriptedHost`); by default nobody does, so that a
            command that asks ends with 2.
    """

    tty: bool
    axes: Axes | None
    limits: Limits | None
    providers: Mapping[str, object] | None
    host: HostChannel | None


@final
@attrs.frozen(kw_only=True)
class CliOutcome:
    """What one command line, or one script, came to.

    Attributes:
        exit_code: of the process that would have ended.
        stdout: what a pipe or a terminal would have got; on a terminal with its escape sequences.
        stderr: likewise, with what components print; on a terminal with the live part.
        status: of the final document; None when there is none, as for help, complaints and
            scripts that are not rendered.
        value: of the final document, as plain Python; None when there is none, or it is null.
        provenance: what it proves; its `route` is the command's id, once the words name one.
    """

    exit_code: int
    stdout: str
    stderr: str
    status: Status | None
    value: object
    provenance: Provenance

    __repr__ = shown

    def expect_exit_code(self, exit_code: int) -> CliOutcome:
        """The same outcome, when it ended so.

        Raises:
            AssertionError: it ended otherwise; shows both streams.
        """
        if self.exit_code != exit_code:
            raise AssertionError(
                f"expected the exit code {exit_code}, received {self.exit_code}"
                f" ({self.provenance}); standard output:\n{self.stdout}\nstandard error:\n"
                f"{self.stderr}"
            )
        return self
