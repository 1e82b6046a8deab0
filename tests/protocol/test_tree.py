"""The persistent tree: totals that climb, results that dissolve, values that meet."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trio_agent.errors import ContractError
from trio_agent.protocol.tree import Adoption, Group, Part, join_metadata
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, TextNode
from trio_agent.vocabulary.media import ImageNode
from trio_agent.vocabulary.result import DocumentNode, ResultNode

IMAGE = ImageNode(data="aGk=", mime_type="image/png")
ERROR = ErrorNode("code", "message")
TEXT = TextNode("text")


class Screen:
    """Counts how often it is told of a change."""

    def __init__(self) -> None:
        self.told = 0

    def climbed(self) -> None:
        self.told += 1


def part_of(*nodes: DocumentNode, adoption: Adoption | None = None, strays: int = 0) -> Part:
    group = Group(Screen(), None, "elsewhere")
    fill(group, nodes)
    part = group.part()
    part.adoption, part.strays = adoption, strays
    return part


def fill(group: Group, nodes: Sequence[DocumentNode], live: Sequence[Part] = ()) -> None:
    """Nodes that stay, then parts that may change."""
    totals = Part()
    for node in nodes:
        totals.length += 1
        totals.size += node.size
        totals.media += node.media
        totals.errors += node.errors
    for part in live:
        group.add_live(len(nodes), part)
        totals.length += part.length
        totals.size += part.size
        totals.media += part.media
        totals.errors += part.errors
        totals.strays += part.strays
        group.adopt(part.adoption)
    group.seal(nodes, totals)


def test_a_group_of_what_stays_is_one_chunk() -> None:
    group = Group(Screen(), None, "0")
    fill(group, [TEXT, IMAGE])
    assert [chunk.nodes for chunk in group.chunks] == [(TEXT, IMAGE)]
    assert not group.is_live
    assert group.to_node() == ResultNode.of([TEXT, IMAGE])


def test_an_empty_group_has_no_chunks() -> None:
    group = Group(Screen(), None, "0")
    fill(group, [])
    assert group.chunks == ()
    assert group.to_node().size == ResultNode.of([]).size


def test_a_change_climbs_through_all_groups_and_tells_the_top_once() -> None:
    screen = Screen()
    outer, inner = Group(screen, None, ""), None
    inner = Group(screen, outer, "1")
    inner.become_result(None, None)
    fill(inner, [TEXT], [Part()])
    inner.index = 0
    fill(outer, [TEXT], [inner.part()])
    before = outer.to_node()
    inner.replace(0, part_of(IMAGE, ERROR, strays=1))
    after = outer.to_node()
    assert screen.told == 1
    assert before == ResultNode.of([TEXT, ResultNode.of([TEXT])])
    wanted = ResultNode.of([TEXT, ResultNode.of([TEXT, IMAGE, ERROR])])
    assert after == wanted
    assert (after.size, after.media, after.errors) == (wanted.size, wanted.media, 1)
    assert outer.strays == 1


def test_a_group_that_cannot_change_refuses_to() -> None:
    group = Group(Screen(), None, "0")
    fill(group, [TEXT])
    with pytest.raises(AssertionError, match="without live parts"):
        group.replace(0, Part())


# ---------------------------------------------------------------------------------- merging


def test_a_result_without_a_value_is_one_node_and_its_metadata_are_a_stray() -> None:
    group = Group(Screen(), None, "0")
    group.become_result(None, Json.of({"a": 1}))
    fill(group, [TEXT])
    part = group.part()
    assert [chunk.nodes for chunk in part.chunks] == [(ResultNode.of([TEXT], Json.of({"a": 1})),)]
    assert (part.length, part.strays, part.adoption) == (1, 1, None)


def test_a_result_with_a_value_dissolves_and_its_metadata_are_no_stray() -> None:
    group = Group(Screen(), None, "0")
    group.become_result(Json.of(None), Json.of({"a": 1}))
    fill(group, [TEXT, IMAGE])
    part = group.part()
    assert (part.length, part.strays) == (2, 0)
    assert part.adoption is not None
    assert part.adoption.value == Json.of(None)
    assert part.adoption.metadata == Json.of({"a": 1})
    assert part.adoption.place == "0"


def test_a_container_adopts_a_value_late_and_dissolves_then() -> None:
    screen = Screen()
    outer = Group(screen, None, "")
    inner = Group(screen, outer, "0")
    inner.become_result(None, Json.of({"from": "layout", "layout": 1}))
    fill(inner, [TEXT], [Part()])
    inner.index = 0
    fill(outer, [], [inner.part()])
    assert outer.strays == 1
    adoption = Adoption(Json.of(1), Json.of({"from": "route", "route": 2}), "0.1")
    inner.replace(0, part_of(IMAGE, adoption=adoption))
    assert outer.offer is not None
    assert outer.offer.value == Json.of(1)
    assert outer.offer.place == "0.1"
    node = outer.to_node()
    assert node.children == (TEXT, IMAGE)
    assert node.metadata == Json.of({"from": "layout", "route": 2, "layout": 1})
    assert node.size == len(node.wire_text()) - node.media
    assert outer.strays == 0


def test_two_values_that_meet_name_both_places() -> None:
    group = Group(Screen(), None, "")
    first = part_of(adoption=Adoption(Json.of(1), None, "0.1"))
    fill(group, [], [first, Part()])
    with pytest.raises(ContractError, match=r": 0\.1 and 2; ") as caught:
        group.replace(1, part_of(adoption=Adoption(Json.of(2), None, "2")))
    assert caught.value.code == "ambiguous-value"


def test_a_value_of_its_own_meets_one_that_climbs() -> None:
    group = Group(Screen(), None, "0")
    group.become_result(Json.of(1), None)
    with pytest.raises(ContractError, match=r": 0 and 0\.3; "):
        group.adopt(Adoption(Json.of(1), None, "0.3"))


def test_the_same_value_climbing_again_is_no_second_one() -> None:
    group = Group(Screen(), None, "")
    adoption = Adoption(Json.of(1), None, "0")
    fill(group, [], [part_of(adoption=adoption)])
    group.replace(0, part_of(TEXT, adoption=adoption))
    assert group.offer is adoption


OBJECT, OTHER = Json.of({"a": 1, "b": {"x": 1}}), Json.of({"b": {"y": 2}, "c": 3})
NULL, LIST = Json.of(None), Json.of([1])


@pytest.mark.parametrize(
    ("outer", "inner", "joined"),
    [
        (None, None, None),
        (None, OBJECT, OBJECT),
        (None, NULL, NULL),
        (OBJECT, None, OBJECT),
        (OBJECT, OTHER, Json.of({"b": {"x": 1}, "c": 3, "a": 1})),
        (NULL, OBJECT, NULL),
        (OBJECT, NULL, OBJECT),
        (Json.of("container"), OBJECT, Json.of("container")),
        (OBJECT, LIST, OBJECT),
        (LIST, Json.of([2]), LIST),
    ],
)
def test_metadata_join_one_level_deep_and_the_outer_win(
    outer: Json | None, inner: Json | None, joined: Json | None
) -> None:
    assert join_metadata(outer, inner) == joined
