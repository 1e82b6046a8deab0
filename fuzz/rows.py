"""Streams of rows as React shapes them, and the assembler held against a slow reading of them.

`make_stream` builds a random render: every async child a row of its own, boundaries in content
and in fallbacks, results with values and metadata, failures anywhere, its rows in any order.
`run` feeds it to an assembler and to the `Oracle` and compares all there is to see.  `load` reads
the assembler's modules anew with changes to their source, so that a fault can be planted, or the
rope made short, without touching a file.
"""

from __future__ import annotations

import builtins
import importlib
import json
import types
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final, TypeAlias, cast

import attrs

from fuzz.oracle import Decision, Expectation, Oracle, Wire, result_wire
from trio_agent.errors import ContractError, StreamError
from trio_agent.protocol.assembler import Assembler, RootFailedError
from trio_agent.protocol.rows import (
    BoundaryItem,
    EnclosedItem,
    ErrorRow,
    Item,
    LazyItem,
    ModelRow,
    ResultItem,
    Row,
    finish_result,
)
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, JsonNode, MarkdownNode, ProgressNode, TextNode
from trio_agent.vocabulary.media import ImageNode
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.result import ResultNode

# ---------------------------------------------------------------------------------- streams


@attrs.frozen
class Taste:
    """What a stream may have, in percent of the places where it could."""

    failures: int = 15
    root_failures: int = 2
    brittle_root_failures: int = 40
    """Of one stream in ten; otherwise hardly any root would see two failures."""
    fallback_failures: int = 40
    values: int = 12
    metadata: int = 10
    stray_metadata: int = 2
    misplaced_failures: bool = True
    """Whether a failure may stand beside other rows of its context: then order decides."""


TASTE: Final = Taste()
CALM: Final = Taste(fallback_failures=0, misplaced_failures=False)
"""Streams whose document does not depend on the order of their rows."""


class _Maker:
    def __init__(self, rnd: Random, size: int, taste: Taste) -> None:
        self.rnd = rnd
        self.left = size
        self.taste = taste
        self.rows: list[Row] = []
        self.next_id = 1
        self.serial = 0
        self.boundaries = 0
        self.root_failures = taste.root_failures
        if rnd.randrange(10) == 9:
            self.root_failures = taste.brittle_root_failures

    def chance(self, percent: int) -> bool:
        return self.rnd.randrange(100) >= 100 - percent

    def leaf(self) -> LeafNode:
        self.serial += 1
        kind = self.rnd.randrange(8)
        if kind == 7:
            return ErrorNode("authored", f"e{self.serial}")
        if kind == 6:
            return ImageNode(data="aGk=", mime_type="image/png")
        if kind == 5:
            return JsonNode(Json.of({"n": self.serial, "é": [None]}))
        if kind == 4:
            return TextNode(f"t{self.serial}\n")
        return MarkdownNode(f"m{self.serial}")

    def items(self, depth: int, *, fallback: bool) -> list[Item]:
        count = self.rnd.randrange(4) if depth else 1 + self.rnd.randrange(4)
        return [self.item(depth, fallback=fallback) for _ in range(count)]

    def item(self, depth: int, *, fallback: bool) -> Item:
        if self.left <= 0 or depth > 7:
            return self.leaf()
        self.left -= 1
        kind = self.rnd.randrange(12)
        if kind < 2:
            made: Item = self.leaf()
        elif kind < 4:
            made = self.result(depth, fallback=fallback)
        elif kind < 5:
            made = self.items(depth + 1, fallback=fallback)
        elif kind < 8:
            made = LazyItem(self.row(depth, fallback=fallback))
        else:
            made = self.boundary(depth, fallback=fallback)
        return made

    def result(self, depth: int, *, fallback: bool) -> ResultItem | ResultNode:
        self.serial += 1
        value = metadata = None
        if not fallback and self.chance(self.taste.values):
            value = Json.of({"v": self.serial})
            if self.chance(50):
                # As a layout does: a container whose own metadata join those of the value.
                inner = ResultItem(self.items(depth + 2, fallback=False), value, self.metadata())
                return ResultItem([self.leaf(), inner], None, self.metadata())
        if self.chance(self.taste.metadata if value else self.taste.stray_metadata):
            metadata = self.metadata()
        items = self.items(depth + 1, fallback=fallback)
        if value is None and metadata is None:
            return finish_result(items) or ResultItem(items)
        return ResultItem(items, value, metadata)

    def metadata(self) -> Json:
        kind = self.rnd.randrange(4)
        if kind == 0:
            return Json.of(None)
        if kind == 1:
            return Json.of(self.serial)
        return Json.of({"shared": self.serial, f"k{self.serial}": self.serial})

    def row(self, depth: int, *, fallback: bool) -> int:
        failures = self.taste.failures if self.boundaries else self.root_failures
        if fallback:
            failures = self.taste.fallback_failures
        return self.place(depth, failures * self.taste.misplaced_failures, fallback=fallback)

    def place(self, depth: int, failures: int, *, fallback: bool) -> int:
        """Make a row that brings items or fails; it may be a chain of rows."""
        row = self.next_id
        self.next_id += 1
        if self.chance(failures):
            self.rows.append(ErrorRow(row, "boundary", f"row {row} broke"))
        else:
            self.rows.append(ModelRow(row, self.items(depth + 1, fallback=fallback)))
        return row

    def boundary(self, depth: int, *, fallback: bool) -> BoundaryItem:
        content: Sequence[Item] | ErrorRow | LazyItem
        kind = self.rnd.randrange(8)
        self.boundaries += 1
        if kind == 0:
            self.next_id += 1
            content = ErrorRow(-self.next_id, "boundary", "broke at once")
        elif kind < 3:
            content = self.items(depth + 1, fallback=fallback)
        else:
            content = LazyItem(self.place(depth, self.taste.failures, fallback=fallback))
        self.boundaries -= 1
        return BoundaryItem(content, self.fallback(depth))

    def fallback(self, depth: int) -> Sequence[Item]:
        if self.rnd.randrange(3):
            self.serial += 1
            return (ProgressNode(0, None, f"p{self.serial}"),)
        return self.items(depth + 1, fallback=True)

    def root(self) -> list[Item]:
        kind = self.rnd.randrange(10)
        if kind >= 8:
            return self.layout(kind - 7)
        if kind == 0:
            return self.items(0, fallback=False)
        if kind == 1:
            return [LazyItem(self.row(0, fallback=False))]
        if kind == 2:
            return [[], [self.result(0, fallback=False)]]
        self.serial += 1
        value = Json.of("root") if kind == 3 else None
        metadata = self.metadata() if self.chance(50) else None
        return [ResultItem(self.items(0, fallback=False), value, metadata)]

    def layout(self, count: int) -> list[Item]:
        """Layouts around a root, the outer first; each holds the next at any place."""
        if not count:
            return self.root()
        inner = self.layout(count - 1)
        held: Item = EnclosedItem([self.later(inner)] if self.chance(30) else inner, "root")
        kind = self.rnd.randrange(6)
        if kind == 0:
            held = self.later([[held]])
        elif kind == 1:
            held = self.covered(self.later([held]))
        elif kind == 2:
            # A value beside what comes late, and both below another result.
            value = ResultItem([], Json.of("layout")) if self.chance(30) else self.leaf()
            held = ResultItem([value, self.covered(self.later([held]))])
        elif kind == 3:
            # In a fallback nothing dissolves, and what stood there is gone in the end.
            shown = ResultItem(self.items(1, fallback=True), None, self.metadata())
            held = self.covered(self.later([]), EnclosedItem([shown], "root"))
        around = [*self.items(1, fallback=False), held, *self.items(1, fallback=False)]
        if self.rnd.randrange(5) == 0:
            return around if self.rnd.randrange(2) else [held]
        metadata = self.metadata() if self.chance(50) else None
        return [ResultItem(around, None, metadata)]

    def later(self, items: list[Item]) -> LazyItem:
        row = self.next_id
        self.next_id += 1
        self.rows.append(ModelRow(row, items))
        return LazyItem(row)

    def covered(self, content: LazyItem, *fallback: Item) -> BoundaryItem:
        return BoundaryItem(content, fallback or (ProgressNode(0, None, "p"),))


