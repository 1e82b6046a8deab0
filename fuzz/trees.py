"""Component trees as values: drawn, printed when one fails, and built once with delays, once without.

A `Tree` says what its component does: wait, fail, report, defer, clean up.  A `Site` is what the
components of one render share.  Its `delay` is a factor: with 0 nobody waits for anything, not
even for a checkpoint, so that what comes out is the document that delays must not change.

Not a model of rendering: nothing here knows what should come of a tree, except which of them may
rightly end otherwise when time goes differently (`Tree.is_timely` and its neighbours).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Final, Literal, Protocol, TypeAlias

import attrs
import trio
import trio.testing
from hypothesis import strategies as st

from trio_agent import (
    Agent,
    AgentError,
    Deferred,
    Fragment,
    Node,
    ProgressReporter,
    Suspense,
    agent,
    component,
    use,
)
from trio_agent.vocabulary.element import Component

CLEANUP_S: Final = 1.0
"""What a component may take to clean up; so it bounds the end of a cancelled invocation."""

BROKE: Final = "broke"
"""In every message of a failure that a tree asks for, and in no other."""

Kind: TypeAlias = Literal[
    "async",
    "await",
    "background",
    "cleanup",
    "error",
    "fragment",
    "image",
    "leaf",
    "list",
    "report",
    "result",
    "share",
    "suspense",
    "sync",
    "thread",
    "use",
    "valued",
]
Fault: TypeAlias = Literal["", "error", "agent", "exit", "group"]

_DEFERS: Final = frozenset({"await", "background", "share", "use"})
_SUSPENDS: Final = frozenset({"async", "cleanup", "report", *_DEFERS})


class BrokenError(Exception):
    """What a component raises that fails for no reason of trio-agent's."""


class _Printer(Protocol):
    """The pretty printer of Hypothesis."""

    def text(self, text: str) -> None: ...


@attrs.frozen(repr=False)
class Tree:
    """One place of a tree.

    Attributes:
        kind: what stands there.
        parts: what is in it.
        fallback: of a `suspense`.
        ticks: seconds to wait before going on, or how many reports to make, or a serial number.
        fault: how it fails after that; never, if empty.  What is deferred fails in its stead.
    """

    kind: Kind
    parts: tuple[Tree, ...] = ()
    fallback: Tree | None = None
    ticks: int = 0
    fault: Fault = ""

    def __repr__(self) -> str:
        """As it could be written, and no longer."""
        said = [f"{self.kind!r}"]
        if self.parts:
            said.append(f"({', '.join(map(repr, self.parts))},)")
        if self.fallback is not None:
            said.append(f"fallback={self.fallback!r}")
        if self.ticks:
            said.append(f"ticks={self.ticks}")
        if self.fault:
            said.append(f"fault={self.fault!r}")
        return f"Tree({', '.join(said)})"

    def _repr_pretty_(self, printer: _Printer, cycle: bool) -> None:
        """How Hypothesis shows a counterexample."""
        printer.text(repr(self))

    def walk(self) -> Iterator[Tree]:
        """All places, fallbacks included."""
        yield self
        for part in self.parts:
            yield from part.walk()
        if self.fallback is not None:
            yield from self.fallback.walk()

    @property
    def fallback_can_fail(self) -> bool:
        """Whether a failure in a fallback may reach the surroundings, if it comes in time."""
        return any(
            below.fault
            for place in self.walk()
            if place.fallback is not None
            for below in place.fallback.walk()
        )

    @property
    def can_lose_failures(self) -> bool:
        """Whether deferred work fails: it depends on time whether somebody is there to hear."""
        return any(place.fault and place.kind in _DEFERS for place in self.walk())

    @property
    def failures(self) -> int:
        """How many places fail; of several in one boundary, any may be named."""
        return sum(place.fault != "" for place in self.walk())

    @property
    def is_timely(self) -> bool:
        """Whether its document is the same whatever takes how long."""
        return not self.fallback_can_fail and not self.can_lose_failures


@attrs.define
class Site:
    """What the components of one render share, and what they leave behind for the checks."""

    delay: float = 1.0
    deferred: list[Deferred[int]] = attrs.Factory(list)
    reports: dict[str | None, float] = attrs.Factory(dict)
    """By source, the last number that was accepted."""
    cleaned: int = 0

    async def pause(self, ticks: int) -> None:
        """Take some time, or only a checkpoint, or not even that."""
        if not self.delay:
            return
        if ticks:
            await trio.sleep(ticks * self.delay)
        else:
            await trio.lowlevel.checkpoint()

    def report(self, reporter: ProgressReporter, source: str | None, number: int) -> None:
        """Report, and remember that it was accepted."""
        reporter.report(number, total=99, message=f"at {number}")
        self.reports[source] = number

    def defer(self, work: Callable[[Tree, Site], Awaitable[int]], tree: Tree) -> Deferred[int]:
        """Defer, and remember what must be settled in the end."""
        deferred = agent().defer(work, tree, self)
        self.deferred.append(deferred)
        return deferred


# ---------------------------------------------------------------------------------- building


