"""Boundary workers: the tasks that bring what had to wait.

`settle` waits for the holes of one context, all at the same time.  Boundaries nested in it start
as soon as it has to wait for something else; those found last start right after its row has been
taken.  There is no limit on how many workers run: a limiter deadlocks as soon as one component
waits for what a later one sets.  The budgets bound memory.

A boundary's tasks live in its worker's supervisor.  When its content fails they are cancelled,
then its error row is sent; deferred work is not touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from actors import open_supervisor
from trio_agent.errors import ContractError
from trio_agent.pipeline.author import find_limit, find_substitute, raise_if_echo, without_base
from trio_agent.pipeline.refusal import raise_if_misused
from trio_agent.pipeline.rendering import FallbackJob, Hole, Waiting
from trio_agent.protocol.rows import ModelRow

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from actors import Supervisor
    from trio_agent.pipeline.rendering import ContentJob, Job, Rendering
    from trio_agent.vocabulary.element import Element


async def settle_alone(rendering: Rendering, waiting: Waiting) -> None:
    """Wait for holes as long as there is one at a time and nothing nested: needs no task.

    Raises:
        Exception: what a component raised.
    """
    if len(waiting.holes) != 1 or waiting.jobs:
        return
    rendering.begin_work()
    try:
        while len(waiting.holes) == 1 and not waiting.jobs:
            await _fill(waiting.holes.pop(), waiting)
    except Exception as error:
        raise_if_echo(error)
        raise
    finally:
        rendering.end_work()


async def settle(rendering: Rendering, waiting: Waiting, supervisor: Supervisor) -> None:
    """Wait for every hole of a context; start what is nested in it under *supervisor*.

    Jobs found last are left in *waiting*, for after the row.

    Raises:
        Exception: what a component raised; a group, if several ran.
    """
    if not waiting.holes:
        return
    rendering.begin_work()
    try:
        await _Settling(rendering, supervisor).fill_all(waiting)
    except Exception as error:
        raise_if_echo(error)
        raise
    finally:
        rendering.end_work()


async def run_job(rendering: Rendering, job: Job) -> None:
    """Run a job in the calling task: cheaper than a task, where nothing runs beside it."""
    await _worker(rendering, job).run()


def start_jobs(rendering: Rendering, jobs: list[Job], supervisor: Supervisor) -> None:
    """Start a task for each job, and leave the list empty."""
    for job in jobs:
        supervisor.start(_worker(rendering, job))
    jobs.clear()


def _worker(rendering: Rendering, job: Job) -> BoundaryWorker | FallbackWorker:
    if isinstance(job, FallbackJob):
        return FallbackWorker(rendering, job)
    return BoundaryWorker(rendering, job)


async def _fill(hole: Hole, waiting: Waiting) -> None:
    """Wait for one hole; what it leads to is added to *waiting*."""
    if hole.deferred is not None:
        await hole.deferred.wait_settled()
        hole.walk.retry(hole, waiting)
        return
    definition = hole.definition
    awaitable = _call(hole.take_element())
    try:
        # Here and not in a function of its own: one more frame for each component that waits.
        node = await _as_awaitable(awaitable)
    except ContractError as error:
        error.within(definition.name)
        raise
    except BaseException as error:
        if (substitute := find_substitute(definition.name, error)) is None:
            raise
        raise substitute from substitute.__cause__  # noqa: ASYNC104  # never Cancelled
    hole.walk.resume(hole, node, waiting)


def _call(element: Element) -> object:
    """Make the coroutine of an async component, in the task that awaits it."""
    try:
        return element.definition.function(*element.args, **element.kwargs)
    except TypeError as error:
        raise_if_misused(element.definition, error)
        raise


def _as_awaitable(returned: object) -> Awaitable[object]:
    return returned  # type: ignore[return-value]  # what an async def returns


@final
class _Settling:
    """Fills the holes of one context."""

    __slots__ = ("_rendering", "_supervisor")

    def __init__(self, rendering: Rendering, supervisor: Supervisor) -> None:
        self._rendering: Final = rendering
        self._supervisor: Final = supervisor

    async def fill_all(self, waiting: Waiting) -> None:
        while waiting.holes:
            start_jobs(self._rendering, waiting.jobs, self._supervisor)
            holes, waiting.holes = waiting.holes, []
            if len(holes) == 1:
                await _fill(holes[0], waiting)
                continue
            await self._fill_together(holes)

    async def _fill_together(self, holes: list[Hole]) -> None:
        try:
            async with open_supervisor() as siblings:
                for hole in holes:
                    siblings.call(self._fill_chain, hole, name=hole.definition.name)
        except BaseExceptionGroup as group:
            # What fails while we are being cancelled must not outlive the cancellation.
            raise without_base(holes[0].definition.name, group) from None

    async def _fill_chain(self, hole: Hole) -> None:
        """Fill a hole and all it leads to, while its siblings fill theirs."""
        waiting = Waiting()
        await _fill(hole, waiting)
        # Most components lead to nothing further, and there may be thousands.
        if waiting.holes:
            await self.fill_all(waiting)
        if waiting.jobs:
            # One step later: so siblings that never wait let the row go first, in any order.
            self._supervisor.call(self._start_jobs, waiting.jobs, name="start_jobs")

    async def _start_jobs(self, jobs: list[Job]) -> None:
        start_jobs(self._rendering, jobs, self._supervisor)


@final
class BoundaryWorker:
    """Brings the content of one boundary: an actor of the renderer."""

    __slots__ = ("_job", "_rendering")

    def __init__(self, rendering: Rendering, job: ContentJob) -> None:
        self._rendering: Final = rendering
        self._job: Final = job

    async def run(self) -> None:
        """Settle the content and send its row, or the row of its failure."""
        waiting = self._job.waiting
        failure: Exception | None = None
        try:
            await settle_alone(self._rendering, waiting)
        except Exception as error:  # boundary: a failing boundary is a value
            if find_limit(error) is not None:
                raise
            failure = error
        if failure is None and not waiting.holes and not waiting.jobs:
            await self._send_content()
        elif failure is None:
            failure = await self._settle_together()
        if failure is not None:
            await self._send_failure(failure)

    async def _settle_together(self) -> Exception | None:
        """With nested boundaries, or several components at a time; returns what failed."""
        rendering, waiting = self._rendering, self._job.waiting
        async with open_supervisor() as supervisor:
            try:
                await settle(rendering, waiting, supervisor)
            except Exception as error:  # boundary: a failing boundary is a value
                if find_limit(error) is not None:
                    raise
                supervisor.stop("the boundary around it failed")
                return error
            await self._send_content()
            start_jobs(rendering, waiting.jobs, supervisor)
        return None

    async def _send_content(self) -> None:
        job = self._job
        self._rendering.ledger.finish(job.account)
        row = ModelRow(job.row, job.items)
        await self._rendering.send(row, may_be_last=not (job.waiting.jobs or job.is_cover))
        self._end_fallback()

    async def _send_failure(self, error: Exception) -> None:
        job = self._job
        row = self._rendering.fail_content(job.account, job.row, error)
        await self._rendering.send(row, may_be_last=not job.is_cover)
        self._end_fallback()

    def _end_fallback(self) -> None:
        if self._job.cover is not None:
            self._job.cover.cancel("its content is there")


@final
class FallbackWorker:
    """Brings what a fallback needs, until its content's row has been taken: an actor."""

    __slots__ = ("_job", "_rendering")

    def __init__(self, rendering: Rendering, job: FallbackJob) -> None:
        self._rendering: Final = rendering
        self._job: Final = job

    async def run(self) -> None:
        """Work under the one scope that ends it all."""
        with self._job.scope:
            async with open_supervisor() as supervisor:
                start_jobs(self._rendering, self._job.jobs, supervisor)
