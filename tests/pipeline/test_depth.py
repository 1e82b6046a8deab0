"""Nesting has a limit of its own: never Python's, however deep the stack it starts from."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
import trio
from trio.testing import MockClock

from tests.trees import After, At_once
from trio_agent import Agent, Fragment, InvocationError, Node, Suspense, component
from trio_agent.testing import render, render_failure


@component
def Sync(levels: int, around: Callable[[Node], Node]) -> Node:
    return around(Sync(levels - 1, around)) if levels else Agent.Text("deep")


@component
async def Async(levels: int, around: Callable[[Node], Node]) -> Node:
    return around(Async(levels - 1, around)) if levels else Agent.Text("deep")


def same(node: Node) -> Node:
    return node


def doubled(node: Node) -> Node:
    return [node, At_once(None)]


def in_list(node: Node) -> Node:
    return [node]


def in_suspense(node: Node) -> Node:
    return Suspense(node)


def in_fragment(node: Node) -> Node:
    return Fragment(node)


def in_result(node: Node) -> Node:
    return Agent.Result(node)


def in_fallback(node: Node) -> Node:
    return Suspense(After(5, None), fallback=node)


def lists(levels: int, around: Callable[[Node], Node]) -> Node:
    node: Node = Agent.Text("deep")
    for _ in range(levels):
        node = around(node)
    return node


AROUND = [same, in_list, in_suspense, in_fragment, in_result, in_fallback]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("tree", [Sync, Async, lists])
@pytest.mark.parametrize("limit", [200, 256])
async def test_too_deep_is_an_error_of_its_own(
    tree: Callable[[int, Callable[[Node], Node]], Node],
    around: Callable[[Node], Node],
    limit: int,
    autojump_clock: MockClock,
) -> None:
    if tree is lists and around is same:
        return
    failed = await render_failure(
        tree(5000, around),
        limits={
            "max_document_depth": 256,
            "max_component_depth": limit,
            "max_document_bytes": 10**8,
        },
    )
    assert failed.error.code == "component-depth-exceeded"


async def test_siblings_may_nest_as_deep_as_the_limit_and_no_deeper(
    autojump_clock: MockClock,
) -> None:
    assert (await render(Async(60, doubled))).document.root.errors == 0
    failed = await render_failure(Async(300, doubled))
    assert failed.error.code == "component-depth-exceeded"


async def test_as_deep_as_the_limit_is_fine(autojump_clock: MockClock) -> None:
    for tree in (Sync(198, same), Async(198, same), lists(199, in_list), lists(199, in_suspense)):
        rendered = await render(tree)
        assert len(rendered.root.children) == 1
        assert rendered.document.root.errors == 0


async def test_a_list_that_holds_itself_is_too_deep() -> None:
    endless: list[Node] = []
    endless.append(endless)
    assert (await render_failure(endless)).error.code == "component-depth-exceeded"
    endless.append(endless)
    assert (await render_failure(endless)).error.code == "component-depth-exceeded"


def from_depth(frames: int, start: Callable[[], None]) -> None:
    if frames:
        from_depth(frames - 1, start)
    else:
        start()


def frames_left() -> int:
    depth = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return sys.getrecursionlimit() - depth


@pytest.mark.parametrize("left", [150, 250, 400, 700])
@pytest.mark.parametrize("around", AROUND)
def test_however_deep_the_stack_is_where_it_starts(
    left: int, around: Callable[[Node], Node]
) -> None:
    outcomes: list[InvocationError] = []

    async def run() -> None:
        failed = await render_failure(Sync(5000, around), limits={"max_component_depth": 256})
        outcomes.append(failed.error)

    from_depth(frames_left() - left, lambda: trio.run(run, clock=MockClock(autojump_threshold=0)))
    assert outcomes[0].code in {"component-depth-exceeded", "document-depth-exceeded"}


async def test_a_recursion_of_the_authors_is_an_ordinary_failure() -> None:
    def recurse(number: int) -> int:
        return recurse(number + 1)

    @component
    def Recurses() -> Node:
        return Agent.Text(recurse(0))

    failed = await render_failure(Recurses())
    assert failed.error.code == "render-failed"
    assert isinstance(failed.cause, RecursionError)
    rendered = await render(Suspense(Recurses()))
    assert rendered.document.root.errors == 1


async def test_a_node_that_stands_in_two_places_is_given_up_once() -> None:
    node: Node = Agent.Text("deep")
    for _ in range(300):
        node = Suspense(node, fallback=Fragment(node))
    failed = await render_failure(node)
    assert failed.error.code == "component-depth-exceeded"