def build(tree: Tree, site: Site) -> Node:
    """The tree as an author would have written it."""
    if tree.kind in _LEAVES:
        return _LEAVES[tree.kind](tree.ticks)
    if tree.kind in _COMPONENTS:
        return _COMPONENTS[tree.kind](tree, site)
    return _build_element(tree, site)


def _build_element(tree: Tree, site: Site) -> Node:
    parts = _parts(tree, site)
    match tree.kind:
        case "suspense":
            fallback = None if tree.fallback is None else build(tree.fallback, site)
            return Suspense(*parts, fallback=fallback)
        case "valued":
            return Agent.Result(*parts, value={"n": tree.ticks}, metadata={"of": tree.ticks})
        case "result":
            return Agent.Result(*parts)
        case "fragment":
            return Fragment(*parts)
        case _:
            return parts


_LEAVES: Final[dict[Kind, Callable[[int], Node]]] = {
    "leaf": lambda ticks: Agent.Markdown(f"m{ticks}") if ticks else None,
    "error": lambda ticks: Agent.Error("authored", f"an error node, {ticks}"),
    "image": lambda ticks: Agent.Image(b"\x00" * (1 + 3 * ticks), "image/png", alt="ä"),
}


def _parts(tree: Tree, site: Site) -> list[Node]:
    return [build(part, site) for part in tree.parts]


def _fail(tree: Tree) -> None:
    match tree.fault:
        case "error":
            raise BrokenError(f"{tree.kind} {BROKE}")
        case "agent":
            raise AgentError("E_BROKEN", f"{tree.kind} {BROKE} as declared")
        case "exit":
            sys.exit(f"{tree.kind} {BROKE}")
        case "group":
            raise ExceptionGroup("several", [BrokenError(f"a {BROKE}"), BrokenError(f"b {BROKE}")])
        case _:
            pass


@component
def Sync(tree: Tree, site: Site) -> Node:
    _fail(tree)
    return _parts(tree, site)


@component
async def Waiting(tree: Tree, site: Site) -> Node:
    await site.pause(tree.ticks)
    _fail(tree)
    return _parts(tree, site)


@component
async def Cleaning(tree: Tree, site: Site) -> Node:
    try:
        await site.pause(tree.ticks)
        _fail(tree)
    finally:
        with trio.move_on_after(CLEANUP_S, shield=True):
            await site.pause(2)
        site.cleaned += 1
    return _parts(tree, site)


@component
async def Reporting(tree: Tree, site: Site) -> Node:
    progress = agent().progress
    source = "odd" if tree.ticks % 2 else None
    reporter = progress if source is None else progress.named(source)
    for number in range(tree.ticks + 1):
        site.report(reporter, source, number)
        await site.pause(number % 2)
    _fail(tree)
    return _parts(tree, site)


async def _work(tree: Tree, site: Site) -> int:
    await site.pause(tree.ticks)
    if tree.ticks == 3:
        site.report(agent().progress, None, tree.ticks)
    _fail(tree)
    return tree.ticks


async def _work_for_ever(tree: Tree, site: Site) -> int:
    try:
        await site.pause(tree.ticks)
        _fail(tree)
        await trio.sleep_forever()
    finally:
        with trio.move_on_after(CLEANUP_S, shield=True):
            await site.pause(1)
        site.cleaned += 1
    raise AssertionError("for ever has passed")


@component
async def Deferring(tree: Tree, site: Site) -> Node:
    """Defers; what is in it waits for that, each in its way."""
    deferred = site.defer(_work, tree)
    if tree.kind == "await":
        return Awaiting(tree.parts, site, deferred)
    if tree.kind == "use":
        return Using(tree.parts, site, deferred)
    return [
        Suspense(Awaiting(tree.parts[:1], site, deferred), fallback=Agent.Text("awaits")),
        Suspense(Using(tree.parts[1:], site, deferred), fallback=Agent.Text("uses")),
    ]


@component
async def Background(tree: Tree, site: Site) -> Node:
    """Defers what nobody waits for, and what never ends."""
    _ = site.defer(_work_for_ever, tree)
    return _parts(tree, site)


@component
async def Awaiting(parts: tuple[Tree, ...], site: Site, deferred: Deferred[int]) -> Node:
    number = await deferred
    return [Agent.Text(number), *(build(part, site) for part in parts)]


@component
def Using(parts: tuple[Tree, ...], site: Site, deferred: Deferred[int]) -> Node:
    number = use(deferred)
    return [Agent.Text(number), *(build(part, site) for part in parts)]


@component
async def Threading(tree: Tree, site: Site) -> Node:
    """Works in a thread; odd ticks say that the thread may be abandoned."""
    await site.pause(tree.ticks)
    progress = agent().progress

    def work() -> str:
        site.report(progress, None, tree.ticks)
        return "from a thread"

    with _real_time():
        text = await trio.to_thread.run_sync(work, abandon_on_cancel=bool(tree.ticks % 2))
    return [Agent.Text(text), *_parts(tree, site)]


