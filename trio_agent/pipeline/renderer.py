"""The renderer: runs the tree and sends the row of the shell.

What suspends inside a boundary becomes a boundary worker; what suspends outside waits here.  A
failure outside of every boundary is the invocation's.  The rows are finished when every worker
has sent what it owed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from actors import open_supervisor
from trio_agent.errors import ContractError
from trio_agent.pipeline.author import raise_if_echo
from trio_agent.pipeline.boundary import run_job, settle, settle_alone, start_jobs
from trio_agent.pipeline.refusal import close_coroutines
from trio_agent.pipeline.rendering import Waiting
from trio_agent.pipeline.walk import Walk
from trio_agent.protocol.filling import find_only
from trio_agent.protocol.rows import ROOT_ROW, ModelRow, ResultItem
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from trio_agent.pipeline.rendering import Rendering
    from trio_agent.protocol.rows import Item
    from trio_agent.vocabulary.element import Node


@final
class Renderer:
    """The first actor of the pipeline."""

    __slots__ = ("_account", "_items", "_rendering", "_root")

    def __init__(self, rendering: Rendering, root: Node) -> None:
        self._rendering: Final = rendering
        self._root: Node = root
        self._account: Final = rendering.ledger.open()
        self._items: list[Item] = []

    async def run(self) -> None:
        """Render once."""
        rendering = self._rendering
        with rendering.rows:
            waiting = Waiting()
            walk = Walk(rendering, self._account, may_carry_value=True)
            try:
                walk.expand(self._root, self._items, waiting, 0, 1)
            except Exception as error:
                if isinstance(error, ContractError):
                    error.within("(root)")
                close_coroutines(self._root)
                raise_if_echo(error)
                raise
            # The tree has become items: a waiting invocation need not hold both.
            self._root = None
            rendering.ledger.post(self._account)
            if not waiting.holes and not waiting.jobs:
                await self._send_root(waiting)
                await self._finish()
                return
            try:
                with rendering.scope:
                    await self._render(waiting)
            except Exception as error:
                # Cancelled author code may fail in its own words; the deadline came first.
                if rendering.scope.cancel_called:
                    raise rendering.refuse_lateness() from error
                raise
            if rendering.scope.cancelled_caught:
                raise rendering.refuse_lateness()

    async def _render(self, waiting: Waiting) -> None:
        rendering = self._rendering
        await settle_alone(rendering, waiting)
        if not waiting.holes and len(waiting.jobs) <= 1:
            await self._send_root(waiting)
            # Nothing runs beside a single boundary, so it needs no task.
            for job in waiting.jobs:
                await run_job(rendering, job)
        else:
            async with open_supervisor() as supervisor:
                await settle(rendering, waiting, supervisor)
                await self._send_root(waiting)
                start_jobs(rendering, waiting.jobs, supervisor)
        await self._finish()

    async def _send_root(self, waiting: Waiting) -> None:
        ledger = self._rendering.ledger
        ledger.post(self._account)
        if not isinstance(find_only(self._items), (ResultItem, ResultNode)):
            ledger.wrap_root()
        row, self._items = ModelRow(ROOT_ROW, self._items), []
        await self._rendering.send(row, may_be_last=not waiting.jobs)

    async def _finish(self) -> None:
        """End the stream, if it did not end with a row: some rows stay owed for ever."""
        rendering = self._rendering
        if not rendering.is_finished:
            rendering.note_settled()
            await rendering.rows.finish()