def make_stream(rnd: Random, size: int, taste: Taste = TASTE) -> list[Row]:
    """A stream of about *size* inner nodes, its rows in any order."""
    maker = _Maker(rnd, size, taste)
    root = ModelRow(0, maker.root())
    rows = sorted(maker.rows, key=lambda row: row.id)
    rows.insert(0, root)
    order = rnd.randrange(4)
    if order == 0:
        rows.reverse()
    elif order == 1:
        # Neighbours change places: rows come about when they would, but not quite.
        for i in range(len(rows) - 1):
            if rnd.randrange(2):
                rows[i], rows[i + 1] = rows[i + 1], rows[i]
    elif order == 2:
        rnd.shuffle(rows)
    return rows


# ---------------------------------------------------------------------------------- comparing


class DisagreementError(AssertionError):
    """The assembler and the oracle tell different things."""


def _require(truth: object, what: str, *evidence: object) -> None:
    if not truth:
        raise DisagreementError(": ".join([what, *map(str, evidence)]))


@attrs.define
class Kit:
    """The assembler's public names, as they are or with a fault in them."""

    assembler: type[Assembler]
    root_failed: type[Exception]


REAL: Final = Kit(Assembler, RootFailedError)


def run(rows: Sequence[Row], kit: Kit, counts: Counter[str]) -> str:
    """Feed rows to an assembler and to the oracle and compare all there is.

    Returns:
        How it ended: `complete`, `truncated`, `failed`, or the code of a contract error.

    Raises:
        DisagreementError: where they differ.
    """
    assembler = kit.assembler()
    oracle = Oracle(lambda what: counts.update([what]))
    kept: list[tuple[AgentDocument, Wire]] = []
    end = "truncated"
    for row in rows:
        expected = oracle.read(row)
        try:
            decisions = [_name(one) for one in assembler.feed(row)]
        except Exception as error:  # noqa: BLE001  # whatever it is, it must be the expected one
            _judge(error, expected, kit)
            end = getattr(error, "code", "failed")
            counts[end] += 1
            break
        _require(expected.failure is None, "the root has failed", expected.failure)
        _require(not expected.must_be_ambiguous, "two values meet")
        _require(decisions == expected.decisions, "decisions", decisions, expected.decisions)
        if expected.wire is not None:
            _compare_documents(assembler.document(), expected.wire, kept, bool(decisions))
        end = _finish(assembler, expected)
        counts[f"{end} so far"] += 1
        must_raise = expected.has_strays and not expected.is_truncated
        _require(not (must_raise and ("shell", "", -1) in decisions), "strays in the shell")
    else:
        counts[end] += 1
    for document, wire in kept:
        _require(_plain(document) == wire, "an old snapshot changed", wire)
    return end


