"""One invocation: the wiring of the five actors, and the one place that translates groups.

Read this first.

                 defer()ed work (same supervisor)
    component tree ─► Renderer ───────rows──────► Decoder ──events──► Projector ─► sink (surface)
                        └ BoundaryWorker* ─rows─┘   ▲
                 progress.report() ─► Progress ─bell─┘

Every arrow is a link of capacity 0 (`actors`), every box a task under one supervisor: when one
crashes the others are cancelled, and here, and only here, what came of it is turned into the one
error that the caller gets.  There are no restarts: half of what an author's code did cannot be
taken back.

The supervisor, the links and the gate never leave this module.  What a component may reach is
the request handle (`context.handle`), held by the one context variable, which is set before the
supervisor opens.

After an invocation, however it ended, no task of it is left and no link is open; late producers
are refused with a `HandoffRequiredError`.

Below: `pipeline` (the actors), `protocol` (what they decide with).  Above: `routes`, which make
an `Application` of a plugin, and the surfaces, which bring a `Projection` and a sink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, final

import trio

from actors import Link, Reply, open_supervisor
from trio_agent.context.handle import AgentRequest, current_request
from trio_agent.context.input_required import InputRequiredError
from trio_agent.errors import InvocationCancelledError, RequestError
from trio_agent.limits import LimitOverrides, Limits
from trio_agent.pipeline.author import unwrap_interrupt
from trio_agent.pipeline.backstage import Backstage
from trio_agent.pipeline.decoder import Decoder
from trio_agent.pipeline.door import Door, Ending
from trio_agent.pipeline.fate import outcome_of, translate
from trio_agent.pipeline.program import find_mismatch
from trio_agent.pipeline.projector import Projector
from trio_agent.pipeline.renderer import Renderer
from trio_agent.pipeline.stream import open_stream
from trio_agent.protocol.gate import SequenceGate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from actors import Inbox, Supervisor
    from trio_agent.context.host import HostChannel
    from trio_agent.context.observed import Axes
    from trio_agent.errors import Outcome
    from trio_agent.pipeline.program import Application
    from trio_agent.pipeline.projector import LastActor
    from trio_agent.pipeline.stream import EventStream
    from trio_agent.protocol.projection import Projection, Sink
    from trio_agent.protocol.rows import Row
    from trio_agent.vocabulary.element import Node
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.invocation import Invocation

OutputT = TypeVar("OutputT")
ResultT = TypeVar("ResultT")


@final
class Runtime:
    """Runs invocations of one application; any number at a time.

    A runtime holds nothing but the invocations that are running, so there is nothing to close.

    Args:
        application: what is invoked.
        limits: the runtime's own; the defaults if None.
        providers: finished values by key, instead of all the application has; for tests.
    """

    __slots__ = ("_application", "_limits", "_live", "_providers")

    def __init__(
        self,
        application: Application,
        *,
        limits: Limits | None = None,
        providers: Mapping[str, object] | None = None,
    ) -> None:
        self._application: Final = application
        self._providers: Final = None if providers is None else dict(providers)
        self._limits: Final = Limits() if limits is None else limits
        self._live: Final[dict[str, _Run]] = {}

    async def invoke(
        self,
        invocation: Invocation,
        projection: Projection[OutputT, ResultT],
        sink: Sink[OutputT],
        *,
        axes: Axes | Callable[[], Axes] | None = None,
        host: HostChannel | None = None,
        limits: LimitOverrides | None = None,
    ) -> ResultT:
        """Render, project, and wait for the end.

        Args:
            invocation: who asks for what.
            projection: turns events into outputs and, in the end, the result.
            sink: takes the outputs, one at a time.
            axes: what is known about the caller, or a function that is asked for it once, when
                the first component does.
            host: the surface's way to ask and tell its host, if it has one.
            limits: of this call; they win.

        Returns:
            What the projection made of it, after `complete`.

        Raises:
            InvocationError: it failed; `.event` is the terminal error event, `__cause__` what
                made it fail.
            InvocationCancelledError: `cancel` was called, or the consumer left early.
            InputRequiredError: a component asked what *host* answers with another invocation.
            RequestError: there is no such target, or an invocation with this id is running.
        """
        result: Reply[ResultT] = Reply()
        await trio.lowlevel.checkpoint_if_cancelled()  # noqa: TID251  # costs no turn of the loop
        run = self._prepare(invocation, axes, host, limits)
        projector = Projector(
            events=run.events.inbox, projection=projection, sink=sink, result=result
        )
        await run.conduct(projector)
        return result.take_nowait()

    def stream(
        self,
        invocation: Invocation,
        *,
        axes: Axes | Callable[[], Axes] | None = None,
        host: HostChannel | None = None,
        limits: LimitOverrides | None = None,
    ) -> AbstractAsyncContextManager[EventStream]:
        """Iterate over the events as they happen: `async with runtime.stream(...) as events`.

        Leaving the block before the end cancels the invocation and waits until it is gone.
        Iterating raises what `invoke` raises.  What the block itself raises comes out as it is.

        Raises:
            RequestError: on entering: there is no such target, or an invocation with this id is
                running.
        """
        return open_stream(lambda: self._prepare(invocation, axes, host, limits))

    def cancel(self, invocation_id: str) -> bool:
        """Cancel a running invocation; never waits.  In the Trio thread only.

        Whoever waits for it gets `InvocationCancelledError`, unless it completes first.

        Returns:
            False if there is none with this id, or it has ended.
        """
        run = self._live.get(invocation_id)
        if run is None:
            return False
        run.cancel()
        return True

    def _prepare(
        self,
        invocation: Invocation,
        axes: Axes | Callable[[], Axes] | None,
        host: HostChannel | None,
        limits: LimitOverrides | None,
    ) -> _Run:
        if invocation.id in self._live:
            raise RequestError(
                "invalid-invocation", f"an invocation with the id {invocation.id!r} is running"
            )
        run = self._live[invocation.id] = _Run(
            self._application,
            invocation,
            axes=axes,
            host=host,
            limits=(self._limits, LimitOverrides() if limits is None else limits),
            providers=self._providers,
            live=self._live,
        )
        return run


@final
class _Run:
    """One invocation: wired when it is prepared, alive while it is conducted."""

    __slots__ = (
        "_axes",
        "_cancelled",
        "_check_value",
        "_door",
        "_gate",
        "_host",
        "_invocation",
        "_limits",
        "_live",
        "_mismatch",
        "_providers",
        "_root",
        "_supervisor",
        "events",
    )

    def __init__(  # noqa: PLR0913  # all that a call brings
        self,
        application: Application,
        invocation: Invocation,
        *,
        axes: Axes | Callable[[], Axes] | None,
        host: HostChannel | None,
        limits: tuple[Limits, LimitOverrides],
        providers: Mapping[str, object] | None,
        live: dict[str, _Run],
    ) -> None:
        runtime_limits, call_limits = limits
        self._invocation: Final = invocation
        self._axes: Final = axes
        self._host: Final = host
        self._live: Final = live
        self._mismatch: Final = find_mismatch(application, invocation)
        program = application.open(invocation)
        self._root: Node = program.root
        self._check_value: Final = program.check_value
        self._providers: Final = (program.providers, providers)
        self._limits: Final = runtime_limits.overridden(program.limits).overridden(call_limits)
        self._gate: Final = SequenceGate(self._limits)
        self._door: Final = Door(invocation.id, invocation.route_id)
        self._supervisor: Supervisor | None = None
        self._cancelled = False
        self.events: Final[Link[RenderEvent]] = Link()

    def cancel(self) -> None:
        """Cancel it: `Runtime.cancel`."""
        self._cancelled = True
        if self._supervisor is not None:
            # The supervisor's own scope: one more would cost every invocation its making.
            self._supervisor.stop("Runtime.cancel was called")

    async def conduct(self, projector: LastActor | None) -> None:
        """Run all actors until the last has ended.

        Args:
            projector: owns the events' inbox; None if the caller of the invocation does.

        Raises:
            InvocationError: it failed.
            InvocationCancelledError: it was cancelled, or the consumer left.
            InputRequiredError: it cannot go on without answers.
        """
        outcome: Outcome = "cancelled"
        failure: Exception | None = None
        try:
            failure = self._refuse_mismatch(projector) or await self._supervise(projector)
            if failure is not None:
                outcome = outcome_of(failure)
        finally:
            now = trio.current_time()
            if outcome == "failed" and not self._gate.completed:
                self._gate.terminal(now)
            # After `complete` the door is shut already, and stays as it is.
            self._door.shut(Ending(self._gate.last_sequence, now, outcome))
            self._live.pop(self._invocation.id, None)
        if failure is not None:
            raise translate(failure, self._invocation.id, self._gate.last_sequence)

    async def _supervise(self, projector: LastActor | None) -> Exception | None:
        """Open the supervisor and everything under it; returns what made it fail."""
        rows: Link[Row] = Link()
        backstage = Backstage(
            self._door,
            self._limits,
            rows=rows.outbox,
            host=self._host,
            providers=self._providers,
        )
        decoder = self._make_decoder(rows.inbox, backstage)
        request = self._open_request(backstage)
        token = current_request.set(request)
        try:
            async with open_supervisor() as supervisor:
                self._supervisor = supervisor
                if self._cancelled:
                    self.cancel()
                backstage.desk.open(supervisor)
                supervisor.start(Renderer(backstage.rendering, self._take_root()))
                supervisor.start(decoder)
                if projector is not None:
                    supervisor.start(projector)
        except BaseExceptionGroup as group:
            failures, pressing = group.split(Exception)
            if pressing is not None:
                raise unwrap_interrupt(pressing) from None
            if not (self._cancelled or backstage.open_questions):
                return failures
        finally:
            current_request.reset(token)
            request.close()
            backstage.progress.bell.close()
            self._supervisor = None
        return None if (projector or decoder).is_done else self._find_reason(backstage)

    def _find_reason(self, backstage: Backstage) -> Exception | None:
        """Why it was stopped before it was done, if it was."""
        if self._cancelled:
            return InvocationCancelledError(f"invocation {self._invocation.id} was cancelled")
        questions = backstage.open_questions
        return InputRequiredError(questions) if questions else None

    def _take_root(self) -> Node:
        """The tree, which is held no longer than it takes to walk it."""
        root, self._root = self._root, None
        return root

    def _open_request(self, backstage: Backstage) -> AgentRequest:
        return AgentRequest(
            invocation=self._invocation,
            axes=self._axes,
            progress=backstage.progress.reporter(),
            starter=backstage.desk,
            stage=backstage.rendering.stage,
            backstage=backstage,
        )

    def _make_decoder(self, rows: Inbox[Row], backstage: Backstage) -> Decoder:
        return Decoder(
            rows=rows,
            events=self.events.outbox,
            gate=self._gate,
            progress=backstage.progress,
            desk=backstage.desk,
            door=self._door,
            check_value=self._check_value,
        )

    def _refuse_mismatch(self, projector: LastActor | None) -> Exception | None:
        """What keeps it from starting, if there is something."""
        if self._mismatch is not None:
            # Nobody else closes them; a caller's block closes its own.
            self.events.outbox.close()
            if projector is not None:
                self.events.inbox.close()
        return self._mismatch
