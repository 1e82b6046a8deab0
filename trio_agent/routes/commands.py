"""Commands: the decorator `@command`, and what it makes of a function.

A `CommandRoute` keeps the function and what the decorator said, and builds the element that runs
it.  It deliberately does not know its own name: the path of the module is the identity.  What
needs the types (the input class, the return annotation) is worked out when first asked for, so
that a handler may be declared above the classes that it mentions.

How a handler runs:

* `async def` is awaited by the renderer, like a component.
* `def` runs in a worker thread with a copy of the invocation's context; cancellation leaves the
  thread behind, and its result is dropped.
* `def` with `thread=False` runs on the Trio thread like a `def` component: it must not block.

Above: `application`.  The arguments are those that `static` reads; they change together.
"""

from __future__ import annotations

import inspect
import types
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, Literal, ParamSpec, cast, final

import attrs
import trio

from trio_agent.context.handle import AgentRequest, agent
from trio_agent.errors import ContractError
from trio_agent.limits import DAY_S, LimitOverrides, Limits
from trio_agent.protocol.schema.parameters import Signature, read_signature
from trio_agent.routes.answer import Answer, read_answer
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import first_paragraph
from trio_agent.vocabulary.element import Definition, Element, Node

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from trio_agent.vocabulary.element import ComponentFunction
    from trio_agent.vocabulary.json import Json

P = ParamSpec("P")

CONTEXT_TYPES: Final[Sequence[type]] = (AgentRequest,)
"""The classes by which a handler's context parameter is found."""


@final
@attrs.frozen(kw_only=True, eq=False)
class CommandRoute:
    """A command.  Made by `command`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for menus.
        aliases: other spellings of the last word.
        exit_code: `result` when the value's `exitCode` becomes the exit code of the process.
        limits: the route's own, over the runtime's.
        result: the type that `result=` names.
        thread: whether a `def` runs in a worker thread.
    """

    handler: ComponentFunction
    name: str
    description: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] = ()
    exit_code: Literal["result"] | None = None
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    result: object | None = None
    thread: bool = True

    @cached_property
    def signature(self) -> Signature:
        """How the handler takes its input.

        Raises:
            DeclarationError: its parameters cannot be an input.
        """
        return read_signature(cast("types.FunctionType", self.handler), CONTEXT_TYPES)

    @cached_property
    def answer(self) -> Answer:
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

    def element(
        self, input_value: attrs.AttrsInstance, *, limiter: trio.CapacityLimiter | None = None
    ) -> Element:
        """The element that runs the handler, once for each time it is rendered.

        Args:
            input_value: an instance of the signature's input class.
            limiter: bounds the worker threads of `def` handlers; by default that of the Trio
                run, because one kept beyond a run would lose the places of abandoned threads.
        """
        run = _Run(self, input_value, limiter)
        is_coroutine = inspect.iscoroutinefunction(self.handler)
        is_async = is_coroutine or self.thread
        function = run.wait_answer if is_coroutine else run.wait_thread if is_async else run.answer
        return Element(Definition(cast("ComponentFunction", function), self.name, is_async), (), {})


@final
@attrs.frozen
class _Run:
    """One call of a handler that has not happened yet."""

    route: CommandRoute
    input_value: attrs.AttrsInstance
    limiter: trio.CapacityLimiter | None

    async def wait_answer(self) -> Node:
        """Await an `async def`."""
        coroutine = cast("Awaitable[object]", self._call())
        return self.route.answer.to_node(await coroutine)

    async def wait_thread(self) -> Node:
        """Run a `def` in a worker thread."""
        # The keywords are made here: a thread may be told that the request has ended.
        call = partial(self.route.handler, **self._keywords())
        returned: object = await trio.to_thread.run_sync(
            call, abandon_on_cancel=True, limiter=self.limiter
        )
        return self.route.answer.to_node(returned)

    def answer(self) -> Node:
        """Run a `def` here and now."""
        return self.route.answer.to_node(self._call())

    def _call(self) -> object:
        return self.route.handler(**self._keywords())

    def _keywords(self) -> Mapping[str, object]:
        signature = self.route.signature
        context = None if signature.context_parameter is None else agent()
        return signature.arguments(self.input_value, context)


def command(  # noqa: PLR0913  # one argument per thing a command can say
    *,
    description: str | None = None,
    title: str | None = None,
    aliases: Sequence[str] = (),
    exit_code: Literal["result"] | None = None,
    render: LimitOverrides | None = None,
    result: object | None = None,
    thread: bool = True,
) -> Callable[[Callable[P, object]], CommandRoute]:
    """Make a function a command; the path of its module below `cli/` is what a person types.

    All arguments but *result* are literals, since they are read without importing the module.

    Args:
        description: one sentence for help; by default the first paragraph of the docstring.
        title: for menus.
        aliases: other spellings of the last word.
        exit_code: `"result"` when the value is an object whose `exitCode` is the exit code.
        render: limits of this command, `{"max_elapsed_s": 300}`; at most a day.
        result: the type of the value, for a handler that returns nodes.
        thread: False runs a `def` on the Trio thread; it must not block then.

    Returns:
        A decorator; the name in the module becomes a `CommandRoute`.  A handler that returns a
        node is rendered; any other return annotation means data, which is shown as it is.

    Raises:
        PluginError: the decorated thing is no function, or is a generator.
        ContractError: `invalid-limits`, *render* is unknown or out of range.
    """
    limits = _checked_limits(render)

    def decorate(function: Callable[P, object]) -> CommandRoute:
        handler = _checked_handler(function)
        return CommandRoute(
            handler=cast("ComponentFunction", handler),
            name=handler.__qualname__,
            description=description or first_paragraph(function.__doc__),
            title=title,
            aliases=tuple(aliases),
            exit_code=exit_code,
            limits=limits,
            result=result,
            thread=thread,
        )

    return decorate


def _checked_limits(render: LimitOverrides | None) -> LimitOverrides:
    overrides = LimitOverrides() if render is None else render
    if Limits().overridden(overrides).max_elapsed_s > DAY_S:
        raise ContractError(
            "invalid-limits",
            f"max_elapsed_s of a route is at most {DAY_S:.0f}, received"
            f" {overrides.get('max_elapsed_s')!r}",
        )
    return LimitOverrides(**overrides)


def _checked_handler(function: object) -> types.FunctionType:
    if not isinstance(function, types.FunctionType):
        raise PluginError(f"@command takes a def or an async def, received {function!r:.120}")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise PluginError(
            f"{function.__qualname__} yields, and a handler returns: return a list, or show parts"
            " early with Suspense"
        )
    return function
