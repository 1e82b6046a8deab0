"""Contexts and boundaries: who waits for whom, who fails with whom, and what is shown."""

from __future__ import annotations

import pytest

from trio_agent.errors import ContractError
from trio_agent.protocol.boundary import Boundary, Context, spell_path
from trio_agent.protocol.rows import ErrorRow
from trio_agent.protocol.tree import Group, Part
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, TextNode
from trio_agent.vocabulary.result import DocumentNode

BROKE = ErrorRow(7, "boundary", "broke")
CONTENT, FALLBACK = TextNode("content"), TextNode("fallback")


def show(group: Group, *nodes: DocumentNode) -> None:
    totals = Part()
    totals.length = len(nodes)
    totals.size = sum(node.size for node in nodes)
    group.seal(nodes, totals)


def state_of(boundary: Boundary) -> str:
    return boundary.state


def dropped(*contexts: Context) -> list[bool]:
    return [context.is_dropped for context in contexts]


def shown_in(group: Group) -> list[DocumentNode]:
    return [node for chunk in group.chunks for node in chunk.nodes]


class Scene:
    """A root with one boundary in it, and one in the content of that."""

    def __init__(self, *, inner_fallback_waits: bool = False) -> None:
        self.dirty: list[Boundary] = []
        self.root = Context(None, (), may_carry_value=True)
        self.outer = Boundary(self.root, self.root.group, (0,))
        self.inner = Boundary(self.outer.content, self.outer.content.group, (0, 0))
        self.root.add(self.outer)
        self.outer.content.add(self.inner)
        self.inner.content.pending = 1
        self.inner.fallback.pending = int(inner_fallback_waits)
        for boundary in (self.inner, self.outer):
            show(boundary.fallback.group, FALLBACK)
        show(self.inner.content.group, CONTENT)
        self.attach(self.inner)

    def attach(self, boundary: Boundary) -> None:
        group = boundary.surroundings.group
        group.seal((), boundary.attach(0))

    def land(self, context: Context, error: ErrorRow | None = None) -> list[Boundary]:
        context.pending -= 1
        context.error = error
        self.dirty.clear()
        context.settle_upwards(self.dirty)
        return self.dirty


def test_a_path_is_spelled_with_dots() -> None:
    assert spell_path((0, "f", 12)) == "0.f.12"
    assert spell_path(()) == ""


def test_an_id_is_the_path_of_the_boundary() -> None:
    assert Scene().inner.id == "b:0.0"


def test_a_boundary_shows_its_fallback_until_its_content_is_there() -> None:
    scene = Scene()
    scene.outer.content.pending = 1
    scene.attach(scene.outer)
    assert state_of(scene.outer) == "pending"
    assert shown_in(scene.root.group) == [FALLBACK]
    assert scene.land(scene.outer.content) == [scene.outer]
    assert state_of(scene.outer) == "settled"
    # What is nested shows its own fallback in there.
    assert shown_in(scene.root.group) == [FALLBACK]
    assert scene.land(scene.inner.content) == [scene.inner]
    assert shown_in(scene.root.group) == [CONTENT]


def test_a_boundary_that_waits_for_nothing_shows_its_content_at_once() -> None:
    scene = Scene()
    scene.attach(scene.outer)
    assert scene.outer.showing is scene.outer.content


def test_a_failed_boundary_shows_an_error_node_and_nothing_of_what_it_holds() -> None:
    scene = Scene()
    scene.outer.content.pending = 1
    scene.attach(scene.outer)
    assert scene.land(scene.outer.content, BROKE) == [scene.outer]
    assert state_of(scene.outer) == "error"
    assert shown_in(scene.root.group) == [ErrorNode("boundary", "broke")]
    scene.land(scene.inner.content)
    assert shown_in(scene.root.group) == [ErrorNode("boundary", "broke")]


