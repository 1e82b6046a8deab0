"""What the tasks of one rendering share, and what they leave to each other.

A *hole* is a place in a row whose component has to be waited for.  A *job* is work for a task of
its own: the content of a boundary, or everything that a fallback needs.  Plain values; the walk
makes them, the workers take them.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, final

import attrs
import trio

from trio_agent.errors import LimitError
from trio_agent.pipeline.author import describe
from trio_agent.protocol.rows import ErrorRow
from trio_agent.shown import shown
from trio_agent.vocabulary.leaf import ErrorNode

if TYPE_CHECKING:
    from actors import Outbox
    from trio_agent.context.stage import Stage
    from trio_agent.context.suspension import Awaited
    from trio_agent.pipeline.work import WorkDesk
    from trio_agent.protocol.ledger import Account, Ledger
    from trio_agent.protocol.rows import Item, Row
    from trio_agent.vocabulary.element import Element


_log: Final = logging.getLogger("trio_agent")


@final
class Rendering:
    """What all tasks of one rendering share.

    Attributes:
        rows: where finished rows go; shared, and served first come, first served.
        ledger: what content is charged to.
        stage: tells a `def` component from other code.
        scope: around everything; its deadline is set while author code runs, and only then, so
            it bounds rendering and not delivery.
        is_finished: the last row went out as the last one.
        note_settled: called when nothing is worked on any more, taken or not.
    """

    __slots__ = (
        "_desk",
        "_last_row",
        "_owed",
        "_working",
        "is_finished",
        "ledger",
        "note_settled",
        "rows",
        "scope",
        "stage",
    )

    def __init__(self, *, rows: Outbox[Row], ledger: Ledger, stage: Stage, desk: WorkDesk) -> None:
        self.rows: Final = rows
        self.ledger: Final = ledger
        self.stage: Final = stage
        self.scope: Final = trio.CancelScope()
        self.note_settled: Final = desk.settle
        self.is_finished: bool = False
        self._desk: Final = desk
        self._working = 0
        self._last_row = 0
        self._owed = 1

    def begin_work(self) -> None:
        """A context begins to wait for author code; past the deadline that ends the rendering."""
        if not self._working:
            self.scope.deadline = self._desk.deadline
        self._working += 1

    def end_work(self) -> None:
        """A context is settled, or failed.  One scope for all: thousands would cost too much."""
        self._working -= 1
        if not self._working:
            self.scope.deadline = math.inf

    def look_at_clock(self) -> None:
        """The deadline has been moved: while somebody is asked there is none."""
        if self._working:
            self.scope.deadline = self._desk.deadline

    def next_row(self) -> int:
        """A row id that was not used; its row is owed from now on."""
        self._last_row += 1
        self._owed += 1
        return self._last_row

    async def send(self, row: Row, *, may_be_last: bool) -> None:
        """Hand a row over; returns when it has been taken.

        The last one that is owed ends the stream in the same step, which saves the decoder a
        wake-up.  Rows of fallbacks and failed boundaries may stay owed for ever; then the
        renderer ends the stream.

        Args:
            row: finished, and charged.
            may_be_last: no job waits for it to be taken, and nothing but a crash can cancel
                this call: a row of a fallback is cancelled by its content's, and an end that
                was begun cannot be begun again.
        """
        self._owed -= 1
        if not self._owed:
            self.note_settled()
        if self._owed or not may_be_last:
            await self.rows.send(row)
        else:
            self.is_finished = True
            await self.rows.finish(row)

    def fail_content(self, account: Account, row: int, error: Exception) -> ErrorRow:
        """The row that says that a boundary's content failed; the content is given back.

        Raises:
            LimitError: the error's message alone breaks a limit.
        """
        fault = describe(error, "boundary")
        # The document has the text only; who wants to know where it was raised reads this.
        _log.debug("a boundary failed: %s", fault.message, exc_info=error)
        self.ledger.fail(account, ErrorNode(fault.code, fault.message).size)
        return ErrorRow(row, fault.code, fault.message)

    def refuse_lateness(self) -> LimitError:
        """The error of components that were not done in time."""
        return LimitError(
            "elapsed-time-exceeded",
            "rendering was not done within the time limit of the invocation",
        )


class Walker(Protocol):
    """Goes on where a component had to be waited for (`walk.Walk`)."""

    def resume(self, hole: Hole, node: object, waiting: Waiting) -> None:
        """Go on with what an async component returned."""
        ...

    def retry(self, hole: Hole, waiting: Waiting) -> None:
        """Run a `def` component again."""
        ...


@final
class Hole:
    """A component that has to be waited for, and where its nodes go.

    Attributes:
        out: the list that stands in the row.
        walk: goes on with what the component returns.
        definition: of the component.
        deferred: what a `def` component waits for; None for an async one.
        level: nesting of the tree here.
        depth: level of the document here.
    """

    __slots__ = ("_element", "deferred", "definition", "depth", "level", "out", "walk")

    def __init__(  # made on the hot path
        self,
        out: list[Item],
        walk: Walker,
        element: Element,
        deferred: Awaited | None,
        level: int,
        depth: int,
    ) -> None:
        self.out: Final = out
        self.walk: Final = walk
        self.definition: Final = element.definition
        self.deferred: Final = deferred
        self.level: Final = level
        self.depth: Final = depth
        self._element: Element | None = element

    def take_element(self) -> Element:
        """The component and its arguments, once: nothing waits longer than it is needed."""
        element = self._element
        if element is None:
            raise AssertionError("a component is run once for each hole")
        self._element = None
        return element


@final
@attrs.frozen(eq=False)
class ContentJob:
    """The content of a boundary that had to wait, or a fallback's.

    Attributes:
        row: that brings it.
        items: what it consists of, holes included.
        waiting: what has to be waited for.
        account: what it was charged to.
        is_cover: part of a fallback, which its content's row cancels.
        cover: everything that the fallback needs; ends when the row has been taken.
    """

    row: int
    items: list[Item]
    waiting: Waiting
    account: Account
    is_cover: bool
    cover: trio.CancelScope | None = None

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class FallbackJob:
    """Everything a fallback needs: one task, which *scope* ends."""

    jobs: list[Job]
    scope: trio.CancelScope

    __repr__ = shown


Job: TypeAlias = ContentJob | FallbackJob


@final
class Waiting:
    """What one context waits for: its holes, and the jobs of boundaries nested in it."""

    __slots__ = ("holes", "jobs")

    def __init__(self) -> None:
        self.holes: list[Hole] = []
        self.jobs: list[Job] = []