def _judge(error: Exception, expected: Expectation, kit: Kit) -> None:
    if isinstance(error, kit.root_failed):
        _require(expected.failure is getattr(error, "row", None), "failure", expected.failure)
        return
    code = getattr(error, "code", None)
    if not isinstance(error, ContractError):
        raise DisagreementError(f"raised {error!r}") from error
    if code == "ambiguous-value":
        _require(expected.may_be_ambiguous, "no two values meet", error)
    else:
        _require(expected.has_strays and not expected.is_truncated, "no strays", error)


def _finish(assembler: Assembler, expected: Expectation) -> str:
    try:
        assembler.finish()
    except StreamError:
        _require(expected.is_truncated, "nothing is missed")
        return "truncated"
    except ContractError as error:
        _require(expected.has_strays and not expected.is_truncated, "no strays", error)
        return "invalid-document"
    except Exception as error:
        raise DisagreementError(f"the end raised {error!r}") from error
    _require(not expected.is_truncated, "something is missed")
    _require(not expected.has_strays, "there are strays")
    return "complete"


def _name(decision: object) -> Decision:
    row = getattr(decision, "error", None)
    kind = {"ShellShown": "shell", "BoundaryReplaced": "replace", "BoundaryFailed": "error"}
    boundary_id: str = getattr(decision, "boundary_id", "")
    return (kind[type(decision).__name__], boundary_id, -1 if row is None else row.id)


def _compare_documents(
    document: AgentDocument,
    wire: Wire,
    kept: list[tuple[AgentDocument, Wire]],
    decided: bool,
) -> None:
    text = document.wire_text()
    _require(json.loads(text) == wire, "document", text, json.dumps(wire))
    measured = document.size + document.root.media
    _require(measured == len(text.encode()), "size", measured, text)
    if kept:
        _compare_chunks(kept[-1][0].root, document.root, decided)
    kept.append((document, wire))


def _compare_chunks(old: object, new: object, decided: bool) -> None:
    """A row that decides nothing touches nothing that is seen."""
    assert isinstance(old, ResultNode)
    assert isinstance(new, ResultNode)
    if not decided:
        same = len(old._chunks) == len(new._chunks) and all(
            mine is theirs for mine, theirs in zip(old._chunks, new._chunks, strict=True)
        )
        _require(same, "what is seen was built anew, for nothing")


def _plain(document: AgentDocument) -> Wire:
    """The document read through its nodes, not through texts that chunks remember."""

    def read(node: LeafNode | ResultNode) -> Wire:
        if isinstance(node, ResultNode):
            return result_wire([read(child) for child in node.children], node.metadata)
        return cast("Wire", json.loads(node.wire_text()))

    wire: Wire = {"version": 1, "status": document.status, "root": read(document.root)}
    return wire if document.value is None else wire | {"value": document.value.value}


# ---------------------------------------------------------------------------------- faults

_MODULES: Final = ("rope", "tree", "boundary", "filling", "assembler")
_PACKAGE: Final = "trio_agent.protocol."


Change: TypeAlias = tuple[str, str, str]
"""The name of a module, what is replaced in it, and by what; it must be there once."""

SHORT_ROPE: Final[Sequence[Change]] = (
    ("rope", "WIDE: Final = 32", "WIDE: Final = 2"),
    ("rope", "NARROW: Final = 16", "NARROW: Final = 1"),
)


def load(changes: Sequence[Change]) -> Kit:
    """The assembler from its source, with changes."""
    fresh: dict[str, types.ModuleType] = {}

    def import_(
        name: str,
        namespace: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        names: Sequence[str] = (),
        level: int = 0,
    ) -> types.ModuleType:
        return fresh.get(name) or builtins.__import__(name, namespace, local, names, level)

    for name in _MODULES:
        source = Path(str(importlib.import_module(_PACKAGE + name).__file__)).read_text("utf-8")
        for where, old, new in changes:
            if where == name:
                assert source.count(old) == 1, f"{name} has {source.count(old)} times {old!r}"
                source = source.replace(old, new)
        module = types.ModuleType(_PACKAGE + name)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": import_}
        exec(compile(source, f"<{name}>", "exec"), module.__dict__)
        fresh[_PACKAGE + name] = module
    made = fresh[_PACKAGE + "assembler"]
    return Kit(made.Assembler, made.RootFailedError)