def test_a_boundary_that_failed_at_once_shows_its_error_at_once() -> None:
    scene = Scene()
    scene.outer.content.error = BROKE
    scene.attach(scene.outer)
    assert shown_in(scene.root.group) == [ErrorNode("boundary", "broke")]


def test_a_failure_stays_while_siblings_wait() -> None:
    scene = Scene()
    scene.outer.content.pending = 2
    scene.attach(scene.outer)
    scene.land(scene.outer.content, BROKE)
    assert scene.outer.content.pending == 1
    assert state_of(scene.outer) == "error"


def test_content_that_still_waits_settles_nothing() -> None:
    scene = Scene()
    scene.outer.content.pending = 2
    scene.attach(scene.outer)
    assert scene.land(scene.outer.content) == []
    assert scene.land(scene.outer.content) == [scene.outer]


def test_a_fallback_that_waits_holds_its_surroundings_up_until_it_is_there() -> None:
    scene = Scene(inner_fallback_waits=True)
    scene.attach(scene.outer)
    assert state_of(scene.outer) == "pending"
    assert scene.land(scene.inner.fallback) == [scene.outer]
    assert state_of(scene.inner) == "pending"


def test_content_releases_the_surroundings_that_its_fallback_held_up() -> None:
    scene = Scene(inner_fallback_waits=True)
    scene.attach(scene.outer)
    assert scene.land(scene.inner.content) == [scene.inner, scene.outer]
    assert shown_in(scene.root.group) == [CONTENT]


def test_the_failure_of_content_releases_the_surroundings_too() -> None:
    scene = Scene(inner_fallback_waits=True)
    scene.attach(scene.outer)
    assert scene.land(scene.inner.content, BROKE) == [scene.inner, scene.outer]
    assert state_of(scene.outer) == "settled"


def test_a_fallback_that_waits_for_two_rows_needs_both() -> None:
    scene = Scene(inner_fallback_waits=True)
    scene.inner.fallback.pending += 1
    scene.attach(scene.outer)
    assert scene.land(scene.inner.fallback) == []
    assert scene.land(scene.inner.fallback) == [scene.outer]


def test_the_failure_of_a_fallback_goes_to_its_surroundings() -> None:
    scene = Scene(inner_fallback_waits=True)
    scene.attach(scene.outer)
    assert scene.land(scene.inner.fallback, BROKE) == [scene.outer]
    assert scene.outer.content.error is BROKE
    assert scene.root.error is None


def test_the_failure_of_a_fallback_can_reach_the_root() -> None:
    scene = Scene()
    scene.outer.content.pending = scene.outer.fallback.pending = 1
    scene.attach(scene.outer)
    assert scene.root.pending == 1
    assert scene.land(scene.outer.fallback, BROKE) == []
    assert scene.root.error is BROKE


def test_only_what_can_still_be_shown_is_not_dropped() -> None:
    scene = Scene()
    scene.outer.content.pending = 1
    scene.attach(scene.outer)
    inner, outer = scene.inner, scene.outer
    contexts = (scene.root, outer.content, outer.fallback, inner.content, inner.fallback)
    assert dropped(*contexts) == [False, False, False, False, False]
    scene.land(inner.content)
    assert dropped(*contexts) == [False, False, False, False, True]
    scene.land(outer.content, BROKE)
    assert dropped(*contexts) == [False, True, True, True, True]
    scene.root.error = BROKE
    assert dropped(*contexts) == [True, True, True, True, True]


def test_only_what_is_not_in_a_fallback_may_carry_a_value() -> None:
    scene = Scene()
    nested = Boundary(scene.outer.fallback, scene.outer.fallback.group, (0, "f", 2))
    value = Json.of(1)
    scene.inner.content.check_value(value, (0, 0, 0))
    nested.content.check_value(None, (0, "f", 2, 0))
    with pytest.raises(ContractError, match=r"the result at 0\.f\.2\.0 has one") as caught:
        nested.content.check_value(value, (0, "f", 2, 0))
    assert caught.value.code == "invalid-element"
