"""What an author gets wrong is said with the component and the place, and leaves no warning."""

import logging
import time
from typing import cast

import attrs
import pytest
import trio
from trio.testing import MockClock

from actors import LinkTruncatedError, PeerGoneError, open_supervisor
from tests.trees import After, At_once, Fails_after, For_ever, texts
from trio_agent import Agent, AgentError, Deferred, Fragment, Node, Suspense, component, defer
from trio_agent.errors import AuthorExitError, ContractError
from trio_agent.testing import expect_document, expect_events, render, render_failure
from trio_agent.vocabulary.leaf import ErrorNode
from trio_agent.vocabulary.result import ResultNode


async def coroutine() -> Node:
    return None  # pragma: no cover  # made, and never run


def bare() -> Node:
    """What an author gets who forgets the decorator."""
    return cast("Node", coroutine())


@attrs.frozen
class Foreign:
    """A class of the author's that no tree knows."""


class Html:
    def __html__(self) -> str:
        raise AssertionError("nobody renders HTML")  # pragma: no cover  # that is what is tested


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("not even this")


@component
async def Inner() -> Node:
    return None  # pragma: no cover  # never called


WRONG: dict[str, tuple[object, str]] = {
    "a string": ("hello", "a bare string, 'hello': wrap text in Agent.Markdown or Agent.Text"),
    "html": ("  <p>hello</p>", "HTML, '  <p>hello</p>': wrap text"),
    "a number": (42, "a bare number, 42: wrap it in Agent.Text or Agent.Json"),
    "a component": (Inner, "<component Inner>, which was not called: write Inner(...)"),
    "a deferred": (Deferred[int]("work"), "<Deferred work, pending>: await it in a component"),
    "an html element": (Html(), "an HTML element of tests.pipeline.test_author_errors"),
    "an instance": (
        Foreign(),
        "an instance of tests.pipeline.test_author_errors.Foreign, Foreign()",
    ),
    "a dict": ({"a": 1}, "an instance of builtins.dict, {'a': 1}"),
    "bytes": (b"x", "an instance of builtins.bytes, b'x'"),
    "without a repr": (
        Unspeakable(),
        "an instance of tests.pipeline.test_author_errors.Unspeakable, <",
    ),
}


@component
def Sync(*nodes: object) -> Node:
    return [Agent.Text("x"), [None, *nodes]]  # type: ignore[list-item]  # wrong on purpose


@component
async def Async(*nodes: object) -> Node:
    return Agent.Result(Fragment(Agent.Text("x"), *nodes))  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("name", WRONG)
async def test_what_is_no_node_is_named_with_component_and_place(name: str) -> None:
    node, words = WRONG[name]
    failed = await render_failure(Sync(node))
    assert failed.error.code == "invalid-element"
    assert f"the tree holds {words}" in failed.error.message
    assert "(in component Sync, at [1] > [1])" in failed.error.message
    failed = await render_failure(At_once([None, Async(node)]))
    assert "(in component Async, at Result > [0] > [1])" in failed.error.message


async def test_in_a_boundary_it_is_an_error_with_component_and_place() -> None:
    @component
    def Page() -> Node:
        return [None, Suspense(None, "hello")]

    rendered = await render(Page())
    expect_events(rendered.events).exact_types(["shell", "error", "complete"])
    (text,) = texts(rendered.document.root)
    assert "invalid-element" in text
    assert text.endswith(".Page, at Suspense > [1])")


async def test_of_nested_components_the_innermost_is_named() -> None:
    @component
    def Page() -> Node:
        return Suspense(Suspense(Sync(7)))

    (text,) = texts((await render(Page())).document.root)
    assert "(in component Sync, at [1] > [1])" in text
    (text,) = texts((await render(Suspense([After(0, Async(7))]))).document.root)
    assert "(in component Async, at Result > [0] > [1])" in text


