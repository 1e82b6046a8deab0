from hypothesis import given, strategies as st

from trio_agent import Agent
from trio_agent.surfaces.cli.terminal.placeholders import Placeholder, following
from trio_agent.vocabulary.leaf import ProgressNode
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.result import ResultNode

A, B, C, D = (Agent.Progress(message=name) for name in "abcd")
TEXT = Agent.Text("x")


def root(*nodes: "LeafNode | ResultNode") -> ResultNode:
    return ResultNode.of(nodes)


def told(*documents: ResultNode) -> list[tuple[str | None, int, float]]:
    """Name, depth and time of each placeholder of the last document; one comes each second."""
    placeholders: list[Placeholder] = []
    for now, document in enumerate(documents):
        placeholders = list(following(placeholders, document, float(now)))
    return [(one.node.message, one.depth, one.since) for one in placeholders]


def test_a_placeholder_keeps_its_time_while_its_neighbours_come_and_go() -> None:
    assert told(root(A, B, C), root(TEXT, TEXT, B, C), root(B, TEXT)) == [("b", 0, 0.0)]


def test_what_stands_in_place_of_another_was_revealed_by_it() -> None:
    assert told(root(A, B), root(TEXT, C, D, B)) == [("c", 1, 1.0), ("d", 1, 1.0), ("b", 0, 0.0)]
    assert told(root(A, B), root(A, C)) == [("a", 0, 0.0), ("c", 1, 1.0)]
    assert told(root(A), root(B), root(C), root(D)) == [("d", 3, 3.0)]


def test_what_stands_in_place_of_nothing_is_as_deep_as_its_results() -> None:
    assert told(root(A), root(A, TEXT, B)) == [("a", 0, 0.0), ("b", 0, 1.0)]
    assert told(root(TEXT, root(TEXT, A), B)) == [("a", 1, 0.0), ("b", 0, 0.0)]
    assert told(root(TEXT, root(TEXT, root(TEXT, A)))) == [("a", 2, 0.0)]


def test_the_deeper_of_both_counts() -> None:
    assert told(root(A), root(TEXT, root(TEXT, B))) == [("b", 1, 1.0)]
    assert told(root(A), root(TEXT, root(TEXT, root(TEXT, B)))) == [("b", 2, 1.0)]


def test_one_node_in_two_places_is_two_placeholders() -> None:
    assert told(root(A), root(A, TEXT, A)) == [("a", 0, 0.0), ("a", 0, 1.0)]
    assert told(root(A, A), root(TEXT, A)) == [("a", 0, 0.0)]


@given(st.lists(st.lists(st.sampled_from([A, B, C, D]), max_size=6), min_size=1, max_size=5))
def test_there_is_one_for_each_node_in_order(documents: list[list[ProgressNode]]) -> None:
    placeholders: list[Placeholder] = []
    for now, nodes in enumerate(documents):
        before = placeholders
        placeholders = list(following(before, root(TEXT, *nodes), float(now)))
        assert [one.node for one in placeholders] == nodes
        assert all(one in before or one.since == now for one in placeholders)
        assert all(0 <= one.depth <= now for one in placeholders)
