"""Handlers: what every route does with its function, whatever surface serves it.

A route reads its input strictly, runs the function once for each time its element is rendered,
and understands what the function returns.  What needs the types (the input class, the return
annotation) is worked out when first asked for, so that a handler may be declared above the
classes that it mentions.

How a handler runs:

* `async def` is awaited by the renderer, like a component.
* `def` runs in a worker thread with a copy of the invocation's context; cancellation leaves the
  thread behind, and its result is dropped.
* `def` with `thread=False` runs on the Trio thread like a `def` component: it must not block.

Deliberately not here: what a route says about itself, and what its answer means; that is
`commands`, `scripts`, `tools`, `resources` and `prompts`, one module for each decorator.  Below: `answer`.
"""

from __future__ import annotations

import inspect
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, Protocol, cast, final

import attrs

from trio_agent.context.ambient import agent
from trio_agent.context.handle import AgentRequest
from trio_agent.protocol.schema.parameters import Signature, read_signature
from trio_agent.routes.answer import read_answer
from trio_agent.shown import shown
from trio_agent.vocabulary.element import Definition, Element

if TYPE_CHECKING:
    import types
    from collections.abc import Awaitable, Callable, Mapping

    import trio

    from trio_agent.limits import LimitOverrides
    from trio_agent.routes.answer import Answering
    from trio_agent.vocabulary.element import ComponentFunction, Node
    from trio_agent.vocabulary.json import Json

CONTEXT_TYPES: Final[Mapping[str, type]] = dict.fromkeys(
    (
        "AgentRequest",
        "CommandContext",
        "PromptContext",
        "ResourceContext",
        "ScriptContext",
        "ToolContext",
    ),
    AgentRequest,
)
"""The class by which a handler's context parameter is found, under each of its names."""


class Wrapping(Protocol):
    """Puts something around what a handler returned (`layouts.LayoutChain`)."""

    def wrap(self, node: Node, name: str) -> Node:
        """What is rendered instead of the *node* that the handler called *name* returned."""
        ...


class Handled(Protocol):
    """A route: a function, what its decorator said, and what follows from both.

    A protocol with bodies: the classes of routes name it as their base.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for menus.
        limits: the route's own, over the runtime's.
        result: the type that `result=` names.
        thread: whether a `def` runs in a worker thread.
    """

    handler: ComponentFunction
    name: str
    description: str | None
    title: str | None
    limits: LimitOverrides
    result: object | None
    thread: bool

    @cached_property
    def signature(self) -> Signature:
        """How the handler takes its input.

        Raises:
            DeclarationError: its parameters cannot be an input.
        """
        return read_signature(cast("types.FunctionType", self.handler), CONTEXT_TYPES)

    @cached_property
    def answer(self) -> Answering:
        """What the handler answers with.

        Raises:
            PluginError: its return annotation does not say.
        """
        return read_answer(cast("types.FunctionType", self.handler), self.name, self.result)

    @cached_property
    def check_value(self) -> Callable[[Json], None] | None:
        """The check of the document's value against the declared type; None without one.

        Raises:
            PluginError: see `answer`.
            DeclarationError: the declared type has no wire form.
        """
        declared = self.answer.declared
        if declared is None:
            return None
        # lazy: it imports cattrs, and a handler may declare no type at all.
        from trio_agent.protocol.schema.structuring import value_checker  # noqa: PLC0415

        return value_checker(declared)

    def check(self) -> None:
        """Find out now what is wrong with the function, and not with the first call.

        Raises:
            PluginError: its return annotation, or its parameters, do not fit what it is.
            DeclarationError: a type in its signature cannot be used.
        """
        _ = self.signature, self.answer, self.check_value

    def structure(self, data: object) -> attrs.AttrsInstance:
        """Read the input from JSON, strictly.

        Args:
            data: one object, a member per field of the input class.

        Raises:
            SchemaError: it does not fit; it has every issue with its path, beginning `input`.
            DeclarationError: a parameter has a type without a wire form.
        """
        # lazy: it imports cattrs, and help needs the signature only.
        from trio_agent.protocol.schema.structuring import structure  # noqa: PLC0415

        return structure(self.signature.input_type, data, place="input")

    def to_node(self, returned: object, input_value: attrs.AttrsInstance) -> Node:  # noqa: ARG002  # for routes whose answer says what it is of
        """What is rendered for a return value.

        Args:
            returned: what the handler returned.
            input_value: what it was called with.

        Raises:
            ContractError: `invalid-document`, data that has no JSON form; the path is named.
        """
        return self.answer.to_node(returned)

    def element(
        self,
        input_value: attrs.AttrsInstance,
        *,
        limiter: trio.CapacityLimiter | None = None,
        layouts: Wrapping | None = None,
    ) -> Element:
        """The element that runs the handler, once for each time it is rendered.

        Args:
            input_value: an instance of the signature's input class.
            limiter: bounds the worker threads of `def` handlers; by default that of the Trio
                run, because one kept beyond a run would lose the places of abandoned threads.
            layouts: what stands around the answer; they begin when the handler has returned.
        """
        run = _Run(self, input_value, limiter, layouts)
        is_coroutine = inspect.iscoroutinefunction(self.handler)
        is_async = is_coroutine or self.thread
        function = run.wait_answer if is_coroutine else run.wait_thread if is_async else run.answer
        return Element(Definition(cast("ComponentFunction", function), self.name, is_async), (), {})


@final
@attrs.frozen
class _Run:
    """One call of a handler that has not happened yet."""

    route: Handled
    input_value: attrs.AttrsInstance
    limiter: trio.CapacityLimiter | None
    layouts: Wrapping | None

    __repr__ = shown

    async def wait_answer(self) -> Node:
        """Await an `async def`."""
        coroutine = cast("Awaitable[object]", self._call())
        return self._to_node(await coroutine)

    async def wait_thread(self) -> Node:
        """Run a `def` in a worker thread."""
        # The keywords are made here: a thread may be told that the request has ended.
        call = partial(self.route.handler, **self._keywords())
        # lazy: to tell what a command takes, nobody has to run it.
        import trio  # noqa: PLC0415

        returned: object = await trio.to_thread.run_sync(
            call, abandon_on_cancel=True, limiter=self.limiter
        )
        return self._to_node(returned)

    def answer(self) -> Node:
        """Run a `def` here and now."""
        return self._to_node(self._call())

    def _call(self) -> object:
        return self.route.handler(**self._keywords())

    def _keywords(self) -> Mapping[str, object]:
        signature = self.route.signature
        context = None if signature.context_parameter is None else agent()
        return signature.arguments(self.input_value, context)

    def _to_node(self, returned: object) -> Node:
        node = self.route.to_node(returned, self.input_value)
        return node if self.layouts is None else self.layouts.wrap(node, self.route.name)