async def test_without_a_component_the_root_is_named() -> None:
    failed = await render_failure([None, [7]])  # type: ignore[list-item]  # wrong on purpose
    assert "(in component (root), at [1] > [0])" in failed.error.message
    (text,) = texts((await render(Suspense(7))).document.root)  # type: ignore[arg-type]  # wrong on purpose
    assert "(in component (root), at Suspense > [0])" in text


async def test_in_a_fallback_it_fails_the_surroundings() -> None:
    @component
    def Page() -> Node:
        return Suspense(At_once(None), fallback="wait")

    failed = await render_failure(Page())
    assert failed.error.message.endswith(".Page, at Suspense fallback)")


async def test_a_value_in_a_fallback_is_refused() -> None:
    @component
    def Page(fallback: Node) -> Node:
        return [None, Suspense(At_once(None), fallback=fallback)]

    failed = await render_failure(Page(Agent.Result(value=1)))
    assert failed.error.code == "invalid-element"
    assert "a fallback may not carry a value" in failed.error.message
    assert failed.error.message.endswith(".Page, at [1] > Suspense fallback)")


async def test_a_value_in_the_boundary_of_a_fallback_is_refused_too(
    autojump_clock: MockClock,
) -> None:
    inside = Suspense(At_once(Agent.Result(value=1)))
    rendered = await render(Suspense(After(1, Agent.Text("x")), fallback=inside))
    expect_events(rendered.events).has_error("invalid-element")
    expect_document(rendered.document).has_no_value().has_kinds("text")


async def test_bare_coroutines_are_named_and_none_is_left_unawaited() -> None:
    @component
    def Page() -> Node:
        return [
            Agent.Text("x"),
            bare(),
            Agent.Result(bare(), Fragment(bare())),
            Suspense(bare(), fallback=bare()),
            (bare(), [bare()]),
        ]

    failed = await render_failure(Page())
    assert (
        "a bare coroutine of coroutine: decorate coroutine with @component" in failed.error.message
    )
    assert "at [1]" in failed.error.message


async def test_coroutines_beside_another_failure_are_not_left_unawaited() -> None:
    @component
    def Raises() -> Node:
        raise ValueError("no")

    @component
    async def Page(*first: Node) -> Node:
        return [[*first, bare()], bare()]

    for first in (Raises(), Suspense(Raises(), bare())):
        failed = await render_failure([Page(first)])
        assert failed.error.code in {"render-failed", "invalid-element"}
    failed = await render_failure([Raises(), bare()])
    assert failed.error.message == "no"
    deep = Agent.Result(bare(), value=[[[1]]])
    failed = await render_failure([deep], limits={"max_document_depth": 2})
    assert failed.error.code == "document-depth-exceeded"


async def test_coroutines_in_a_boundary_that_failed_are_not_left_unawaited() -> None:
    @component
    def Raises() -> Node:
        raise ValueError("no")

    rendered = await render(Suspense(Raises(), bare(), fallback=[bare()]))
    assert texts(rendered.document.root) == ["[boundary] no"]


async def test_coroutines_in_a_tree_that_is_too_deep_are_not_left_unawaited() -> None:
    node: Node = bare()
    for _ in range(300):
        node = [node]
    failed = await render_failure(node)
    assert failed.error.code == "component-depth-exceeded"


async def test_a_def_that_makes_a_coroutine_is_told_to_decorate_it() -> None:
    @component
    def Page() -> Node:
        return bare()

    failed = await render_failure(Page())
    assert "a bare coroutine of coroutine" in failed.error.message


async def test_wrong_arguments_are_told_apart_from_an_error_inside() -> None:
    @component
    async def Takes(number: int) -> Node:
        return int(None)  # type: ignore[call-overload,no-any-return]  # to raise

    @component
    def Also_takes(number: int) -> Node:
        return int(None)  # type: ignore[call-overload,no-any-return]  # to raise

    for takes in (Takes, Also_takes):
        failed = await render_failure(takes())  # type: ignore[call-arg]  # wrong on purpose
        assert failed.error.code == "invalid-element"
        assert f"{takes.definition.name} cannot be called so" in failed.error.message
        assert "missing 1 required positional argument: 'number'" in failed.error.message
        failed = await render_failure(takes(1))
        assert failed.error.code == "render-failed"
        assert isinstance(failed.cause, TypeError)


