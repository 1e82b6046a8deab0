"""The walk: runs `def` components and lowers a tree of elements to the items of a row.

One walk belongs to one context and charges its account.  It never waits: what has to be waited
for it leaves as a hole, what needs a task of its own as a job.  Rules:

* a boundary whose content needs nothing async is written inline, its fallback is not rendered,
  and a failure in it is written inline as an error;
* an async component always leaves a hole; a `def` leaves one when it `use`s something unsettled;
* an error of an author names the innermost component and the place in what it returned;
* of a tree that is given up, bare coroutines are closed;
* nesting is bounded by a limit of its own.  Who starts so deep in Python's stack that Python's
  limit is met first gets the same error (`author.find_limit`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import trio

from trio_agent.context.suspension import Suspended
from trio_agent.errors import ContractError, LimitError
from trio_agent.pipeline.author import find_limit
from trio_agent.pipeline.refusal import close_coroutines, refuse_node
from trio_agent.pipeline.rendering import ContentJob, FallbackJob, Hole, Waiting
from trio_agent.pipeline.step import run_step
from trio_agent.protocol.rows import (
    BoundaryItem,
    EnclosedItem,
    LazyItem,
    ResultItem,
    finish_leaves,
    finish_result,
)
from trio_agent.vocabulary.element import (
    Element,
    EnclosedElement,
    FragmentElement,
    ResultElement,
    SuspenseElement,
)
from trio_agent.vocabulary.node import LEAVES
from trio_agent.vocabulary.result import RESULT_ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.pipeline.rendering import Rendering
    from trio_agent.protocol.ledger import Account
    from trio_agent.protocol.rows import Item
    from trio_agent.vocabulary.json import Json
    from trio_agent.vocabulary.node import LeafNode

UNPOSTED_BYTES: Final = 1024
"""What one step of a walk may charge before it is held against the limits, which its end always
is; so this only bounds how much content a step makes in vain."""

_INLINE: Final = -1


@final
class Walk:
    """Walks one context.  See the module."""

    __slots__ = ("_component", "_may_carry_value", "_rendering", "account")

    def __init__(
        self,
        rendering: Rendering,
        account: Account,
        *,
        may_carry_value: bool,
        component: str | None = None,
    ) -> None:
        self._rendering: Final = rendering
        self._may_carry_value: Final = may_carry_value
        self._component = component
        self.account: Final = account

    def expand(
        self, node: object, out: list[Item], waiting: Waiting, level: int, depth: int
    ) -> None:
        """Lower one node, and what is in it.

        Args:
            node: what an author wrote.
            out: its items are appended here.
            waiting: holes and jobs are appended here.
            level: nesting of the tree so far.
            depth: level of the document the node stands at; the root stands at 1.

        Raises:
            ContractError: `invalid-element`, with component and place.
            LimitError: too deep, or too large.
            Exception: what a `def` component raised.
        """
        kind = type(node)
        if kind in LEAVES:
            leaf = cast("LeafNode", node)
            self._charge_leaf(leaf, depth)
            out.append(leaf)
        elif node is None or kind is bool:
            pass
        elif level >= self._rendering.ledger.limits.max_component_depth:
            raise LimitError(
                "component-depth-exceeded",
                f"components and lists nest deeper than {level} levels",
            )
        elif kind is Element:
            self._expand_component(cast("Element", node), out, waiting, level, depth)
        elif kind is ResultElement:
            self._expand_result(cast("ResultElement", node), out, waiting, level, depth)
        elif kind is list or kind is tuple:
            self._expand_all(cast("list[object]", node), out, waiting, level + 1, depth)
        else:
            self._expand_other(node, out, waiting, level, depth)

    def resume(self, hole: Hole, node: object, waiting: Waiting) -> None:
        """Go on with what an async component returned.

        Raises:
            ContractError: see `expand`.
        """
        name = hole.definition.name
        self._expand_returned(name, node, hole.out, waiting, hole.level, hole.depth)
        self._rendering.ledger.post(self.account)

    def retry(self, hole: Hole, waiting: Waiting) -> None:
        """Run a `def` component again, whose value has come.

        Raises:
            ContractError: see `expand`.
        """
        self._expand_component(hole.take_element(), hole.out, waiting, hole.level, hole.depth)
        self._rendering.ledger.post(self.account)

    # ---------------------------------------------------------------------- kinds of nodes

    def _expand_other(
        self, node: object, out: list[Item], waiting: Waiting, level: int, depth: int
    ) -> None:
        if isinstance(node, SuspenseElement):
            self._expand_suspense(node, out, waiting, level, depth)
        elif isinstance(node, FragmentElement):
            self._expand_all(node.children, out, waiting, level + 1, depth)
        elif isinstance(node, EnclosedElement):
            # What the enclosed function returned: errors in it are its own, not the layout's.
            items: list[Item] = []
            out.append(EnclosedItem(items, node.name))
            self._expand_returned(node.name, node.node, items, waiting, level, depth)
        else:
            refuse_node(node)

    def _expand_all(
        self, nodes: Sequence[object], out: list[Item], waiting: Waiting, level: int, depth: int
    ) -> None:
        index = size = count = height = 0
        try:
            for child in nodes:
                if type(child) in LEAVES:
                    leaf = cast("LeafNode", child)
                    out.append(leaf)
                    size += leaf.size + 1
                    count += leaf.nodes
                    height = max(height, leaf.height)
                    if leaf.media:
                        self.account.media += leaf.media
                else:
                    self.expand(child, out, waiting, level, depth)
                index += 1
        except ContractError as error:
            error.at(f"[{index}]")
            raise
        if count:
            self.account.size += size
            self.account.nodes += count
            self._rendering.ledger.check_depth(depth + height - 1)

    def _expand_result(
        self, element: ResultElement, out: list[Item], waiting: Waiting, level: int, depth: int
    ) -> None:
        ledger, account = self._rendering.ledger, self.account
        ledger.check_depth(depth)
        # The root stays an item: whether it is a result decides about the wrapper.
        is_plain = depth > 1 and element.value is None and element.metadata is None
        if is_plain and (leaves := finish_leaves(element.children)) is not None:
            node, count, height = leaves
            if count:
                ledger.check_depth(depth + height)
            # A comma for the node, and for the first of its leaves.
            account.size += node.size + (2 if count else 1)
            account.nodes += count + 1
            account.media += node.media
            out.append(node)
            return
        account.size += RESULT_ENVELOPE + 1
        account.nodes += 1
        for json in (element.value, element.metadata):
            if json is not None:
                self._charge_json(json, depth)
        if element.value is not None and not self._may_carry_value:
            raise ContractError("invalid-element", "a fallback may not carry a value")
        items: list[Item] = []
        try:
            self._expand_all(element.children, items, waiting, level + 1, depth + 1)
        except ContractError as error:
            error.at("Result")
            raise
        finished = finish_result(items) if is_plain else None
        out.append(finished or ResultItem(items, element.value, element.metadata))

    def _expand_component(
        self, element: Element, out: list[Item], waiting: Waiting, level: int, depth: int
    ) -> None:
        definition = element.definition
        if definition.is_async:
            hole: list[Item] = []
            out.append(hole)
            waiting.holes.append(Hole(hole, self, element, None, level, depth))
            return
        try:
            node = run_step(self._rendering.stage, element)
        except Suspended as suspended:
            later: list[Item] = []
            out.append(later)
            waiting.holes.append(Hole(later, self, element, suspended.deferred, level, depth))
            return
        except ContractError as error:
            error.within(definition.name)
            raise
        self._expand_returned(definition.name, node, out, waiting, level, depth)

    def _expand_returned(
        self, name: str, node: object, out: list[Item], waiting: Waiting, level: int, depth: int
    ) -> None:
        """Go on with what the component *name* returned."""
        outer, self._component = self._component, name
        try:
            self.expand(node, out, waiting, level + 1, depth)
        except Exception as error:
            if isinstance(error, ContractError):
                error.within(name)
            close_coroutines(node)
            raise
        finally:
            self._component = outer
        account = self.account
        size, _, media = account.posted
        if account.size - size >= UNPOSTED_BYTES or account.media > media:
            self._rendering.ledger.post(account)

    # ---------------------------------------------------------------------- boundaries

    def _expand_suspense(
        self, element: SuspenseElement, out: list[Item], waiting: Waiting, level: int, depth: int
    ) -> None:
        rendering = self._rendering
        ledger = rendering.ledger
        account = ledger.open(self.account)
        walk = Walk(
            rendering,
            account,
            may_carry_value=self._may_carry_value,
            component=self._component,
        )
        items: list[Item] = []
        inner = Waiting()
        try:
            walk._expand_all(element.children, items, inner, level + 1, depth)  # our own kind
            ledger.post(account)
        except Exception as error:  # boundary: a failing boundary is a value
            if find_limit(error) is not None:
                raise
            if isinstance(error, ContractError):
                error.at("Suspense")
                error.within(self._component or "(root)")
            close_coroutines(element)
            out.append(BoundaryItem(rendering.fail_content(account, _INLINE, error)))
            return
        if not inner.holes:
            waiting.jobs += inner.jobs
            out.append(BoundaryItem(items))
            return
        row = rendering.next_row()
        fallback, cover = self._expand_fallback(element, account, waiting, level, depth)
        waiting.jobs.append(
            ContentJob(row, items, inner, account, not self._may_carry_value, cover)
        )
        out.append(BoundaryItem(LazyItem(row), fallback))

    def _expand_fallback(
        self, element: SuspenseElement, content: Account, waiting: Waiting, level: int, depth: int
    ) -> tuple[list[Item], trio.CancelScope | None]:
        rendering = self._rendering
        account = rendering.ledger.open_fallback(content)
        walk = Walk(rendering, account, may_carry_value=False, component=self._component)
        items: list[Item] = []
        inner = Waiting()
        try:
            walk.expand(element.fallback, items, inner, level + 1, depth)
        except ContractError as error:
            error.at("Suspense fallback")
            raise
        rendering.ledger.post(account)
        jobs = inner.jobs
        if inner.holes:
            # It holds the surroundings up, but only while the content waits: a row of its own.
            row = rendering.next_row()
            jobs.append(ContentJob(row, items, inner, account, is_cover=True))
            inner.jobs, items = [], [LazyItem(row)]
        if not jobs:
            return items, None
        scope = trio.CancelScope()
        waiting.jobs.append(FallbackJob(jobs, scope))
        return items, scope

    # ---------------------------------------------------------------------- charges

    def _charge_leaf(self, leaf: LeafNode, depth: int) -> None:
        self.account.size += leaf.size + 1
        self.account.nodes += leaf.nodes
        self.account.media += leaf.media
        self._rendering.ledger.check_depth(depth + leaf.height - 1)

    def _charge_json(self, json: Json, depth: int) -> None:
        self.account.size += json.size
        self.account.nodes += json.nodes
        self._rendering.ledger.check_depth(depth + json.depth - 1)
