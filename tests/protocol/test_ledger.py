"""The ledger: every rule of what is charged, given back and refused."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, strategies as st

from fuzz.rows import REAL, Taste, make_stream, run
from trio_agent.errors import LimitError
from trio_agent.limits import Limits
from trio_agent.protocol.ledger import ENVELOPE_BYTES, Account, Ledger
from trio_agent.protocol.rows import (
    BoundaryItem,
    EnclosedItem,
    ErrorRow,
    Item,
    LazyItem,
    ModelRow,
    ResultItem,
    Row,
)
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.leaf import ErrorNode
from trio_agent.vocabulary.node import LEAVES
from trio_agent.vocabulary.result import RESULT_ENVELOPE, ResultNode

CLEAN = Taste(
    root_failures=0, brittle_root_failures=0, fallback_failures=0, misplaced_failures=False
)


def ledger(
    *, max_bytes: int = 10**9, max_nodes: int = 10**9, max_media: int = 10**9, depth: int = 64
) -> Ledger:
    return Ledger(
        Limits(
            max_document_bytes=max_bytes,
            max_document_nodes=max_nodes,
            max_media_bytes=max_media,
            max_document_depth=depth,
        )
    )


def charge(to: Ledger, account: Account, size: int = 0, nodes: int = 0, media: int = 0) -> None:
    account.size += size
    account.nodes += nodes
    account.media += media
    to.post(account)


def held(of: Ledger) -> tuple[int, int, int]:
    """Totals beyond what an empty document has."""
    return of.size - ENVELOPE_BYTES, of.nodes - 1, of.media


def test_the_envelope_is_charged_beforehand() -> None:
    empty = AgentDocument(status="represented-error", root=ResultNode.of(()))
    assert ledger().size == empty.size
    assert ledger().nodes == empty.root.nodes


def test_what_is_added_to_an_account_counts_once_it_is_posted() -> None:
    book = ledger()
    account = book.open()
    account.size, account.nodes, account.media = 5, 2, 3
    assert held(book) == (0, 0, 0)
    book.post(account)
    book.post(account)
    assert held(book) == (5, 2, 3)


def test_content_that_waits_counts_with_its_fallback_or_with_itself_where_that_is_more() -> None:
    book = ledger()
    content = book.open(book.open())
    cover = book.open_fallback(content)
    charge(book, cover, size=10, nodes=1, media=4)
    charge(book, content, size=3, nodes=2)
    assert held(book) == (10, 2, 4)
    charge(book, content, size=9)
    assert held(book) == (12, 2, 4)
    charge(book, cover, size=5)
    assert held(book) == (15, 2, 4)


def test_finished_content_counts_with_itself_alone() -> None:
    book = ledger()
    content = book.open()
    cover = book.open_fallback(content)
    charge(book, cover, size=10, nodes=5, media=4)
    charge(book, content, size=3, nodes=1)
    book.finish(content)
    assert held(book) == (3, 1, 0)


def test_content_without_a_fallback_can_be_finished_too() -> None:
    book = ledger()
    content = book.open()
    content.size = 3
    book.finish(content)
    assert held(book) == (3, 0, 0)


def test_what_is_nested_in_a_fallback_goes_with_it() -> None:
    book = ledger()
    content = book.open()
    cover = book.open_fallback(content)
    nested = book.open(cover)
    nested_cover = book.open_fallback(nested)
    charge(book, nested, size=7)
    charge(book, nested_cover, size=20)
    assert held(book) == (20, 0, 0)
    book.finish(content)
    assert held(book) == (0, 0, 0)
    charge(book, nested, size=100)
    charge(book, nested_cover, size=100)
    charge(book, cover, size=100)
    charge(book, book.open(nested), size=100)
    charge(book, book.open(cover), size=100)
    charge(book, book.open_fallback(book.open(nested)), size=100)
    assert held(book) == (0, 0, 0)


def test_hidden_content_counts() -> None:
    book = ledger()
    outer = book.open()
    book.open_fallback(outer)
    inner = book.open(outer)
    charge(book, inner, size=7, nodes=1)
    assert held(book) == (7, 1, 0)


def test_failed_content_is_given_back_with_all_that_is_nested_and_an_error_node_counts() -> None:
    book = ledger()
    root = book.open()
    charge(book, root, size=1)
    content = book.open(root)
    cover = book.open_fallback(content)
    nested = book.open(content)
    charge(book, content, size=50, nodes=5, media=8)
    charge(book, cover, size=60, nodes=1)
    charge(book, nested, size=70, nodes=7)
    charge(book, book.open(nested), size=80, nodes=8)
    book.fail(content, 30)
    assert held(book) == (1 + 30 + 1, 1, 0)


def test_failed_content_is_charged_no_more() -> None:
    book = ledger()
    content = book.open()
    nested = book.open(content)
    book.fail(content, 30)
    charge(book, content, size=100)
    charge(book, nested, size=100)
    charge(book, book.open(content), size=100)
    charge(book, book.open_fallback(content), size=100)
    book.finish(content)
    book.fail(nested, 100)
    assert held(book) == (31, 1, 0)


def test_a_failure_inside_of_a_failed_boundary_gives_back_the_error_node_too() -> None:
    book = ledger()
    outer = book.open()
    inner = book.open(outer)
    book.fail(inner, 10)
    assert held(book) == (11, 1, 0)
    book.fail(outer, 20)
    assert held(book) == (21, 1, 0)


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ((ENVELOPE_BYTES + 10, 1000, 1000), "document-bytes-exceeded"),
        ((1000, 11, 1000), "document-node-count-exceeded"),
        ((1000, 1000, 10), "media-bytes-exceeded"),
    ],
)
def test_at_the_limit_passes_and_one_more_fails(limits: tuple[int, int, int], code: str) -> None:
    book = ledger(max_bytes=limits[0], max_nodes=limits[1], max_media=limits[2])
    account = book.open()
    charge(book, account, size=10, nodes=10, media=10)
    with pytest.raises(LimitError) as caught:
        charge(book, account, size=1, nodes=1, media=1)
    assert caught.value.code == code
    has = {"document-bytes-exceeded": limits[0] + 1, "document-node-count-exceeded": 12}
    assert f" {has.get(code, 11)} " in caught.value.message


def test_an_error_message_alone_can_break_a_limit() -> None:
    book = ledger(max_bytes=ENVELOPE_BYTES + 10)
    content = book.open()
    with pytest.raises(LimitError, match="the limit is"):
        book.fail(content, 10)


def test_what_was_given_back_makes_room() -> None:
    book = ledger(max_bytes=ENVELOPE_BYTES + 10)
    content = book.open()
    charge(book, book.open_fallback(content), size=10)
    book.finish(content)
    charge(book, book.open(), size=10)
    assert held(book) == (10, 0, 0)


def test_depth_is_held_against_its_own_limit() -> None:
    book = ledger(depth=3)
    book.check_depth(3)
    with pytest.raises(LimitError, match="4 levels deep, the limit is 3") as caught:
        book.check_depth(4)
    assert caught.value.code == "document-depth-exceeded"


# ---------------------------------------------------------------------------------- the promise


class Walker:
    """Charges finished rows as whoever walks does: every node with a byte for its comma."""

    def __init__(self, rows: list[Row]) -> None:
        self.book = ledger()
        self.rows = {row.id: row for row in rows}
        account = self.book.open()
        self.walk(self.items_of(0), account)
        self.book.post(account)

    def items_of(self, row: int) -> Item:
        model = self.rows[row]
        assert isinstance(model, ModelRow)
        return list(model.items)

    def walk(self, item: Item, account: Account) -> None:
        if isinstance(item, (list, tuple, EnclosedItem)):
            for one in item.items if isinstance(item, EnclosedItem) else item:
                self.walk(one, account)
        elif isinstance(item, ResultItem):
            account.size += RESULT_ENVELOPE + 1
            account.nodes += 1
            for json in (item.value, item.metadata):
                account.size += 0 if json is None else json.size
                account.nodes += 0 if json is None else json.nodes
            self.walk(item.items, account)
        elif isinstance(item, ResultNode):
            self.walk(ResultItem(item.children), account)
        elif isinstance(item, LazyItem):
            self.walk(self.items_of(item.row), account)
        elif isinstance(item, BoundaryItem):
            self.walk_boundary(item, account)
        else:
            assert type(item) in LEAVES
            account.size += getattr(item, "size", 0) + 1
            account.nodes += getattr(item, "nodes", 0)
            account.media += getattr(item, "media", 0)

    def walk_boundary(self, item: BoundaryItem, account: Account) -> None:
        content = self.book.open(account)
        brought = item.content
        if isinstance(brought, LazyItem):
            row = self.rows[brought.row]
            brought = row if isinstance(row, ErrorRow) else row.items
        if isinstance(brought, ErrorRow):
            self.book.fail(content, ErrorNode(brought.code, brought.message).size)
        else:
            self.walk(brought, content)
            self.book.finish(content)


@given(st.integers(0, 2**64 - 1), st.integers(1, 60))
def test_a_finished_document_is_never_larger_than_its_charge(seed: int, size: int) -> None:
    rows = make_stream(Random(seed), size, CLEAN)
    if run(rows, REAL, Counter()) != "complete":
        return
    assembler = REAL.assembler()
    for row in rows:
        assembler.feed(row)
    document = assembler.document()
    book = Walker(rows).book
    value = 0 if document.value is None else document.value.nodes
    assert document.size <= book.size
    assert document.root.nodes + value <= book.nodes
    assert document.root.media == book.media