async def test_an_unknown_keyword_fails_on_its_own_line_and_names_the_component() -> None:
    @component
    async def Page() -> Node:
        return Suspense(None, falback=None)  # type: ignore[arg-type]  # wrong on purpose

    failed = await render_failure(Page())
    assert failed.error.code == "invalid-element"
    assert "Suspense has no keyword 'falback'" in failed.error.message
    assert "in component " in failed.error.message


async def test_an_invalid_leaf_fails_on_its_own_line_and_names_the_component() -> None:
    class Unknown:
        pass

    @component
    def Page() -> Node:
        return Agent.Json({"a": [1, Unknown()]})

    failed = await render_failure(Page())
    assert failed.error.code == "invalid-document"
    assert "json.a[1]" in failed.error.message
    assert "Page" in failed.error.message


async def test_an_error_that_the_author_names_keeps_its_code(autojump_clock: MockClock) -> None:
    failed = await render_failure(Fails_after(1, AgentError("E_LOCKED", "the library is locked")))
    assert (failed.error.code, failed.error.message) == ("E_LOCKED", "the library is locked")


# ---------------------------------------------------------------------------------- exits


@component
def Leaves() -> Node:
    raise SystemExit(3)


@component
def Leaves_in_a_group() -> Node:
    raise BaseExceptionGroup("several", [SystemExit(3)])


@component
async def Leaves_later() -> Node:
    await trio.sleep(0)
    raise SystemExit(3)


@component
async def Leaves_in_a_nursery() -> Node:
    async with trio.open_nursery():
        raise SystemExit(3)


@component
async def Leaves_in_a_thread() -> Node:
    def work() -> None:
        raise SystemExit(3)

    await trio.to_thread.run_sync(work)
    return None  # pragma: no cover  # the thread exits


EXITS = [Leaves, Leaves_in_a_group, Leaves_later, Leaves_in_a_nursery, Leaves_in_a_thread]


@pytest.mark.parametrize("leaves", EXITS)
async def test_sys_exit_fails_the_invocation_and_not_the_process(leaves: object) -> None:
    failed = await render_failure(leaves())  # type: ignore[operator]  # a component
    assert failed.error.code == "render-failed"
    assert isinstance(failed.cause, AuthorExitError)
    assert "called sys.exit(3); return or raise instead" in failed.error.message


@pytest.mark.parametrize("leaves", EXITS)
async def test_sys_exit_in_a_boundary_fails_the_boundary(leaves: object) -> None:
    rendered = await render([Suspense(leaves()), Agent.Text("kept")])  # type: ignore[operator]  # a component
    assert "sys.exit(3)" in texts(rendered.document.root)[0]
    expect_document(rendered.document).has_kinds("error", "text")


async def test_a_nursery_of_the_authors_that_fails_is_a_group_of_its_own(
    autojump_clock: MockClock,
) -> None:
    async def fails(message: str) -> None:
        try:
            await trio.sleep(1)
        finally:
            raise LookupError(message)

    @component
    async def Opens() -> Node:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fails, "a")
            nursery.start_soon(fails, "a")
        return None  # pragma: no cover  # the nursery fails

    failed = await render_failure(Opens())
    assert failed.error.message == "2 errors, the first: a"
    assert isinstance(failed.cause, ExceptionGroup)
    rendered = await render(Suspense(Opens()))
    assert texts(rendered.document.root) == ["[boundary] 2 errors, the first: a"]


async def test_a_nursery_of_one_failure_is_that_failure() -> None:
    @component
    async def Opens() -> Node:
        async with trio.open_nursery():
            raise LookupError("alone")

    rendered = await render(Suspense(Opens()))
    assert texts(rendered.document.root) == ["[boundary] alone"]


