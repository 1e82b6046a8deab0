"""The rope: one change renders one segment, and all other chunks stay the same objects."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.protocol.rope import NARROW, WIDE, Rope
from trio_agent.vocabulary.leaf import TextNode
from trio_agent.vocabulary.result import Chunk, DocumentNode


@attrs.frozen(eq=False)
class Some:
    """A part of so many nodes."""

    nodes: tuple[DocumentNode, ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        half = len(self.nodes) // 2
        return tuple(Chunk(run) for run in (self.nodes[:half], self.nodes[half:]) if run)

    @property
    def length(self) -> int:
        return len(self.nodes)


def texts(name: str, count: int) -> tuple[DocumentNode, ...]:
    return tuple(TextNode(f"{name}{i}") for i in range(count))


def flat(rope: Rope[Some]) -> list[DocumentNode]:
    assert all(chunk.nodes for chunk in rope.chunks)
    return [node for chunk in rope.chunks for node in chunk.nodes]


def of_parts(count: int) -> Rope[Some]:
    rope: Rope[Some] = Rope()
    for i in range(count):
        assert rope.add(0, Some(texts(f"p{i}.", 1))) == i
    rope.seal(())
    return rope


def test_a_rope_of_parts_that_show_nothing_has_no_chunks() -> None:
    rope: Rope[Some] = Rope()
    rope.add(0, Some(()))
    rope.seal(())
    assert rope.chunks == ()
    rope.replace(0, Some(texts("a", 2)))
    assert flat(rope) == [*texts("a", 2)]


def test_replacing_returns_the_old_part() -> None:
    rope = of_parts(2)
    first, second = Some(()), Some(())
    rope.replace(1, first)
    assert rope.replace(1, second) is first


@pytest.mark.parametrize("width", [0, 1, NARROW, NARROW + 1, 500])
@pytest.mark.parametrize("index", [0, WIDE - 1, WIDE, 4 * WIDE - 1])
def test_a_change_leaves_the_chunks_of_other_segments_alone(index: int, width: int) -> None:
    rope = of_parts(4 * WIDE)
    before = rope.chunks
    assert len(before) == 4
    rope.replace(index, Some(texts("new", width)))
    assert sum(chunk in rope.chunks for chunk in before) == 3
    assert rope.chunks.index(before[-1 if index < WIDE else 0]) in {0, len(rope.chunks) - 1}
    fresh = [node for chunk in rope.chunks if chunk not in before for node in chunk.nodes]
    assert len(fresh) == WIDE - 1 + width


def test_a_long_part_keeps_the_chunks_it_came_with() -> None:
    class Long:
        chunks = (Chunk(texts("a", NARROW)), Chunk(texts("b", 1)))
        length = NARROW + 1

    rope: Rope[Long | Some] = Rope()
    rope.add(1, Long())
    rope.add(1, Some(texts("c", 1)))
    rope.seal(texts("s", 2))
    assert rope.chunks[1:3] == Long.chunks
    rope.replace(1, Some(()))
    assert rope.chunks[1:3] == Long.chunks


def test_a_long_gap_is_a_chunk_of_its_own_for_good() -> None:
    rope: Rope[Some] = Rope()
    rope.add(WIDE + 1, Some(texts("a", 1)))
    rope.seal(texts("s", WIDE + 1))
    gap = rope.chunks[0]
    assert gap.nodes == texts("s", WIDE + 1)
    rope.replace(0, Some(texts("b", 1)))
    assert rope.chunks[0] is gap


def test_short_gaps_stay_with_the_parts_between_them_as_long_as_there_is_room() -> None:
    rope: Rope[Some] = Rope()
    rope.add(WIDE // 2, Some(texts("a", 1)))
    rope.add(WIDE, Some(texts("b", 1)))
    rope.add(WIDE + 1, Some(texts("c", 1)))
    rope.seal(texts("s", WIDE + 2))
    assert [len(chunk.nodes) for chunk in rope.chunks] == [WIDE + 2, 2, 1]


gaps = st.integers(0, 3) | st.integers(WIDE - 2, WIDE + 2)
widths = st.integers(0, 3) | st.integers(NARROW - 1, NARROW + 2)


@given(
    st.lists(st.tuples(gaps, widths), min_size=1, max_size=100),
    gaps,
    st.lists(st.tuples(st.integers(0, 99), widths), max_size=30),
)
def test_a_rope_holds_what_a_list_holds(
    layout: list[tuple[int, int]], tail: int, changes: list[tuple[int, int]]
) -> None:
    still = texts("s", sum(gap for gap, _ in layout) + tail)
    parts = [Some(texts(f"p{i}.", width)) for i, (_, width) in enumerate(layout)]
    rope: Rope[Some] = Rope()
    starts = [sum(gap for gap, _ in layout[: i + 1]) for i in range(len(layout))]
    for start, part in zip(starts, parts, strict=True):
        rope.add(start, part)
    rope.seal(still)

    def expected() -> list[DocumentNode]:
        nodes: list[DocumentNode] = []
        for (gap, _), start, part in zip(layout, starts, parts, strict=True):
            nodes += (*still[start - gap : start], *part.nodes)
        return [*nodes, *still[starts[-1] :]]

    assert flat(rope) == expected()
    for i, (at, width) in enumerate(changes):
        kept = rope.chunks
        copy = [chunk.nodes for chunk in kept]
        part = parts[at % len(parts)] = Some(texts(f"c{i}.", width))
        rope.replace(at % len(parts), part)
        assert flat(rope) == expected()
        assert [chunk.nodes for chunk in kept] == copy
