"""Filling: building the groups of one row, nested results, boundaries and lazies included.

Paths come from here.  An item's path is that of its group and its index there; lists and
fragments add no level, nor does the one root result; a boundary's content has the path of the
boundary, its fallback one step `f` more.  What a layout encloses adds no level either, nor does
its root.  Below: `tree`, `boundary`.  Above: `assembler`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.errors import ContractError, abridge
from trio_agent.protocol.boundary import Boundary, Context, Path, spell_path
from trio_agent.protocol.rows import (
    FINISHED,
    BoundaryItem,
    EnclosedItem,
    ErrorRow,
    LazyItem,
    ResultItem,
)
from trio_agent.protocol.tree import Adoption, Group, Part
from trio_agent.shown import shown
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.protocol.rows import Item, Row
    from trio_agent.vocabulary.result import DocumentNode

_RUNS: Final[frozenset[type]] = frozenset({list, tuple, EnclosedItem})
"""Items that add no level: what is in them stands in their place."""


def find_only(items: Sequence[Item]) -> Item | None:
    """The one item that there is, once lists are flattened; None if there are more or none.

    What is enclosed is looked into: if it has one item, it has no part in what that one is.
    """
    only: Item | None = None
    runs = [items]
    while runs:
        for item in runs.pop():
            if isinstance(item, (list, tuple)):
                runs.append(item)
            elif isinstance(item, EnclosedItem):
                runs.append(item.items)
            elif only is not None:
                return None
            else:
                only = item
    return only


def find_enclosing(items: Sequence[Item], only: Item) -> str | None:
    """The name of the `EnclosedItem` that the one item of *items* stands in; None without one."""
    runs: list[tuple[Sequence[Item], str | None]] = [(items, None)]
    while runs:
        run, name = runs.pop()
        for item in run:
            if item is only:
                return name
            if isinstance(item, EnclosedItem):
                runs.append((item.items, name or item.name))
            elif isinstance(item, (list, tuple)):
                runs.append((item, name))
    raise AssertionError("the item stands somewhere else")


@final
@attrs.frozen(eq=False)
class Slot:
    """Where the items of a row go: to the top of a context, or to a lazy's place in a group.

    Attributes:
        enclosed: the name of the `EnclosedItem` that the row is all of, if it is.
    """

    context: Context
    path: Path
    group: Group | None = None
    index: int = -1
    enclosed: str | None = None

    __repr__ = shown


@final
class Construction:
    """What all fillings of one render share: who waits for which row.

    Rows whose place is known land depth first, in document order, a boundary's content before
    its fallback: so of two failures that one row lets in, the first in the document wins, and a
    fallback is not asked before all is known of what it stands in for.
    """

    __slots__ = ("_fresh", "_landing", "_rows")

    def __init__(self) -> None:
        # A slot: named, not here.  A row: here, not named.  None: landed, or about to.
        self._rows: dict[int, Slot | Row | None] = {}
        self._landing: list[tuple[Row, Slot]] = []
        self._fresh: list[tuple[Row, Slot]] = []

    def expect(self, row: int, slot: Slot) -> None:
        """Owe the items of a row to a place.

        Raises:
            ContractError: `invalid-document`: two places name one row.
        """
        if row not in self._rows:
            self._rows[row] = slot
            return
        early = self._rows[row]
        if early is None or isinstance(early, Slot):
            raise ContractError("invalid-document", f"two places name row {row}")
        self._rows[row] = None
        self._fresh.append((early, slot))

    def arrive(self, row: Row) -> None:
        """A row is here; it is kept if nothing has named it yet.

        Raises:
            ContractError: `invalid-document`: it came before.
        """
        if row.id not in self._rows:
            self._rows[row.id] = row
            return
        slot = self._rows[row.id]
        if not isinstance(slot, Slot):
            raise ContractError("invalid-document", f"row {row.id} came twice")
        self._rows[row.id] = None
        self._fresh.append((row, slot))

    def take_landing(self) -> tuple[Row, Slot] | None:
        """The next row whose place is known and that has not been put there."""
        self._landing += reversed(self._fresh)
        self._fresh.clear()
        return self._landing.pop() if self._landing else None


@final
class Filling:
    """Fills one group with the items of a row, nested groups and boundaries included."""

    __slots__ = (
        "_construction",
        "_context",
        "_group",
        "_index",
        "_path",
        "_still",
        "_totals",
    )

    def __init__(
        self, construction: Construction, context: Context, group: Group, path: Path
    ) -> None:
        self._construction: Final = construction
        self._context: Final = context
        self._group: Final = group
        self._path: Final = path
        self._still: list[DocumentNode] = []
        self._totals: Final = Part()
        self._index = -1

    def fill(self, items: Sequence[Item]) -> None:
        """Fill and seal the group.

        Calls itself through one other frame for each level, so Python's recursion limit is not
        met before the limit on depth.

        Raises:
            ContractError: `ambiguous-value`, `invalid-element`, or `invalid-document`.
        """
        size = media = errors = 0
        still = self._still
        runs: list[Iterator[Item]] = [iter(items)]
        while runs:
            for item in runs[-1]:
                kind = type(item)
                if kind in _RUNS:
                    runs.append(iter(self._opened(item)))
                    break
                self._index += 1
                if kind in FINISHED:
                    node = cast("DocumentNode", item)
                    still.append(node)
                    size += node.size
                    media += node.media
                    errors += node.errors
                elif isinstance(item, ResultItem):
                    self._add_result(item)
                elif isinstance(item, BoundaryItem):
                    self._add_boundary(item)
                else:
                    self._add_lazy(item)
            else:
                runs.pop()
        totals = self._totals
        totals.length += len(still)
        totals.size += size
        totals.media += media
        totals.errors += errors
        self._group.seal(still, totals)

    def _add_total(self, part: Part) -> None:
        totals = self._totals
        totals.size += part.size
        totals.media += part.media
        totals.errors += part.errors
        totals.strays += part.strays
        self._group.adopt(part.adoption)

    def _below(self) -> Path:
        return (*self._path, self._index)

    def _add_result(self, item: ResultItem) -> None:
        path = self._below()
        self._context.check_value(item.value, path)
        group = Group(self._context, self._group, spell_path(path))
        group.become_result(item.value, item.metadata)
        Filling(self._construction, self._context, group, path).fill(item.items)
        part = group.part()
        if group.is_live:
            group.index = self._group.add_live(len(self._still), part)
            self._totals.length += part.length
        else:
            for chunk in part.chunks:
                self._still += chunk.nodes
        self._add_total(part)

    def _add_boundary(self, item: BoundaryItem) -> None:
        path = self._below()
        construction, context = self._construction, self._context
        boundary = Boundary(context, self._group, path)
        context.add(boundary)
        content = boundary.content
        if isinstance(item.content, LazyItem):
            content.pending += 1
            construction.expect(item.content.row, Slot(content, path))
        elif isinstance(item.content, ErrorRow):
            content.error = item.content
        else:
            Filling(construction, content, content.group, path).fill(item.content)
        if boundary.state == "pending":
            self._cover(boundary, item.fallback)
        part = boundary.attach(len(self._still))
        self._totals.length += part.length
        self._add_total(part)

    def _cover(self, boundary: Boundary, items: Sequence[Item]) -> None:
        for item in items:
            if type(item) not in FINISHED:
                fallback = boundary.fallback
                Filling(self._construction, fallback, fallback.group, fallback.path).fill(items)
                return
        boundary.cover_with(cast("tuple[DocumentNode, ...]", tuple(items)))

    def _opened(self, item: Item) -> Sequence[Item]:
        """What stands in the place of a run; the root of what a layout encloses dissolves."""
        if not isinstance(item, EnclosedItem):
            return cast("Sequence[Item]", item)
        only = find_only(item.items)
        if isinstance(only, ResultNode):
            return only.children
        if isinstance(only, LazyItem):
            self._index += 1
            self._add_lazy(only, item.name)
            return ()
        # In a fallback nothing climbs, so nothing dissolves.
        if not isinstance(only, ResultItem) or not self._context.may_carry_value:
            return item.items
        if only.value is not None or only.metadata is not None:
            place = f"the root of {item.name}"
            self._group.adopt(Adoption(only.value, only.metadata, place))
        return only.items

    def _add_lazy(self, item: Item, enclosed: str | None = None) -> None:
        if not isinstance(item, LazyItem):
            raise ContractError("invalid-document", f"a row holds {abridge(item)}")
        self._context.pending += 1
        index = self._group.add_live(len(self._still), Part())
        slot = Slot(self._context, self._below(), self._group, index, enclosed)
        self._construction.expect(item.row, slot)
