"""A slow and simple reading of rows: what must come out after each of them.

After every row it walks everything from the start and says which decisions are due, what the
document is, and which of the contract's errors must or may be raised.  It remembers only what
cannot be seen again: which boundaries failed, and what the outside has been told.

It shares no line of thought with the assembler: no counters, no tree that is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

import attrs

from trio_agent.protocol.rows import (
    FINISHED,
    BoundaryItem,
    EnclosedItem,
    ErrorRow,
    Item,
    LazyItem,
    ModelRow,
    ResultItem,
    Row,
)
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.result import DocumentNode, ResultNode

Path: TypeAlias = tuple[int | str, ...]
Decision: TypeAlias = tuple[str, str, int]
"""Kind, boundary id, and the id of the row that failed; an id of -1 where none did."""
Wire: TypeAlias = dict[str, object]
Offer: TypeAlias = tuple[Json | None, Json | None]
"""Value and metadata; no value where the root that a layout encloses has none."""


class _AmbiguousError(Exception):
    """Private: two values meet."""


@attrs.define(eq=False)
class _Seen:
    """A context, or a result in one, as one walk saw it."""

    parts: list[_Part] = attrs.Factory(list)
    pending: bool = False
    error: ErrorRow | None = None
    boundaries: list[_SeenBoundary] = attrs.Factory(list)


@attrs.define(eq=False)
class _SeenBoundary:
    id: str
    state: str
    error: ErrorRow | None
    content: _Seen
    fallback: _Seen
    is_new: bool
    """Whether it failed in this very walk."""

    @property
    def shown(self) -> _Seen | None:
        return {"settled": self.content, "pending": self.fallback}.get(self.state)


@attrs.frozen
class _Root:
    """What the root that a layout encloses hands over; its items are among those around it."""

    offer: Offer


_Part: TypeAlias = "DocumentNode | tuple[ResultItem, _Seen] | _SeenBoundary | _Root"


@attrs.frozen
class Expectation:
    """What one row must lead to."""

    decisions: Sequence[Decision]
    failure: ErrorRow | None
    must_be_ambiguous: bool
    may_be_ambiguous: bool
    has_strays: bool
    is_truncated: bool
    wire: Wire | None


class Oracle:
    """Reads one stream, slowly."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._rows: dict[int, Row] = {}
        self._failed: dict[str, ErrorRow] = {}
        self._told: dict[str, str] = {}
        self._shell = False
        self._note = note

    def read(self, row: Row) -> Expectation:
        """Take a row and look at everything."""
        self._rows[row.id] = row
        root = _Seen()
        only: Item | None = LazyItem(0)
        while isinstance(only, LazyItem):
            # A row that is nothing but another one's place is that one.
            brought = self._rows.get(only.row)
            only = None
            if isinstance(brought, ModelRow):
                items = list(_flat(brought.items))
                only = items[0] if len(items) == 1 else None
                if isinstance(only, ResultNode):
                    only = ResultItem(only.children, None, only.metadata)
                if isinstance(only, ResultItem):
                    inner = _Seen()
                    self._walk(only.items, (), root, inner)
                    root.parts.append((only, inner))
                elif not isinstance(only, LazyItem):
                    self._walk(brought.items, (), root, root)
            elif brought is None:
                root.pending = True
            else:
                root.error = brought
        return self._expect(root, only if isinstance(only, ResultItem) else None)

    # ------------------------------------------------------------------ walking

    def _walk(self, items: Sequence[Item], path: Path, context: _Seen, holder: _Seen) -> None:
        for index, item in enumerate(self._open(items, path, holder)):
            here = (*path, index)
            if isinstance(item, ResultItem):
                inner = _Seen()
                self._walk(item.items, here, context, inner)
                holder.parts.append((item, inner))
            elif isinstance(item, BoundaryItem):
                boundary = self._look_at(item, here, context)
                context.boundaries.append(boundary)
                holder.parts.append(boundary)
            elif isinstance(item, (LazyItem, EnclosedItem)):
                self._bring(item, here, context, holder)
            else:
                assert type(item) in FINISHED
                holder.parts.append(cast("DocumentNode", item))

    def _open(self, items: Sequence[Item], path: Path, holder: _Seen) -> Iterator[Item]:
        """The items of a run, and of what is enclosed in it; of a row to come a note of both."""
        for item in items:
            if isinstance(item, (list, tuple)):
                yield from self._open(item, path, holder)
            elif isinstance(item, EnclosedItem):
                yield from self._open_enclosed(item, path, holder)
            else:
                yield item

    def _open_enclosed(self, item: EnclosedItem, path: Path, holder: _Seen) -> Iterator[Item]:
        only = _only(item.items)
        if isinstance(only, LazyItem):
            yield EnclosedItem([only], item.name)
        elif isinstance(only, ResultItem) and "f" not in path:
            self._note("a root dissolves")
            if only.value is not None or only.metadata is not None:
                holder.parts.append(_Root((only.value, only.metadata)))
            yield from self._open(only.items, path, holder)
        elif isinstance(only, ResultNode):
            yield from only.children
        else:
            yield from self._open(item.items, path, holder)

    def _bring(
        self, item: LazyItem | EnclosedItem, path: Path, context: _Seen, holder: _Seen
    ) -> None:
        lazy = cast("LazyItem", item.items[0] if isinstance(item, EnclosedItem) else item)
        row = self._rows.get(lazy.row)
        if row is None:
            context.pending = True
        elif isinstance(row, ErrorRow):
            context.error = context.error or row
        else:
            brought = row.items
            if isinstance(item, EnclosedItem):
                brought = [EnclosedItem(brought, item.name)]
            self._walk(brought, path, context, holder)

    def _look_at(self, item: BoundaryItem, path: Path, context: _Seen) -> _SeenBoundary:
        name = "b:" + ".".join(map(str, path))
        content, fallback = _Seen(), _Seen()
        old = self._failed.get(name)
        if old is not None:
            return _SeenBoundary(name, "error", old, content, fallback, is_new=False)
        if isinstance(item.content, ErrorRow):
            content.error = item.content
        elif isinstance(item.content, LazyItem):
            self._bring_content(item.content, path, content)
        else:
            self._walk(item.content, path, content, content)
        if content.error is not None:
            self._failed[name] = content.error
            return _SeenBoundary(name, "error", content.error, content, fallback, is_new=True)
        if not content.pending:
            return _SeenBoundary(name, "settled", None, content, fallback, is_new=False)
        self._walk(item.fallback, (*path, "f"), fallback, fallback)
        if fallback.error is not None:
            self._note("fallback failed")
            context.error = context.error or fallback.error
        elif fallback.pending:
            self._note("fallback holds its surroundings up")
            context.pending = True
        return _SeenBoundary(name, "pending", None, content, fallback, is_new=False)

    def _bring_content(self, item: LazyItem | EnclosedItem, path: Path, content: _Seen) -> None:
        lazy = cast("LazyItem", item.items[0] if isinstance(item, EnclosedItem) else item)
        row = self._rows.get(lazy.row)
        only = _only(row.items) if isinstance(row, ModelRow) else None
        if isinstance(row, ModelRow) and isinstance(only, LazyItem):
            self._note("a row is another row's place")
            inside = isinstance(item, EnclosedItem) or _is_enclosed(only, row.items)
            chained = EnclosedItem([only], "root") if inside else only
            self._bring_content(chained, path, content)
        else:
            self._bring(item, path, content, content)

    # ------------------------------------------------------------------ judging

    def _expect(self, root: _Seen, only: ResultItem | None) -> Expectation:
        visible = list(_visible_in(root))
        must, may = self._find_ambiguous(root, visible)
        decisions: list[Decision] = []
        wire: Wire | None = None
        has_strays = False
        if root.error is None and not root.pending:
            decisions = self._decide(visible)
            if not must:
                wire = _to_document(root, only)
                has_strays = _count_metadata(wire["root"]) > (
                    "metadata" in cast("Wire", wire["root"])
                )
        return Expectation(
            decisions=decisions,
            failure=root.error,
            must_be_ambiguous=must,
            may_be_ambiguous=may,
            has_strays=has_strays,
            is_truncated=not self._shell or any(one.state == "pending" for one in visible),
            wire=wire,
        )

    def _decide(self, visible: Sequence[_SeenBoundary]) -> list[Decision]:
        decisions: list[Decision] = []
        if not self._shell:
            self._shell = True
            decisions.append(("shell", "", -1))
        replaced = False
        for boundary in visible:
            before = self._told.get(boundary.id)
            self._told[boundary.id] = boundary.state
            if boundary.error is not None and before != "error":
                decisions.append(("error", boundary.id, boundary.error.id))
                self._note(
                    "error" if before else "error revealed" if replaced else "error in shell"
                )
            elif boundary.state == "settled" and before == "pending":
                decisions.append(("replace", boundary.id, -1))
                replaced = True
                self._note("replace")
                if len(boundary.content.parts) == len(boundary.content.boundaries) > 0:
                    self._note("settled into boundaries")
        return decisions

    def _find_ambiguous(self, root: _Seen, visible: Sequence[_SeenBoundary]) -> tuple[bool, bool]:
        may = _is_ambiguous(root)
        must = may and root.error is None
        # What failed in this very walk may have been looked into before it failed.
        stack = [(boundary, root.error is not None) for boundary in root.boundaries]
        while stack:
            boundary, dropped = stack.pop()
            dropped = dropped or boundary.error is not None
            ambiguous = _is_ambiguous(boundary.content)
            may = may or ambiguous
            must = must or (ambiguous and not dropped)
            if boundary.is_new:
                self._note("failed in sight" if boundary in visible else "failed unseen")
            nested = [*boundary.fallback.boundaries, *boundary.content.boundaries]
            stack += [(one, dropped) for one in nested]
        if must:
            self._note("ambiguous")
        return must, may