@contextmanager
def _real_time() -> Iterator[None]:
    """A thread takes real time, and a clock that jumps would not wait for it."""
    clock = trio.lowlevel.current_clock()
    if not isinstance(clock, trio.testing.MockClock):
        raise TypeError("trees run under the fake clock")
    clock.autojump_threshold = math.inf
    try:
        yield
    finally:
        clock.autojump_threshold = 0


_COMPONENTS: Final[dict[Kind, Component[[Tree, Site]]]] = {
    "async": Waiting,
    "await": Deferring,
    "background": Background,
    "cleanup": Cleaning,
    "report": Reporting,
    "share": Deferring,
    "sync": Sync,
    "thread": Threading,
    "use": Deferring,
}


# ---------------------------------------------------------------------------------- drawing

_WEIGHTS: Final[dict[Kind, int]] = {
    "suspense": 12,
    "async": 6,
    "leaf": 4,
    "list": 2,
    "result": 2,
    "cleanup": 2,
    "report": 2,
    "share": 1,
    "use": 1,
    "await": 1,
    "background": 1,
    "sync": 2,
    "fragment": 1,
    "valued": 1,
    "error": 1,
    "image": 1,
}
"""A plain recursive strategy hardly ever nests one boundary in another; this one mostly does."""

_KINDS: Final = [kind for kind, weight in _WEIGHTS.items() for _ in range(weight)]
_CALM: Final[list[Kind]] = ["list", "result", "sync"]
_SUSPENSE: Final[list[Kind]] = ["suspense"]
_OUTSIDE: Final[list[Kind]] = [*_KINDS, *_CALM * 4, *_SUSPENSE * 32]
"""What stands outside every boundary holds the shell up, and what settles meanwhile says nothing."""

_FAULTS: Final[list[Fault]] = ["error", "error", "error", "agent", "group", "exit"]
_DEEPEST: Final = 8


class _Drawing:
    """One tree being drawn."""

    def __init__(self, random: Random, size: int) -> None:
        self._random = random
        self._left = size
        self._valued = 0
        self._may_fail_in_fallback = self._one_in(4)
        self._may_lose_failures = self._one_in(6)

    def root(self) -> Tree:
        if self._one_in(4):
            return self._tree(0, inside=False, standing_in=False)
        return Tree("result", self._trees(0, 1, 5, inside=False, standing_in=False))

    def _one_in(self, n: int) -> bool:
        return self._random.randrange(n) == 0

    def _trees(
        self, depth: int, least: int, most: int, *, inside: bool, standing_in: bool
    ) -> tuple[Tree, ...]:
        count = self._random.randint(least, most)
        return tuple(
            self._tree(depth + 1, inside=inside, standing_in=standing_in) for _ in range(count)
        )

    def _tree(self, depth: int, *, inside: bool, standing_in: bool) -> Tree:
        """Draw one place, *inside* of a boundary or not, *standing in* for content or not."""
        self._left -= 1
        enough = depth >= _DEEPEST or self._left <= 0
        kind: Kind = "leaf" if enough else self._random.choice(_KINDS if inside else _OUTSIDE)
        if kind == "valued":
            self._valued += 1
            # One value is the rule; two may meet, which fails the invocation.
            if standing_in or (self._valued > 1 and not self._one_in(8)):
                kind = "result"
        ticks = self._random.randint(0, 6 if inside else 1)
        if kind in _LEAVES:
            return Tree(kind, ticks=ticks)
        if kind == "suspense":
            parts = self._trees(depth, 1, 3, inside=True, standing_in=standing_in)
            return Tree(kind, parts, self._fallback(depth))
        parts = self._trees(depth, 0, 3, inside=inside, standing_in=standing_in)
        fault = self._fault(kind, inside=inside, standing_in=standing_in)
        return Tree(kind, parts, ticks=ticks, fault=fault)

    def _fallback(self, depth: int) -> Tree | None:
        if self._one_in(3):
            return Tree("list", self._trees(depth, 1, 3, inside=True, standing_in=True))
        return Tree("leaf", ticks=self._random.randint(0, 3))

    def _fault(self, kind: Kind, *, inside: bool, standing_in: bool) -> Fault:
        if kind not in _SUSPENDS and kind != "sync":
            return ""
        if standing_in and not self._may_fail_in_fallback:
            return ""
        if kind in _DEFERS and not self._may_lose_failures:
            return ""
        # A failure outside every boundary ends all; few examples should.
        if not self._one_in(5 if inside else 60):
            return ""
        return self._random.choice(_FAULTS)


def draw_tree(random: Random, size: int) -> Tree:
    """A tree of about *size* places, most often with boundaries in boundaries."""
    return _Drawing(random, size).root()


@st.composite
def trees(draw: st.DrawFn, largest: int = 45) -> Tree:
    """Trees of about up to *largest* places.

    Hypothesis chooses the size and the seed, no more: drawing every place through it makes most
    trees tiny, and shrinking one takes minutes.
    """
    size = draw(st.integers(largest // 4, largest))
    return draw_tree(Random(draw(st.integers(0, 2**32 - 1))), size)
