"""The request handle: what a component may ask while it renders.

`agent()` returns it from anywhere inside an invocation, also in a thread started there; it is
what a route's `context` parameter is.  It is held by the one context variable of the project,
set before the invocation's supervisor opens, so every task of the invocation inherits it and
nothing else ambient crosses a link.

After the invocation every use of a handle that somebody kept is refused: `request-closed`, and
for the two producers, `progress.report` and `defer`, a `HandoffRequiredError` that carries what
came too late.

It is deliberately not a service locator: it starts work only through `defer`, and it holds
nothing of the supervisor but the `Starter`.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeVar, TypeVarTuple, final

from trio_agent.errors import ContractError, RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    from trio_agent.context.deferred import Deferred
    from trio_agent.context.observed import Axes
    from trio_agent.context.stage import Stage
    from trio_agent.vocabulary.invocation import Invocation

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

current_request: Final[ContextVar[AgentRequest]] = ContextVar("trio_agent.current_request")
"""Set by `trio_agent.invocation` only."""


class ProgressReporter(Protocol):
    """Says how far something is.  Callable from any thread; never waits, never fails a render."""

    def report(
        self,
        completed: float | None = None,
        *,
        total: float | None = None,
        message: str | None = None,
    ) -> None:
        """Report; the latest report of each source is what a slow consumer sees.

        Args:
            completed: finite, not negative; the last number of this source when left out.
            total: finite, at least *completed*; None while it is not known.
            message: for people; not blank.

        Raises:
            ContractError: `invalid-document`, a number or the message breaks these rules.
            HandoffRequiredError: the invocation has ended.
        """
        ...

    def named(self, source: str) -> ProgressReporter:
        """A reporter of its own for one piece of work; at most 64 an invocation.

        Raises:
            ContractError: `invalid-document`, the name is blank or there are too many.
        """
        ...


class Starter(Protocol):
    """Starts deferred work under the invocation's supervisor."""

    def start(self, function: Callable[[*Ts], Awaitable[T]], args: tuple[*Ts]) -> Deferred[T]:
        """Start it now."""
        ...


@final
class AgentRequest:
    """The handle of one invocation.  Awaiting it gives itself, so `await agent()` works too.

    Attributes below raise `RequestError` with `request-closed` once the invocation has ended.
    """

    __slots__ = ("_axes", "_closed", "_invocation", "_progress", "_starter", "stage")

    def __init__(
        self,
        *,
        invocation: Invocation,
        axes: Axes | Callable[[], Axes] | None,
        progress: ProgressReporter,
        starter: Starter,
        stage: Stage,
    ) -> None:
        self._invocation = invocation
        self._axes = axes
        self._progress = progress
        self._starter = starter
        self._closed = False
        self.stage: Final = stage

    def __await__(self) -> Generator[None, None, AgentRequest]:
        yield from ()
        return self

    def close(self) -> None:
        """End the request: called by the invocation, once it has ended."""
        self._closed = True

    @property
    def invocation(self) -> Invocation:
        """Who asked for what."""
        self.check_open()
        return self._invocation

    @property
    def progress(self) -> ProgressReporter:
        """Where to say how far things are.  Stays usable, to be refused with a handoff."""
        return self._progress

    @property
    def axes(self) -> Axes:
        """What is known about the caller: host, session, workspace, terminal and so on."""
        self.check_open()
        if self._axes is None:
            # lazy: most invocations never ask, and making the classes takes ten milliseconds.
            from trio_agent.context.observed import Axes  # noqa: PLC0415

            self._axes = Axes()
        elif callable(self._axes):
            self._axes = self._axes()
        return self._axes

    def defer(self, function: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> Deferred[T]:
        """Begin work now, beside the rendering; give the `Deferred` to the components that need it.

        The work runs under the invocation's supervisor and does not hold up `complete`: what
        still runs then is cancelled.  Work that must finish is awaited by a component.

        Args:
            function: a coroutine function.
            *args: what it is called with.

        Raises:
            HandoffRequiredError: the invocation has ended.
            ContractError: `invalid-element`, called in a `def` component, which may run again.
        """
        component = self.stage.current
        if component is not None:
            raise ContractError(
                "invalid-element",
                f"{component} is a def and may run again, so defer() would start"
                " twice: make it async def, or defer in its parent",
            )
        return self._starter.start(function, args)

    def check_open(self) -> None:
        """Refuse a handle that outlived its invocation.

        Raises:
            RequestError: `request-closed`.
        """
        if self._closed:
            raise RequestError(
                "request-closed", f"invocation {self._invocation.id} has ended; keep no handle"
            )


CommandContext: TypeAlias = AgentRequest
"""The handle, as a `@command` names it."""

ToolContext: TypeAlias = AgentRequest
"""The handle, as a `@tool` names it."""


def agent() -> AgentRequest:
    """The handle of the invocation that this code runs in.

    Raises:
        RequestError: `outside-invocation`; `request-closed` in code that outlived its invocation.
    """
    request = current_request.get(None)
    if request is None:
        raise RequestError("outside-invocation", "agent() is only known inside an invocation")
    request.check_open()
    return request


use_agent: Final = agent
"""The same as `agent`, as React names such things."""


def defer(function: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> Deferred[T]:
    """`agent().defer`: see there."""
    request = current_request.get(None)
    if request is None:
        raise RequestError("outside-invocation", "defer() is only known inside an invocation")
    return request.defer(function, *args)