def _flat(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from _flat(item)
        elif isinstance(item, EnclosedItem):
            yield from _flat(item.items)
        else:
            yield item


def _only(items: Sequence[Item]) -> Item | None:
    flat = list(_flat(items))
    return flat[0] if len(flat) == 1 else None


def _is_enclosed(only: Item, items: Sequence[Item]) -> bool:
    for item in items:
        if isinstance(item, (list, tuple)) and _is_enclosed(only, item):
            return True
        if isinstance(item, EnclosedItem) and only in list(_flat(item.items)):
            return True
    return False


def _visible_in(context: _Seen) -> Iterator[_SeenBoundary]:
    for boundary in context.boundaries:
        yield boundary
        if boundary.shown is not None:
            yield from _visible_in(boundary.shown)


# ---------------------------------------------------------------------------------- merging


def _merge(seen: _Seen) -> tuple[list[Wire], Offer | None]:
    nodes: list[Wire] = []
    offers: list[Offer] = []
    for part in seen.parts:
        added, theirs = _merge_part(part)
        nodes += added
        if theirs is not None:
            offers.append(theirs)
    return nodes, _one_of(offers)


def _one_of(offers: Sequence[Offer]) -> Offer | None:
    """What several offers come to: roots without a value first, whatever came first."""
    if not offers:
        return None
    valued = [offer for offer in offers if offer[0] is not None]
    if len(valued) > 1:
        raise _AmbiguousError
    metadata: Json | None = None
    for offer in (*valued, *reversed([one for one in offers if one[0] is None])):
        metadata = _join(offer[1], metadata)
    return (valued[0][0] if valued else None), metadata


def _merge_part(part: _Part) -> tuple[list[Wire], Offer | None]:
    if isinstance(part, _Root):
        return [], part.offer
    if isinstance(part, tuple):
        return _merge_result(*part)
    if not isinstance(part, _SeenBoundary):
        return [json.loads(part.wire_text())], None
    if part.shown is not None:
        return _merge(part.shown)
    assert part.error is not None
    error: Wire = {"kind": "error", "code": part.error.code, "message": part.error.message}
    return [error], None


def _merge_result(item: ResultItem, inner: _Seen) -> tuple[list[Wire], Offer | None]:
    children, offer = _merge(inner)
    if item.value is not None:
        # Its own metadata come first, then those of a root that it encloses.
        joined = _one_of([(item.value, None), *([] if offer is None else [offer])])
        return children, (item.value, _join(item.metadata, joined and joined[1]))
    if offer is not None:
        return children, (offer[0], _join(item.metadata, offer[1]))
    return [result_wire(children, item.metadata)], None


def _join(outer: Json | None, inner: Json | None) -> Json | None:
    if outer is None or inner is None:
        return outer or inner
    if outer.text[0] == inner.text[0] == "{":
        return Json.of(cast("Wire", inner.value) | cast("Wire", outer.value))
    return outer


def result_wire(children: list[Wire], metadata: Json | None) -> Wire:
    wire: Wire = {"kind": "result", "children": children}
    return wire if metadata is None else wire | {"metadata": metadata.value}


def _is_ambiguous(seen: _Seen) -> bool:
    try:
        _merge(seen)
    except _AmbiguousError:
        return True
    return False


def _to_document(root: _Seen, only: ResultItem | None) -> Wire:
    nodes, offer = _merge(root)
    if offer is not None:
        top = result_wire(nodes, offer[1])
    else:
        top = nodes[0] if only is not None else result_wire(nodes, None)
    has_error = '"kind": "error"' in json.dumps(top)
    wire: Wire = {
        "version": 1,
        "status": "represented-error" if has_error else "success",
        "root": top,
    }
    value = None if offer is None else offer[0]
    return wire if value is None else wire | {"value": value.value}


def _count_metadata(node: object) -> int:
    members = cast("Wire", node)
    children = cast("list[object]", members.get("children", []))
    return ("metadata" in members) + sum(map(_count_metadata, children))
