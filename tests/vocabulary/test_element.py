"""Components and the elements they make: nothing runs before the renderer runs it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs
import pytest
import trio
from hypothesis import given, strategies as st

from tests.strategies import json_values
from trio_agent.errors import ContractError
from trio_agent.vocabulary.element import (
    Component,
    Element,
    Fragment,
    FragmentElement,
    Node,
    ResultElement,
    Suspense,
    SuspenseElement,
    component,
)
from trio_agent.vocabulary.leaf import TextNode

TEXT = TextNode("a")


async def later(*args: object, **kwargs: object) -> Node: ...


def at_once(*args: object, **kwargs: object) -> Node: ...


class Callables:
    async def __call__(self) -> Node: ...

    async def method(self) -> Node: ...


class Generating:
    def __call__(self) -> Iterator[Node]:
        yield None


def generator() -> Iterator[Node]:
    yield None


async def async_generator() -> AsyncIterator[Node]:
    await trio.lowlevel.checkpoint()
    yield None


def refusal(call: Any, *args: object, **kwargs: object) -> str:
    with pytest.raises(ContractError) as caught:
        call(*args, **kwargs)
    assert caught.value.code == "invalid-element"
    return caught.value.message


@given(st.lists(json_values()), st.dictionaries(st.text(), json_values()))
def test_a_call_keeps_what_it_was_given_and_runs_nothing(
    args: list[object], kwargs: dict[str, object]
) -> None:
    ran: list[object] = []

    for shelf in (component(lambda *args, **_: ran.append(args)), component(later)):
        element = shelf(*args, **kwargs)

        # No coroutine exists either: a warning that it was never awaited would fail the test.
        assert ran == []
        assert type(element) is Element
        assert element.definition is shelf.definition
        assert element.args == tuple(args)
        assert element.kwargs == kwargs


def test_an_argument_may_be_called_self() -> None:
    element = component(at_once)(self=3)

    assert element.kwargs == {"self": 3}


def test_a_function_is_kept_with_its_name_and_its_kind() -> None:
    assert attrs.astuple(component(later).definition) == (later, "later", True)
    assert attrs.astuple(component(at_once).definition) == (at_once, "at_once", False)


def test_anything_async_that_can_be_called_is_async() -> None:
    instance = Callables()
    bound = component(instance.method).definition
    partial = component(functools.partial(later, 1)).definition

    assert component(instance).definition.is_async
    assert component(instance).definition.name == "Callables"
    assert (bound.is_async, bound.name) == (True, "Callables.method")
    assert (partial.is_async, partial.name) == (True, "partial")


def test_a_component_may_be_a_lambda_or_a_builtin() -> None:
    assert not component(lambda: TEXT).definition.is_async
    assert not component(len).definition.is_async  # type: ignore[arg-type]  # as an untyped author may


def test_a_component_shows_its_name() -> None:
    assert repr(component(later)) == "<component later>"
    assert isinstance(component(later), Component)


@pytest.mark.parametrize(
    "candidate",
    [generator, async_generator, Generating(), Callables, int, None, 3, "shelf", TEXT],
    ids=repr,
)
def test_what_returns_no_node_is_no_component(candidate: object) -> None:
    assert refusal(component, candidate) == (
        f"@component takes an async def or a def that returns a node, received {candidate!r}"
    )


async def test_the_generators_of_this_module_do_generate() -> None:
    assert [*generator(), *Generating()()] == [None, None]
    assert [node async for node in async_generator()] == [None]


def test_a_coroutine_is_no_component() -> None:
    coroutine: Any = later()
    try:
        assert "coroutine object later" in refusal(component, coroutine)
    finally:
        coroutine.close()
    assert inspect.getcoroutinestate(coroutine) == inspect.CORO_CLOSED


def test_suspense_holds_content_and_fallback() -> None:
    element = Suspense(TEXT, None, [TEXT], fallback=TEXT)

    assert type(element) is SuspenseElement
    assert element.children == (TEXT, None, [TEXT])
    assert element.fallback is TEXT
    assert Suspense().children == ()
    assert Suspense().fallback is None


def test_a_fragment_holds_its_children() -> None:
    element = Fragment(TEXT, False, [TEXT])

    assert type(element) is FragmentElement
    assert element.children == (TEXT, False, [TEXT])


def test_an_unknown_keyword_is_refused_and_the_known_ones_are_listed() -> None:
    assert refusal(Suspense, TEXT, fallbck=TEXT, key=1) == (
        "Suspense has no keyword 'fallbck', 'key'; its keywords: fallback"
    )
    assert refusal(Fragment, TEXT, key=1) == "Fragment has no keyword 'key'; its keywords: none"


@pytest.mark.parametrize(
    "value",
    [
        component(later).definition,
        component(later)(),
        ResultElement(()),
        Suspense(),
        Fragment(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_elements_are_frozen_and_themselves(value: Any) -> None:
    for field in attrs.fields(type(value)):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(value, field.name, None)
    # Two equal calls are two elements.
    assert value == value  # noqa: PLR0124  # that is the question
    assert attrs.evolve(value) != value


def test_component_is_a_decorator_that_keeps_the_parameters_types() -> None:
    @component
    def shelf(name: str, *, count: int = 1) -> Node:
        return TextNode(name * count)

    element: Element = shelf("a", count=2)
    function = element.definition.function

    assert function(*element.args, **element.kwargs) == TextNode("aa")
