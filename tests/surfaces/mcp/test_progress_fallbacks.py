"""Finding the progress nodes of snapshots: everything is found, and nothing is read twice."""

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from tests import strategies
from trio_agent.surfaces.mcp.results import fallbacks
from trio_agent.surfaces.mcp.results.content import leaves_of
from trio_agent.surfaces.mcp.results.fallbacks import FallbackSearch
from trio_agent.surfaces.mcp.results.progress import ProgressRule
from trio_agent.vocabulary.leaf import ProgressNode, TextNode
from trio_agent.vocabulary.result import Chunk, DocumentNode, ResultNode


def result(chunks: tuple[Chunk, ...]) -> ResultNode:
    return ResultNode(chunks, None, size=0, media=0, errors=0)


class Counted(tuple[DocumentNode, ...]):
    """Nodes that count how often they are read."""

    __slots__ = ()
    reads = 0

    def __reversed__(self) -> Iterator[DocumentNode]:
        Counted.reads += len(self)
        return iter(self[::-1])


def test_the_nodes_are_found_in_the_order_of_the_document() -> None:
    first, second, third = (ProgressNode(n) for n in range(3))
    root = ResultNode.of([first, ResultNode.of([TextNode("a"), second]), third])

    assert list(FallbackSearch().fresh(root)) == [first, second, third]
    assert list(FallbackSearch().fresh(first)) == [first]


def test_what_was_seen_is_not_found_again() -> None:
    search = FallbackSearch()
    old = Chunk((ProgressNode(1), ResultNode.of([ProgressNode(2)])))
    new = Chunk((ProgressNode(3),))

    assert len(list(search.fresh(result((old,))))) == 2
    assert list(search.fresh(result((old, new)))) == [ProgressNode(3)]


def test_a_thousand_snapshots_cost_what_changed() -> None:
    search = FallbackSearch()
    Counted.reads = 0
    chunks = [Chunk(Counted([TextNode("a")] * 32)) for _ in range(300)]
    list(search.fresh(result(tuple(chunks))))
    assert Counted.reads == 300 * 32

    for number in range(1000):
        chunks[number % 300] = Chunk(Counted([TextNode("b")] * 32))
        list(search.fresh(result(tuple(chunks))))

    assert Counted.reads == 1300 * 32


def test_the_memory_of_what_was_seen_does_not_grow_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fallbacks, "_FEW", 8)
    search = FallbackSearch()
    chunks = [Chunk((TextNode("a"),)) for _ in range(50)]

    for number in range(1000):
        chunks[number % 50] = Chunk((ProgressNode(number),))
        assert ProgressNode(number) in list(search.fresh(result(tuple(chunks))))
        assert len(search._seen) <= 2 * 51 + 51


def test_a_document_that_outgrows_the_memory_is_not_read_again_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fallbacks, "_FEW", 8)
    search = FallbackSearch()
    Counted.reads = 0
    chunks = [Chunk(Counted([TextNode("a")])) for _ in range(300)]

    for number in range(1000):
        chunks[number % 300] = Chunk(Counted([TextNode("b")]))
        list(search.fresh(result(tuple(chunks))))

    # Once when the memory is found too small, and then for every 150 snapshots or so.
    assert Counted.reads < 300 * 10 + 1000


@given(st.lists(strategies.nodes(), min_size=1, max_size=4), st.data())
def test_looking_at_what_is_new_says_the_same_as_looking_at_everything(
    parts: list[DocumentNode], data: st.DataObject
) -> None:
    chunks = [Chunk((part,)) for part in parts]
    chosen = st.lists(st.sampled_from(chunks), max_size=4)
    roots = [result(tuple(data.draw(chosen))) for _ in range(4)]
    quick, thorough = ProgressRule(), ProgressRule()
    search = FallbackSearch()
    for root in roots:
        found = [report for node in search.fresh(root) if (report := quick.show(node))]
        everything = [
            report
            for leaf in leaves_of(root)
            if isinstance(leaf, ProgressNode) and (report := thorough.show(leaf))
        ]

        assert found == everything
