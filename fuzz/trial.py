"""A trial: one invocation of a tree, and everything there is to see of it, kept for the checks.

The decoder gets an assembler that is held, after every row, against the slow reading of the same
rows, and the rendering a ledger that is kept.  What is raised in there fails the invocation like
any bug, as a translated error; so assertions are kept aside, and `Trial.conclude` raises them as
they were.

Judging is not done here but in `invariants`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import attrs
import pytest
import trio

from actors import open_supervisor
from fuzz.oracle import Oracle, Wire
from fuzz.trees import Site, Tree, build
from trio_agent import (
    Agent,
    Invocation,
    LimitOverrides,
    Node,
    Program,
    Runtime,
    TrioAgentError,
    agent,
    component,
)
from trio_agent.context.handle import AgentRequest
from trio_agent.errors import ConsumerLeftError
from trio_agent.limits import Limits
from trio_agent.pipeline import backstage, decoder as decoding
from trio_agent.protocol.assembler import Assembler, Decision
from trio_agent.protocol.ledger import Ledger
from trio_agent.protocol.rows import Row
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.element import EnclosedElement
from trio_agent.vocabulary.event import RenderEvent
from trio_agent.vocabulary.identity import Identity

WIDE: Final[LimitOverrides] = {
    "max_event_rate": 1_000_000,
    "max_events": 1_000_000,
    "max_elapsed_s": 1_000_000.0,
}
"""Limits that no tree here meets."""


@attrs.frozen(kw_only=True)
class Plan:
    """How a tree is invoked.

    Attributes:
        delay: the factor for all that the components wait; 0 and they never wait.
        slowness: seconds that the consumer takes for an event.
        limits: over `WIDE`.
        cancel_at: second at which `Runtime.cancel` is called.
        leave_after: how many events the consumer takes before it leaves.
        layouts: how many stand around the tree; each says nothing of its own.
    """

    delay: float = 1.0
    slowness: float = 0.0
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    cancel_at: float | None = None
    leave_after: int | None = None
    layouts: int = 0


@attrs.define(eq=False)
class Witness:
    """Takes the place of the assembler and tells what the outside must be told.

    Attributes:
        rows: how many have come.
        decisions: what was decided, each with the snapshot that belongs to it.
        owed: boundaries that were seen pending.
    """

    _assembler: Assembler
    _note: Callable[[str], None]
    _kept: list[AssertionError]
    rows: int = 0
    decisions: list[tuple[str, str, Wire]] = attrs.Factory(list)
    owed: set[str] = attrs.Factory(set)
    _oracle: Oracle = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._oracle = Oracle(self._note)

    def feed(self, row: Row) -> Sequence[Decision]:
        """See `Assembler.feed`."""
        with self._keeping():
            self.rows += 1
            expected = self._oracle.read(row)
            decisions = self._assembler.feed(row)
            assert expected.failure is None, f"the root has failed: {expected.failure}"
            assert not expected.must_be_ambiguous, "two values meet"
            assert len(decisions) == len(expected.decisions), (decisions, expected.decisions)
            for decision, (kind, boundary_id, _) in zip(decisions, expected.decisions, strict=True):
                assert getattr(decision, "boundary_id", "") == boundary_id, (decisions, expected)
                assert expected.wire is not None
                self.decisions.append((kind, boundary_id, expected.wire))
            if expected.wire is not None:
                self._compare(expected.wire)
            self.owed |= {one for one, state in self._oracle._told.items() if state == "pending"}
            return decisions

    def close(self) -> None:
        """See `Assembler.close`."""
        self._assembler.close()

    def finish(self) -> None:
        """See `Assembler.finish`."""
        self._assembler.finish()

    def document(self) -> AgentDocument:
        """See `Assembler.document`."""
        return self._assembler.document()

    def _compare(self, wire: Wire) -> None:
        document = self._assembler.document()
        text = document.wire_text()
        assert json.loads(text) == wire, f"{text} is not {json.dumps(wire)}"
        assert document.size + document.root.media == len(text.encode()), text

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        try:
            yield
        except AssertionError as error:
            self._kept.append(error)
            raise


class _Collector:
    """A projection that keeps all events, and lets each go on to the sink."""

    def __init__(self) -> None:
        self.events: list[RenderEvent] = []

    def feed(self, event: RenderEvent) -> Sequence[RenderEvent]:
        return (event,)

    def finish(self) -> str:
        return "finished"


@attrs.define(eq=False)
class Trial:
    """One invocation.  Filled while it runs; see the module.

    Attributes:
        events: what the consumer got, and when.
        offered: how many the consumer was offered; one more, if it left then.
        finished: whether the projection gave its result.
        returned: whether `Runtime.invoke` came to an end; not if it was cancelled from outside.
        error: what it raised.
        struck_at: when it was cancelled or left.
        ended_at: when it was over.
    """

    tree: Tree
    plan: Plan
    counts: Counter[str] = attrs.Factory(Counter)
    events: list[tuple[float, RenderEvent]] = attrs.Factory(list)
    offered: int = 0
    finished: bool = False
    returned: bool = False
    error: TrioAgentError | None = None
    struck_at: float | None = None
    ended_at: float = 0.0
    site: Site = attrs.Factory(Site)
    witnesses: list[Witness] = attrs.Factory(list)
    ledgers: list[Ledger] = attrs.Factory(list)
    request: AgentRequest | None = None
    kept: list[AssertionError] = attrs.Factory(list)
    invocation: Invocation = attrs.field(init=False)
    runtime: Runtime = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.site.delay = self.plan.delay
        self.invocation = Invocation(kind="cli", target="fuzz", id="an-id")
        self.runtime = Runtime(_Application(self))

    @property
    def limits(self) -> Limits:
        """Those that hold."""
        return Limits().overridden(WIDE).overridden(self.plan.limits)

    async def run(self) -> None:
        """Invoke the tree, and take what the caller gets."""
        try:
            if self.plan.cancel_at is None:
                await self._invoke()
                return
            async with open_supervisor() as supervisor:
                supervisor.call(self._cancel_later, self.plan.cancel_at)
                await self._invoke()
                supervisor.stop("the invocation is over")
        finally:
            self.ended_at = trio.current_time()

    async def _invoke(self) -> None:
        collector = _Collector()
        limits: LimitOverrides = {**WIDE, **self.plan.limits}
        try:
            result = await self.runtime.invoke(
                self.invocation, collector, self._take, limits=limits
            )
        except TrioAgentError as error:
            self.error = error
        else:
            self.finished = result == "finished"
        self.returned = True

    async def _take(self, event: RenderEvent) -> None:
        """The sink."""
        self.offered += 1
        assert self.struck_at is None or self.plan.leave_after is None, "the consumer has left"
        if self.plan.leave_after == len(self.events):
            self.struck_at = trio.current_time()
            raise ConsumerLeftError
        self.events.append((trio.current_time(), event))
        if self.plan.slowness:
            await trio.sleep(self.plan.slowness)

    async def _cancel_later(self, second: float) -> None:
        await trio.sleep(second)
        if self.runtime.cancel(self.invocation.id):
            self.struck_at = trio.current_time()


class _Application:
    """Knows one tree, and puts things in front of what its invocation uses."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.identity = Identity("e" * 32)

    def open(self, invocation: Invocation) -> Program:
        trial = self._trial
        root: Node = Keeper(build(trial.tree, trial.site), trial)
        for number in range(trial.plan.layouts):
            root = Agent.Result(EnclosedElement(root, f"layout {number}"))
        return Program(root=root)


@component
def Keeper(node: Node, trial: Trial) -> Node:
    """Keep the handle, as a careless component would."""
    trial.request = agent()
    return node


@contextmanager
def watched(trial: Trial) -> Iterator[None]:
    """Put the witness in front of the assembler, and keep the ledger, for one trial at a time."""

    def witness() -> Witness:
        made = Witness(real_assembler(), lambda what: trial.counts.update([what]), trial.kept)
        trial.witnesses.append(made)
        return made

    def ledger(limits: Limits) -> Ledger:
        made = real_ledger(limits)
        trial.ledgers.append(made)
        return made

    # As they are at the moment: a fault may have been planted.
    real_assembler: type[Assembler] = vars(decoding)["Assembler"]
    real_ledger: type[Ledger] = vars(backstage)["Ledger"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "Assembler", witness)
        patch.setattr(backstage, "Ledger", ledger)
        yield
