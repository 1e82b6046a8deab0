"""The assembler alone, on rows as React shapes them, against a slow reading; and planted faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import example, given, strategies as st

from fuzz.rows import (
    CALM,
    REAL,
    SHORT_ROPE,
    Change,
    DisagreementError,
    Kit,
    load,
    make_stream,
    run,
)
from trio_agent.errors import ContractError
from trio_agent.protocol.rows import ModelRow, Row

SHORT = load(SHORT_ROPE)
ENOUGH = 1500
"""Streams in which every planted fault must show.  The slowest needs a fifth of them."""


def streams() -> st.SearchStrategy[tuple[int, int]]:
    """A seed and a size: the seed decides everything, the size is what can be made smaller."""
    return st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 60))


@given(streams(), st.sampled_from((REAL, SHORT)))
@example((0, 300), REAL)
@example((1, 300), SHORT)
def test_the_assembler_says_after_every_row_what_a_walk_from_the_start_says(
    stream: tuple[int, int], kit: Kit
) -> None:
    seed, size = stream
    run(make_stream(Random(seed), size), kit, Counter())


@given(streams(), st.integers(0, 2**64 - 1))
def test_any_order_of_the_rows_gives_the_same_document(
    stream: tuple[int, int], shuffle: int
) -> None:
    seed, size = stream
    rows = make_stream(Random(seed), size, CALM)
    shuffled = [*rows]
    Random(shuffle).shuffle(shuffled)
    assert assemble(rows) == assemble(shuffled)


def assemble(rows: Sequence[Row]) -> str:
    assembler = REAL.assembler()
    try:
        for row in rows:
            assembler.feed(row)
        assembler.finish()
    except ContractError as error:
        return error.code
    return assembler.document().wire_text()


def run_many(kit: Kit) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in range(ENOUGH):
        run(make_stream(Random(seed), 1 + seed % 40), kit, counts)
    return counts


def test_the_streams_hold_enough_of_everything_that_matters() -> None:
    counts = run_many(SHORT)
    least = {
        "complete": 800,
        "complete so far": 1500,
        "truncated so far": 3000,
        "replace": 400,
        "error": 100,
        "error in shell": 300,
        "error revealed": 100,
        "failed unseen": 100,
        "fallback holds its surroundings up": 150,
        "fallback failed": 5,
        "a row is another row's place": 150,
        "settled into boundaries": 50,
        "a root dissolves": 300,
        "ambiguous-value": 20,
        "invalid-document": 15,
        "failed": 20,
    }
    assert {what: counts[what] for what in least if counts[what] < least[what]} == {}


FAULTS: dict[str, Change] = {
    # tree: totals, merging, climbing
    "bytes of a change are lost": ("tree", "self.size += part.size - old.size", ""),
    "media of a change are lost": ("tree", "self.media += part.media - old.media", ""),
    "errors of a change are lost": ("tree", "self.errors += part.errors - old.errors", ""),
    "strays of a change are lost": ("tree", "self.strays += part.strays - old.strays", ""),
    "commas of a change are lost": ("tree", "self.length += part.length - old.length", ""),
    "strays are forgotten": ("tree", "else self.strays + 1", "else self.strays"),
    "a late value is ignored": ("tree", "if part.adoption is not old.adoption:", "if False:"),
    "the second value wins": (
        "tree",
        "if len(valued) > 1:",
        "if False:",
    ),
    "inner metadata win": ("tree", "{**theirs, **mine}", "{**mine, **theirs}"),
    "metadata do not join": ("tree", "isinstance(mine, dict)", "False"),
    "the inner of two scalars wins": ("tree", "    return outer\n", "    return inner\n"),
    "a result with a value does not dissolve": (
        "tree",
        "if self._is_result and self.offer is None:",
        "if self._is_result and self.parent is not None:",
    ),
    "what climbed before stays": ("tree", " if one is not before", ""),
    "a value stands around its root": (
        "tree",
        "(*valued, *reversed([one for one in adopted if one.value is None]))",
        "(*reversed([one for one in adopted if one.value is None]), *valued)",
    ),
    "a change does not leave its context": ("tree", "group.top.climbed()", ""),
    # rope
    "the segment is the one before": ("rope", "len(segments) - 1)", "len(segments) - 2)"),
    "segments forget where they begin": (
        "rope",
        "enumerate(self.gaps, self.first)",
        "enumerate(self.gaps)",
    ),
    "the tail is lost": ("rope", "if done < len(still):", "if False:"),
    "a gap is repeated": ("rope", "current, gap = None, ()", "current = None"),
    "a long part is lost": ("rope", "chunks += part.chunks", ""),
    # boundary
    "an error is not for good": (
        "boundary",
        "        if self.content.error is not None:\n            return",
        "        if self.content.error is not None and not self.content.pending:\n            return",
    ),
    "the last failure wins": ("boundary", "while context.error is None:", "while True:"),
    "a fallback does not hold its surroundings up": (
        "boundary",
        "elif self._fallback is not None and self._fallback.pending:",
        "elif False:",
    ),
    "a fallback's failure stays inside": (
        "boundary",
        "boundary.surroundings.error = context.error",
        "return",
    ),
    "surroundings are never released": ("boundary", "self.surroundings.pending -= 1", ""),
    "surroundings are released twice": (
        "boundary",
        "self._blocking = False\n        self.s",
        "self.s",
    ),
    "a released context does not settle": (
        "boundary",
        "                if not boundary.release_surroundings():\n                    return\n",
        "                boundary.release_surroundings()\n                return\n",
    ),
    "what a fallback holds is seen for ever": (
        "boundary",
        "        self.place()\n",
        "",
    ),
    "hidden content climbs": (
        "boundary",
        "return self._cover or self.fallback.group.part()",
        "return self.content.group.part()",
    ),
    # filling
    "rows land in the wrong order": ("filling", "reversed(self._fresh)", "self._fresh"),
    "a lazy is not waited for": ("filling", "self._context.pending += 1", ""),
    "content is not waited for": ("filling", "            content.pending += 1", ""),
    "a boundary stands one too early": (
        "filling",
        "boundary.attach(len(self._still))",
        "boundary.attach(max(0, len(self._still) - 1))",
    ),
    "a fallback has its boundary's path": ("boundary", '(*self.path, "f")', "self.path"),
    "lists take an index": (
        "filling",
        "                    runs.append(iter(self",
        "                    self._index += 1\n                    runs.append(iter(self",
    ),
    "the root of what is enclosed does not dissolve": (
        "filling",
        "        return only.items\n",
        "        return item.items\n",
    ),
    "a finished root does not dissolve": (
        "filling",
        "            return only.children\n",
        "            return item.items\n",
    ),
    "metadata of a root are lost": (
        "filling",
        "if only.value is not None or only.metadata is not None:",
        "if only.value is not None:",
    ),
    "a root in a row of its own does not dissolve": (
        "filling",
        "self._add_lazy(only, item.name)",
        "self._add_lazy(only)",
    ),
    "a root at the end of a chain of rows does not dissolve": (
        "assembler",
        "attrs.evolve(slot, enclosed=find_enclosing(items, only))",
        "slot",
    ),
    "a root climbs out of a fallback": (
        "filling",
        " or not self._context.may_carry_value",
        "",
    ),
    "values of unchanging results are lost": ("filling", "self._group.adopt(part.adoption)", ""),
    "media of finished nodes are lost": ("filling", "media += node.media", ""),
    # assembler
    "rows land in what was dropped": ("assembler", "if context.is_dropped:", "if False:"),
    "hidden failures are not told": (
        "assembler",
        "            if error is not None:\n                decisions.append(BoundaryFailed(boundary.id, error))\n            is_pending",
        "            is_pending",
    ),
    "visibility is not asked": ("assembler", 'if boundary.told != "pending":', "if False:"),
    "nothing is revealed by a replace": (
        "assembler",
        "                self._reveal(boundary.content, decisions)\n",
        "",
    ),
    "the order is turned round": ("assembler", "reverse=True", "reverse=False"),
    "what is nested is not looked at": (
        "assembler",
        "if boundary.showing is not None:",
        "if False:",
    ),
    "hidden boundaries are missed": (
        "assembler",
        "_ordered(boundary.showing)",
        "_ordered(boundary.content)",
    ),
    "nothing is ever missed": ("assembler", 'if boundary.state == "pending":', "if False:"),
    "the shell does not wait": ("assembler", "if root.pending:", "if False:"),
    "strays are asked for too late": (
        "assembler",
        "if not self._reveal(root, decisions):",
        "if self._reveal(root, decisions) and False:",
    ),
    "the wrapper is never left out": (
        "assembler",
        "if context is self._root:",
        "if False:",
    ),
    "a finished root is wrapped": ("assembler", "isinstance(only, ResultNode)", "False"),
    "the wrapper is decided by what a boundary becomes": (
        "assembler",
        "root=group.to_node(),",
        "root=group.chunks[0].nodes[0] if group.length == 1 else group.to_node(),",
    ),
    "a list around the root is a list": (
        "filling",
        "if isinstance(item, (list, tuple)):\n                runs.append(item)\n",
        "if False:\n                runs.append(item)\n",
    ),
    "a chain of rows makes levels": ("assembler", "if isinstance(only, LazyItem):", "if False:"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    kit = load((*SHORT_ROPE, FAULTS[fault]))
    with pytest.raises(DisagreementError):
        run_many(kit)


def test_the_comparison_tells_what_differs() -> None:
    kit = load((FAULTS["bytes of a change are lost"],))
    with pytest.raises(DisagreementError, match=r"^size: \d+: \{"):
        run_many(kit)


def test_a_crash_of_the_assembler_is_a_disagreement() -> None:
    kit = load((("assembler", "construction.arrive(row)", "raise KeyError(row.id)"),))
    with pytest.raises(DisagreementError, match="raised KeyError"):
        run([ModelRow(0, [])], kit, Counter())
