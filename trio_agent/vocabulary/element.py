"""Elements: what an author builds, and the factories that build it.

An *element* is a description; only the renderer runs components.  Calling a component makes an
`Element` that keeps the function and its arguments, so no coroutine exists before the task that
awaits it.  The leaf factories of `Agent` return finished nodes (`vocabulary.leaf`), so an
invalid leaf fails on the author's own line; `Agent.Result`, `Suspense`, `Fragment` and component
calls return elements.

What may stand in a tree: `None` and booleans (they vanish), lists and tuples (they flatten),
elements, leaves.  A string or a number by itself is an error that says to wrap it.

This module renders nothing and knows no task.  Above: `pipeline.walk`, which walks the tree.
"""

from __future__ import annotations

import functools
import inspect
from typing import (
    TYPE_CHECKING,
    Final,
    Generic,
    Never,
    ParamSpec,
    Protocol,
    TypeAlias,
    cast,
    final,
)

import attrs

from trio_agent.errors import ContractError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from trio_agent.vocabulary.json import Json
    from trio_agent.vocabulary.node import LeafNode

P = ParamSpec("P")

Node: TypeAlias = "LeafNode | AnyElement | Sequence[Node] | bool | None"
"""What a component may return, and what may be a child."""

AnyElement: TypeAlias = (
    "Element | ResultElement | SuspenseElement | FragmentElement | EnclosedElement"
)


class ComponentFunction(Protocol):
    """A component's function after its parameters have been forgotten."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Return a node, or a coroutine that does."""
        ...


@final
@attrs.frozen(eq=False)
class Definition:
    """The function behind a component.

    Attributes:
        function: returns a node, or a coroutine that does.
        name: its qualified name, for errors.
        is_async: an async component always suspends, also when it never waits; a `def`
            suspends only when it `use`s a `Deferred` that is not settled.
    """

    function: ComponentFunction
    name: str
    is_async: bool

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class Element:
    """A call of a component that has not happened yet.

    The arguments are kept as they were given: values that change later are the author's risk.
    """

    definition: Definition
    args: tuple[object, ...]
    kwargs: Mapping[str, object]

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class ResultElement:
    """A `result` that is not finished: its children may still be components.

    Attributes:
        value: the answer of the document, if this result carries it.
        metadata: any JSON, or None.
    """

    children: tuple[Node, ...]
    value: Json | None = None
    metadata: Json | None = None

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class SuspenseElement:
    """Content that may come later, and what stands there meanwhile."""

    children: tuple[Node, ...]
    fallback: Node = None

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class FragmentElement:
    """Several nodes where one is expected; adds no level."""

    children: tuple[Node, ...]

    __repr__ = shown


@final
@attrs.frozen(eq=False)
class EnclosedElement:
    """What stands inside a layout: the answer of a route, or the next layout.

    If that turns out to be one result, which is then the *root* of what is enclosed, it dissolves
    into the result around it: its children take its place, and it has no level of its own.
    Otherwise this is a fragment.

    Attributes:
        node: what a handler or a layout returned, or an element that will.
        name: of that function, for errors.
    """

    node: Node
    name: str

    __repr__ = shown


@final
class Component(Generic[P]):
    """A component: call it to get an `Element`; it does not run.  Made by `component`."""

    __slots__ = ("definition",)

    def __init__(self, definition: Definition) -> None:
        self.definition: Final = definition

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Element:
        """An element that will run the function with these arguments."""
        return Element(self.definition, args, kwargs)

    def __repr__(self) -> str:
        return f"<component {self.definition.name}>"


def component(function: Callable[P, Node] | Callable[P, Awaitable[Node]]) -> Component[P]:
    """Make a function a component.

    Args:
        function: `async def`, or `def`, which runs on the Trio thread, must not block, and may
            run several times when it calls `use`.  Returns a node.

    Raises:
        ContractError: `invalid-element`, it is a generator, a class or no function.
    """
    if not _can_be_component(function):
        raise ContractError(
            "invalid-element",
            f"@component takes an async def or a def that returns a node, received {function!r}",
        )
    untyped = cast("ComponentFunction", function)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return Component(Definition(untyped, name, inspect.iscoroutinefunction(_called(untyped))))


def _can_be_component(candidate: object) -> bool:
    if not callable(candidate) or inspect.isclass(candidate):
        return False
    called = _called(candidate)
    return not inspect.isgeneratorfunction(called) and not inspect.isasyncgenfunction(called)


def _called(function: ComponentFunction) -> object:
    """What runs when *function* is called: of an instance, the method of its class."""
    plain = inspect.isroutine(function) or type(function) is functools.partial
    return function if plain else type(function).__call__


def Suspense(*children: Node, fallback: Node = None, **unknown: Never) -> SuspenseElement:  # noqa: N802  # the field's own name
    """Let the rest go ahead: show *fallback* until *children* are ready, then replace it.

    A fallback may hold components and boundaries of its own, but never a `value`.

    Raises:
        ContractError: `invalid-element`, an unknown keyword.
    """
    if unknown:
        refuse_keywords("Suspense", unknown, "fallback")
    return SuspenseElement(children, fallback)


def Fragment(*children: Node, **unknown: Never) -> FragmentElement:  # noqa: N802  # the field's own name
    """Group nodes without adding a level.

    Raises:
        ContractError: `invalid-element`, an unknown keyword.
    """
    if unknown:
        refuse_keywords("Fragment", unknown, "none")
    return FragmentElement(children)


def refuse_keywords(factory: str, unknown: Mapping[str, object], known: str) -> Never:
    """Raise the error of an unknown keyword.

    Raises:
        ContractError: `invalid-element`, always.
    """
    raise ContractError(
        "invalid-element",
        f"{factory} has no keyword {', '.join(map(repr, unknown))}; its keywords: {known}",
    )
