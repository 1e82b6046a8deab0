"""What the request handle may ask of its invocation: protocols, and nothing behind them.

The handle is what a component sees; behind it is the invocation with its tasks, links and clock.
These are the few doors between the two.  `pipeline.backstage` has the rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from trio_agent.context.asking import Asking
    from trio_agent.context.providers import ProviderRequest, ProviderShelf
    from trio_agent.context.telling import Telling


class ProgressReporter(Protocol):
    """Says how far something is.  Callable from any thread; never waits, never fails a render."""

    def report(
        self,
        completed: float | None = None,
        *,
        total: float | None = None,
        message: str | None = None,
    ) -> None:
        """Report; the latest report of each source is what a slow consumer sees.

        Args:
            completed: finite, not negative; the last number of this source when left out.
            total: finite, at least *completed*; None while it is not known.
            message: for people; not blank.

        Raises:
            ContractError: `invalid-document`, a number or the message breaks these rules.
            HandoffRequiredError: the invocation has ended.
        """
        ...

    def named(self, source: str) -> ProgressReporter:
        """A reporter of its own for one piece of work; at most 64 an invocation.

        Raises:
            ContractError: `invalid-document`, the name is blank or there are too many.
        """
        ...


class Backstage(Protocol):
    """The rest of an invocation, as far as its handle reaches."""

    @property
    def asking(self) -> Asking:
        """The questions of the invocation; in the Trio thread."""
        ...

    def open_shelf(self, request: ProviderRequest) -> ProviderShelf:
        """The providers of the invocation; in the Trio thread."""
        ...

    @property
    def telling(self) -> Telling:
        """What the invocation tells its host; in any thread."""
        ...
