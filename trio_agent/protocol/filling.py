"""Filling: building the groups of one row, nested results, boundaries and lazies included.

Paths come from here.  An item's path is that of its group and its index there; lists and
fragments add no level, nor does the one root result; a boundary's content has the path of the
boundary, its fallback one step `f` more.  Below: `tree`, `boundary`.  Above: `assembler`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.errors import ContractError
from trio_agent.protocol.boundary import Boundary, Context, Path, spell_path
from trio_agent.protocol.rows import BoundaryItem, ErrorRow, LazyItem, ResultItem
from trio_agent.protocol.tree import Group, Part
from trio_agent.vocabulary.node import LEAVES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.protocol.rows import Item, Row
    from trio_agent.vocabulary.node import LeafNode
    from trio_agent.vocabulary.result import DocumentNode


@final
@attrs.frozen(eq=False)
class Slot:
    """Where the items of a row go: to the top of a context, or to a lazy's place in a group."""

    context: Context
    path: Path
    group: Group | None = None
    index: int = -1


@final
class Construction:
    """What all fillings of one render share: who waits for which row.

    Attributes:
        unwrapped: the group whose one result is the root of the document; None if the root is
            not exactly one result, so that one is put around it.
    """

    __slots__ = ("_early", "_landing", "_waiting", "unwrapped")

    def __init__(self) -> None:
        self._waiting: dict[int, Slot] = {}
        self._early: dict[int, Row] = {}
        self._landing: list[tuple[Row, Slot]] = []
        self.unwrapped: Group | None = None

    def expect(self, row: int, slot: Slot) -> None:
        """Owe the items of a row to a place.

        Raises:
            ContractError: `invalid-document`: two places wait for one row.
        """
        if row in self._waiting:
            raise ContractError("invalid-document", f"two places name row {row}")
        early = self._early.pop(row, None)
        if early is None:
            self._waiting[row] = slot
        else:
            self._landing.append((early, slot))

    def arrive(self, row: Row) -> None:
        """A row is here; it is kept if nothing has named it yet.

        Raises:
            ContractError: `invalid-document`: it came before.
        """
        slot = self._waiting.pop(row.id, None)
        if slot is not None:
            self._landing.append((row, slot))
        elif row.id in self._early:
            raise ContractError("invalid-document", f"row {row.id} came twice")
        else:
            self._early[row.id] = row

    def take_landing(self) -> tuple[Row, Slot] | None:
        """A row whose place is known and that has not been put there."""
        return self._landing.pop() if self._landing else None


@final
class Filling:
    """Fills one group with the items of a row, nested groups and boundaries included."""

    __slots__ = (
        "_construction",
        "_context",
        "_group",
        "_index",
        "_live",
        "_nodes",
        "_path",
        "_totals",
    )

    def __init__(
        self, construction: Construction, context: Context, group: Group, path: Path
    ) -> None:
        self._construction: Final = construction
        self._context: Final = context
        self._group: Final = group
        self._path: Final = path
        self._nodes: list[DocumentNode] = []
        self._live = 0
        self._totals = Part()
        self._index = -1

    def fill(self, items: Sequence[Item]) -> None:
        """Fill and seal the group."""
        self._take(items)
        self._group.seal(self._nodes, self._totals)

    def _take(self, items: Sequence[Item]) -> None:
        size = media = errors = 0
        add = self._nodes.append
        for item in items:
            if type(item) in LEAVES:
                leaf: LeafNode = item  # type: ignore[assignment]  # the set says so
                add(leaf)
                self._index += 1
                size += leaf.size
                media += leaf.media
                errors += leaf.errors
            elif isinstance(item, (list, tuple)):
                self._take(item)
            else:
                self._index += 1
                self._take_other(item)
        totals = self._totals
        totals.size += size
        totals.media += media
        totals.errors += errors

    def _take_other(self, item: Item) -> None:
        if isinstance(item, ResultItem):
            part, live = self._result(item)
        elif isinstance(item, BoundaryItem):
            part, live = self._boundary(item), True
        elif isinstance(item, LazyItem):
            part, live = self._lazy(item), True
        else:
            raise ContractError("invalid-document", f"a row holds {item!r:.80}")
        if live:
            self._live += len(part.nodes)
        self._nodes += part.nodes
        totals = self._totals
        totals.size += part.size
        totals.media += part.media
        totals.errors += part.errors
        totals.strays += part.strays
        self._group.adopt(part.adoption)

    @property
    def _statics(self) -> int:
        """Nodes so far that belong to no live part."""
        return len(self._nodes) - self._live

    def _below(self) -> Path:
        return (*self._path, self._index)

    def _result(self, item: ResultItem) -> tuple[Part, bool]:
        if item.value is not None and not self._context.may_carry_value:
            raise ContractError(
                "invalid-element", f"a fallback may not carry a value: {spell_path(self._below())}"
            )
        is_document = self._group is self._construction.unwrapped
        path = self._path if is_document else self._below()
        group = Group(self._context, self._group, spell_path(path) or "root")
        group.is_document = is_document
        group.become_result(item.value, item.metadata)
        Filling(self._construction, self._context, group, path).fill(item.items)
        part = group.part()
        if group.is_live:
            group.index = self._group.add_live(self._statics, part)
        return part, group.is_live

    def _boundary(self, item: BoundaryItem) -> Part:
        path = self._below()
        boundary = Boundary(self._context, self._group, path)
        if self._context.boundaries is None:
            self._context.boundaries = []
        self._context.boundaries.append(boundary)
        fallback, content = boundary.fallback, boundary.content
        Filling(self._construction, fallback, fallback.group, (*path, "f")).fill(item.fallback)
        if isinstance(item.content, LazyItem):
            content.pending += 1
            self._construction.expect(item.content.row, Slot(content, path))
        elif isinstance(item.content, ErrorRow):
            content.error = item.content
        else:
            Filling(self._construction, content, content.group, path).fill(item.content)
        return boundary.attach(self._statics)

    def _lazy(self, item: LazyItem) -> Part:
        self._context.pending += 1
        part = Part()
        index = self._group.add_live(self._statics, part)
        slot = Slot(self._context, self._below(), self._group, index)
        self._construction.expect(item.row, slot)
        return part