async def test_an_exit_beside_a_failure_is_that_failure() -> None:
    @component
    async def Opens() -> Node:
        raise BaseExceptionGroup("both", [SystemExit(1), LookupError("also")])

    rendered = await render(Suspense(Opens()))
    assert texts(rendered.document.root) == ["[boundary] also"]


async def test_what_fails_while_it_is_cancelled_does_not_outlive_the_cancellation(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Opens() -> Node:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            try:
                await trio.sleep_forever()
            finally:
                raise LookupError("on the way out")

    with trio.move_on_after(3) as scope:
        await render([Opens(), For_ever()])
    assert scope.cancelled_caught


async def test_a_component_that_catches_everything_but_goes_on_is_cancelled_all_the_same(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Stubborn() -> Node:
        try:
            await trio.sleep_forever()
        except BaseException:  # noqa: BLE001  # wrong on purpose
            return Agent.Text("still here")

    with trio.move_on_after(3) as scope:
        await render([Stubborn(), Suspense(For_ever())])
    assert scope.cancelled_caught


# ---------------------------------------------------------------------------------- blocking


async def test_a_def_that_blocks_the_thread_is_logged_by_name(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @component
    def Blocks() -> Node:
        begun = time.perf_counter()
        while time.perf_counter() - begun < 0.26:
            pass
        return None

    with caplog.at_level(logging.WARNING, "trio_agent"):
        await render([At_once(None), Blocks()])
    (record,) = caplog.records
    assert "Blocks blocked the Trio thread for 0.2" in record.getMessage()


async def test_components_that_do_not_block_are_not_logged(
    caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    @component
    async def Waits() -> Node:
        await defer(trio.sleep, 5)
        return Sync()

    with caplog.at_level(logging.DEBUG, "trio_agent"):
        await render(Waits())
    assert caplog.records == []


async def test_an_error_can_be_raised_again_by_another_component() -> None:
    shared = ContractError("invalid-element", "shared")

    @component
    def One() -> Node:
        raise shared

    assert (await render_failure(One())).error.code == "invalid-element"
    assert (await render_failure(One())).error.code == "invalid-element"


@pytest.mark.parametrize("echo", [PeerGoneError("theirs"), LinkTruncatedError("theirs")])
@pytest.mark.parametrize("beside", [[], [At_once(None)]], ids=["alone", "beside another"])
async def test_an_author_whose_own_peer_is_gone_has_failed_and_nobody_left(
    echo: Exception, beside: list[Node]
) -> None:
    @component
    def Fails() -> Node:
        raise echo

    @component
    async def Fails_in_a_supervisor() -> Node:
        async with open_supervisor():
            raise echo

    for failing in (Fails(), Fails_in_a_supervisor()):
        failed = await render_failure([failing, *beside])
        assert (failed.error.code, failed.error.message) == ("render-failed", "theirs")


async def test_an_authors_own_failure_goes_before_its_peers() -> None:
    @component
    async def Fails() -> Node:
        raise ExceptionGroup("both", [PeerGoneError("echo"), ValueError("mine")])

    failed = await render_failure(Fails())
    assert failed.error.message == "mine"


async def test_the_key_of_a_key_error_is_not_all_that_is_said() -> None:
    @component
    async def Missing() -> Node:
        forecasts: dict[str, str] = {}
        return Agent.Text(forecasts["town"])

    failed = await render_failure(Missing())
    assert failed.error.message == "KeyError: 'town'"
    root = (await render(Suspense(Missing()))).document.root
    assert root == ResultNode.of([ErrorNode("boundary", "KeyError: 'town'")])


async def test_where_it_was_raised_is_logged_for_authors(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @component
    async def Breaks() -> Node:
        raise ValueError("broke")

    with caplog.at_level("DEBUG", "trio_agent"):
        await render_failure(Breaks())
        await render(Suspense(Breaks()))
    invocation, boundary = caplog.records
    assert "failed" in invocation.message
    assert boundary.message == "a boundary failed: broke"
    for record in caplog.records:
        assert record.exc_info is not None
        assert isinstance(record.exc_info[1], ValueError)
