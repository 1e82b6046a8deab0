"""The assembler: rows in, decisions and document snapshots out.

Feed it one row; it answers with what the outside sees change because of that row, in order:

    ShellShown          the root waits for nothing any more; sequence 0 of the stream
    BoundaryReplaced    a visible boundary that was pending shows its content
    BoundaryFailed      a visible boundary failed, or one that had failed became visible

When what becomes visible is React's rule, evaluated after every row: the shell waits for
everything outside boundaries; a boundary settles when nothing in it, nested boundaries left out,
is pending; what is nested in a boundary that is not shown says nothing until it is revealed.

`document()` is the snapshot after the last row; it shares all that did not change with the one
before.  `finish()` says that no row will come; `close()` lets go of everything.

Sans-I/O and without limits: what rows carry was charged where it came into being.  Below:
`filling` (building groups), `tree` (merging, path copying) and `boundary` (what waits for what).  Above: the decoder.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias, final

import attrs

from trio_agent.errors import ContractError, StreamError
from trio_agent.protocol.boundary import Boundary, Context, spell_path
from trio_agent.protocol.filling import (
    Construction,
    Filling,
    Slot,
    find_enclosing,
    find_only,
)
from trio_agent.protocol.rows import ROOT_ROW, EnclosedItem, ErrorRow, LazyItem, ResultItem
from trio_agent.protocol.tree import Group
from trio_agent.shown import shown
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.protocol.rows import Item, ModelRow, Row
    from trio_agent.vocabulary.result import DocumentNode


@final
@attrs.frozen
class ShellShown:
    """The first snapshot is complete."""

    __repr__ = shown


@final
@attrs.frozen
class BoundaryReplaced:
    """A boundary shows its content now."""

    boundary_id: str

    __repr__ = shown


@final
@attrs.frozen
class BoundaryFailed:
    """A boundary shows an error node now."""

    boundary_id: str
    error: ErrorRow

    __repr__ = shown


Decision: TypeAlias = ShellShown | BoundaryReplaced | BoundaryFailed


@final
class RootFailedError(Exception):
    """The root met a failure: there will be no document.  `row` tells which."""

    def __init__(self, row: ErrorRow) -> None:
        super().__init__(row.message)
        self.row = row


@final
class Assembler:
    """Assembles one render.  See the module."""

    __slots__ = ("_construction", "_dirty", "_root", "_shell_shown", "_snapshot")

    def __init__(self) -> None:
        self._root = Context(None, (), may_carry_value=True)
        self._root.pending = 1
        self._construction = Construction()
        self._construction.expect(ROOT_ROW, Slot(self._root, ()))
        self._dirty: list[Boundary] = []
        self._shell_shown = False
        self._snapshot: AgentDocument | None = None

    # ---------------------------------------------------------------------- rows in

    def feed(self, row: Row) -> Sequence[Decision]:
        """Take one row.

        Returns:
            What it changes for the outside; nothing before the shell is shown.

        Raises:
            RootFailedError: the root met a failure.
            ContractError: `ambiguous-value`, `invalid-element`, or `invalid-document`: a row
                came twice, metadata that nothing projects.
        """
        construction = self._construction
        construction.arrive(row)
        self._snapshot = None
        while (landing := construction.take_landing()) is not None:
            self._land(*landing)
        return self._decide()

    def finish(self) -> None:
        """No row will come.

        Raises:
            StreamError: `flight-truncated`: the root or a visible boundary is pending.  Rows
                owed only to what is hidden or dropped are not missed.
            ContractError: `invalid-document`: metadata that nothing will ever project.
        """
        if not self._shell_shown:
            raise StreamError("flight-truncated", "the rows ended before the root was complete")
        for boundary in _visible_in(self._root):
            if boundary.state == "pending":
                raise StreamError(
                    "flight-truncated", f"the rows ended while boundary {boundary.id} was pending"
                )
        self._refuse_strays()

    def document(self) -> AgentDocument:
        """The snapshot after the last row, the same until the next.  Only after the shell."""
        document = self._snapshot
        if document is None:
            group = self._root.group
            document = self._snapshot = AgentDocument(
                status="represented-error" if group.errors else "success",
                root=group.to_node(),
                value=None if group.offer is None else group.offer.value,
            )
        return document

    def close(self) -> None:
        """Let go of everything; for whoever has what it needs.

        Contexts, boundaries and groups refer to each other both ways, so what they hold, which
        may be a large document, would stay until the collector comes by.
        """
        contexts = [self._root]
        while contexts:
            contexts += contexts.pop().release()

    def _land(self, row: Row, slot: Slot) -> None:
        context = slot.context
        if context.is_dropped:
            return
        context.pending -= 1
        if isinstance(row, ErrorRow):
            context.error = row
        elif slot.group is None:
            self._fill_context(_items_for(slot, row), slot)
        else:
            group = Group(context, slot.group, spell_path(slot.path))
            group.index = slot.index
            Filling(self._construction, context, group, slot.path).fill(_items_for(slot, row))
            slot.group.replace(slot.index, group.part())
        context.settle_upwards(self._dirty)

    def _fill_context(self, items: Sequence[Item], slot: Slot) -> None:
        context = slot.context
        path = slot.path
        only = find_only(items)
        if isinstance(only, LazyItem):
            # An async component that returned one: its place is that row's.
            context.pending += 1
            chained = attrs.evolve(slot, enclosed=find_enclosing(items, only))
            self._construction.expect(only.row, chained)
            return
        if context is self._root:
            # The wrapper is decided by what was authored, never by what a boundary becomes.
            if isinstance(only, ResultItem):
                context.group.become_result(only.value, only.metadata)
                items = only.items
            elif isinstance(only, ResultNode):
                context.group.become_result(None, only.metadata)
                items = only.children
        Filling(self._construction, context, context.group, path).fill(items)

    # ---------------------------------------------------------------------- decisions out

    def _decide(self) -> Sequence[Decision]:
        dirty, self._dirty = self._dirty, []
        root = self._root
        if root.error is not None:
            raise RootFailedError(root.error)
        decisions: list[Decision] = []
        if not self._shell_shown:
            if root.pending:
                return ()
            if not self._reveal(root, decisions):
                self._refuse_strays()
            self._shell_shown = True
            return (ShellShown(), *decisions)
        for boundary in dirty:
            # What was never visible is told of when it is revealed; what was, and is no longer,
            # has been dropped, and nothing lands in it.
            if boundary.told != "pending":
                continue
            boundary.told = boundary.state
            error = boundary.content.error
            if error is not None:
                decisions.append(BoundaryFailed(boundary.id, error))
            else:
                decisions.append(BoundaryReplaced(boundary.id))
                self._reveal(boundary.content, decisions)
        return decisions

    def _reveal(self, context: Context, decisions: list[Decision]) -> bool:
        """A context has become visible: tell of failures in it; whether anything is pending."""
        is_pending = False
        for boundary in _visible_in(context):
            boundary.told = boundary.state
            error = boundary.content.error
            if error is not None:
                decisions.append(BoundaryFailed(boundary.id, error))
            is_pending = is_pending or boundary.told == "pending"
        return is_pending

    def _refuse_strays(self) -> None:
        if not self._root.group.strays:
            return
        raise ContractError(
            "invalid-document",
            "a nested result without a value has metadata, which nothing would project:"
            f" {_find_stray(self.document().root)}; give it a value or move the metadata outwards",
        )


def _items_for(slot: Slot, row: ModelRow) -> Sequence[Item]:
    if slot.enclosed is None:
        return row.items
    return (EnclosedItem(row.items, slot.enclosed),)


def _visible_in(context: Context) -> Iterator[Boundary]:
    """All boundaries that are seen when the context is, in document order."""
    stack = _ordered(context)
    while stack:
        boundary = stack.pop()
        yield boundary
        if boundary.showing is not None:
            stack += _ordered(boundary.showing)


def _ordered(context: Context) -> list[Boundary]:
    """The boundaries directly in a context, last first."""
    # Within one context paths differ first at an index, so strings never meet integers.
    return sorted(context.boundaries or (), key=attrgetter("path"), reverse=True)


def _find_stray(root: DocumentNode) -> str:
    """The path of the first nested result that has metadata."""
    stack: list[tuple[DocumentNode, str]] = [(root, "root")]
    while True:
        node, place = stack.pop()
        if not isinstance(node, ResultNode):
            continue
        if node.metadata is not None and node is not root:
            return f"{place} has {node.metadata.text:.80}"
        stack += [
            (child, f"{place}.children[{i}]") for i, child in reversed([*enumerate(node.children)])
        ]
